"""A rank writes its recorder's dump on request, and no setting of the user is replaced."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ringscope.rank import flight_recorder
from ringscope.rank.flight_recorder import REQUEST, Dumper, dump_of, set_up


@pytest.mark.parametrize(
    ("version", "size", "file"),
    [
        ("2.13.0+cpu", "TORCH_FR_BUFFER_SIZE", "TORCH_FR_DUMP_TEMP_FILE"),
        ("2.6.0", "TORCH_NCCL_TRACE_BUFFER_SIZE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"),
    ],
)
def test_only_what_nobody_has_set_is_set(
    version: str, size: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flight_recorder, "version", lambda name: version)
    environment: dict[str, str] = {}
    set_up(environment, str(tmp_path))
    assert set(environment) == {size, file, "TORCH_NCCL_DUMP_ON_TIMEOUT"}
    assert environment[size] == "2000"
    assert environment[file] + "3" == str(dump_of(tmp_path, 3))
    for name in ("TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE"):
        own = {name: "0"}
        set_up(own, None)
        assert own == {name: "0"}


def library(monkeypatch: pytest.MonkeyPatch, backend: str = "gloo", **dumps: Any) -> None:
    c10d = SimpleNamespace(is_initialized=lambda: True, get_backend=lambda: backend)
    monkeypatch.setitem(sys.modules, "torch.distributed.distributed_c10d", c10d)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "torch._C._distributed_c10d", SimpleNamespace(**dumps))  # type: ignore[arg-type]


def test_a_dump_is_written_once_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library(monkeypatch, _dump_fr_trace=lambda: b"gloo", _dump_nccl_trace=lambda: b"nccl")
    dumper = Dumper(str(tmp_path), 1)
    dumper.look()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / REQUEST).touch()
    dumper.look()
    assert dump_of(tmp_path, 1).read_bytes() == b"gloo"
    library(monkeypatch, "nccl", _dump_fr_trace=lambda: b"gloo", _dump_nccl_trace=lambda: b"nccl")
    Dumper(str(tmp_path), 2).look()
    assert dump_of(tmp_path, 2).read_bytes() == b"nccl"


def test_a_rank_without_a_recorder_says_so_and_an_error_stays_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / REQUEST).touch()
    Dumper(str(tmp_path), 0).look()
    assert dump_of(tmp_path, 0).with_suffix(".none").exists()
    library(monkeypatch, _dump_fr_trace=lambda: 1 // 0)
    Dumper(str(tmp_path), 1).look()
    assert not dump_of(tmp_path, 1).exists()
    Dumper(None, 2).look()

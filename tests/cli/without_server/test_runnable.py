"""`ringscope bench --skip-missing` measures what can run, and names the rest."""

import importlib.util
from typing import Any

import pytest

from ringscope.cli.commands.bench import validated
from ringscope.cli.runnable import without_missing
from ringscope.contracts.errors import UserError


def body(**fields: object) -> dict[str, Any]:
    return {"benchmark": {"collective": "all_reduce", "device": "auto"} | fields, "placement": {}}


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_what_cannot_run_is_left_out_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert without_missing(["ring", "gloo", "zigzag", "mpi"], body(), validated) == ["ring", "mpi"]
    gloo, zigzag = capsys.readouterr().err.splitlines()
    assert gloo == "Left out gloo: it comes with PyTorch; pip install 'ringscope[train]'."
    assert zigzag.startswith("Left out zigzag: ")


def test_where_nothing_is_left_nothing_is_measured() -> None:
    with pytest.raises(UserError) as refused:
        without_missing(["gloo"], body(), validated)
    assert refused.value.sentences[-1] == "--skip-missing: no algorithm is left; name one that can run here."


def test_the_cluster_of_a_simulation_counts(capsys: pytest.CaptureFixture[str]) -> None:
    fields = {"transport": "simulated", "topology": {"shape": "2x2"}}
    assert without_missing(["ring", "mpi"], body(**fields), validated) == ["ring"]
    assert capsys.readouterr().err.startswith("Left out mpi: ")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"min_bytes": 9, "max_bytes": 8}, "min_bytes 9 is larger than max_bytes 8"),
        ({"dtype": "float8"}, "unknown dtype 'float8'"),
        ({"device": "cuda"}, "--device: cuda: it needs CuPy; pip install 'ringscope[cuda12]'."),
    ],
)
def test_what_no_algorithm_can_help_is_told_once(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        without_missing(["ring", "mpi"], body(**fields), validated)
    [only] = refused.value.sentences
    assert sentence in only


def test_dtypes_that_gloo_lacks_leave_it_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert without_missing(["ring", "gloo"], body(dtype="uint64"), validated) == ["ring"]
    assert "gloo does not support uint64" in capsys.readouterr().err

"""`ringscope bench --skip-missing` measures what can run, and names the rest."""

import importlib.util

import pytest

from ringscope.cli.bench import validated
from ringscope.cli.runnable import without_missing
from ringscope.contracts.errors import UserError


def check(names: list[str]) -> None:
    validated({"benchmark": {"collective": "all_reduce", "algorithms": names}})


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_what_cannot_run_is_left_out_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert without_missing(["ring", "gloo", "zigzag", "mpi"], check) == ["ring", "mpi"]
    gloo, zigzag = capsys.readouterr().err.splitlines()
    assert gloo == "Left out gloo: it comes with PyTorch; pip install 'ringscope[train]'."
    assert zigzag.startswith("Left out zigzag: ")


def test_where_nothing_is_left_nothing_is_measured() -> None:
    with pytest.raises(UserError) as refused:
        without_missing(["gloo"], check)
    assert refused.value.sentences[-1] == "--skip-missing: no algorithm is left; name one that can run here."

"""A rank's program opens its ring before the work, and reports a failed comparison after it."""

from types import SimpleNamespace
from typing import Any

import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import STEPS_VARIABLE
from ringscope.contracts.record import Failure, Log, Record
from ringscope.engine.errors import DifferenceError
from ringscope.rank import program


class Told(list[Record]):
    """A reporter that keeps its records."""

    send = list[Record].append


def test_a_rank_that_cannot_note_its_steps_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STEPS_VARIABLE, "/proc/self/fd/gone")
    told = Told()
    assert program._ring(SimpleNamespace(rank=3), told) is None  # type: ignore[arg-type]
    (line,) = told
    assert isinstance(line, Log)
    assert line.text == (
        "RINGSCOPE_STEPS: cannot map the memory for steps (No such file or directory); no steps will be stored."
    )
    assert (line.rank, line.stream) == (3, "stderr")


@pytest.mark.parametrize(("bad_rank", "blamed"), [(2, 2), (None, 0)])
def test_a_failed_comparison_blames_the_rank_that_is_wrong_and_not_the_one_that_says_so(
    monkeypatch: pytest.MonkeyPatch, bad_rank: int | None, blamed: int
) -> None:
    told, nothing = Told(), lambda *_: None
    comm: Any = SimpleNamespace(rank=0, size=1, local_rank=0, nodes=[(0,)], gpu=None, finish=nothing, free=nothing)
    reporter: Any = SimpleNamespace(send=told.append, close=nothing)
    monkeypatch.setattr(program, "introduce", nothing)
    monkeypatch.setattr(program, "_result", lambda *_: DifferenceError("Rank 2 differs.", bad_rank))
    assert program._work(comm, JobSpec.model_validate({"placement": {"ranks": 1}}), reporter, "") == 3
    (failure,) = told
    assert isinstance(failure, Failure)
    assert (failure.rank, failure.reason, failure.message) == (blamed, "verification_failed", "Rank 2 differs.")

"""The all-reduce of a check: it ends in time, counts wrong elements, and says why ranks failed."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Failure, Record
from ringscope.rank.check import all_reduce
from ringscope.rank.local import Run


def ranks(monkeypatch: pytest.MonkeyPatch, *records: Any, exit_code: int = 0) -> list[bool]:
    """Let a run yield these records; the list is filled when it is closed."""
    closed: list[bool] = []

    def run_local(job: JobSpec, run: Run, tuning: Path | None = None) -> Generator[Record]:
        assert job.placement.ranks == 2 and job.sweep.check
        try:
            yield from records
        finally:
            closed.append(True)
        run.exit_code = exit_code

    monkeypatch.setattr(all_reduce, "run_local", run_local)
    return closed


def test_real_ranks_reduce_for_the_time_given() -> None:
    found = all_reduce.reduced(0.3, 2)
    assert (found.wrong, found.failure, found.ranks) == (0, "", 2)
    assert len(found.rates) >= 3 and min(found.rates) > 0


def test_ranks_that_fail_are_no_slow_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = ranks(monkeypatch, Failure(rank=1, reason="rank_exit", message="It has no memory."), exit_code=1)
    found = all_reduce.reduced(0.1, 1)
    assert closed and (found.rates, found.wrong) == ([], 0) and found.failure != ""


def test_a_failed_verification_is_a_wrong_result(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Failure(rank=0, reason="verification_failed", message="3 elements are wrong.")
    ranks(monkeypatch, told, exit_code=3)
    assert all_reduce.reduced(0.1, 1).wrong == 1

"""The length of a candidate's run: steps that warm up or try algorithms, and those that are timed."""

import pytest

from ringscope.train.search.run_length import RunLength, run_length


@pytest.mark.parametrize(
    ("step_us", "length"),
    [
        (None, RunLength(3, 0, 3)),  # the trial
        (30_000, RunLength(13, 0, 40)),
        (100, RunLength(4000, 0, 10_000)),
        (90_000, RunLength(4, 0, 13)),
        (500_000, RunLength(3, 0, 6)),  # a slow model warms up and is timed for a few steps
    ],
)
def test_a_later_run_warms_up_and_is_timed_for_as_many_steps_as_its_time_holds(
    step_us: float | None, length: RunLength
) -> None:
    assert run_length(step_us) == length


def test_steps_that_try_algorithms_are_not_timed() -> None:
    assert run_length(100_000, tuning_steps=32) == RunLength(4, 28, 12)
    assert run_length(1_000, tuning_steps=32) == RunLength(400, 0, 1200)  # they end while it warms up
    assert run_length(1_000_000, tuning_steps=32) == RunLength(3, 3, 6)  # the rest takes too long for one run
    assert run_length(None, tuning_steps=32) == run_length(None)


def test_a_run_is_as_long_as_there_is_time() -> None:
    assert run_length(10_000, timed_seconds=5.0) == RunLength(40, 0, 500)


def test_no_later_run_is_as_long_as_the_first_so_that_what_a_step_sends_follows_from_both() -> None:
    for period in (1, 8):
        first = run_length(None, period).steps
        assert all(run_length(1000.0 * ms, period).steps != first for ms in range(1, 1000))


@pytest.mark.parametrize("step_us", [None, 1_000.0, 30_000.0, 500_000.0])
def test_whole_periods_are_timed(step_us: float | None) -> None:
    length = run_length(step_us, 8)
    assert length.timed_steps and length.timed_steps % 8 == 0

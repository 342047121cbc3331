"""The length of a candidate's run: warm-up and blocks."""

import pytest

from ringscope.train.search.run_length import RunLength, run_length


@pytest.mark.parametrize(
    ("step_us", "length"),
    [
        (None, RunLength(3, 3, 1)),  # the trial
        (30_000, RunLength(13, 9, 4)),
        (100, RunLength(1800, 9, 200)),
        (90_000, RunLength(4, 3, 4)),
        (500_000, RunLength(3, 3, 2)),  # a slow model warms up and is timed for a few steps
    ],
)
def test_a_later_run_warms_up_and_has_as_many_blocks_as_its_time_holds(
    step_us: float | None, length: RunLength
) -> None:
    assert run_length(step_us) == length


def test_no_later_run_is_as_long_as_the_first_so_that_what_a_step_sends_follows_from_both() -> None:
    for period in (1, 8):
        first = run_length(None, period).steps
        assert all(run_length(1000.0 * ms, period).steps != first for ms in range(1, 1000))


@pytest.mark.parametrize("step_us", [None, 1_000.0, 30_000.0, 500_000.0])
def test_a_block_has_whole_periods(step_us: float | None) -> None:
    length = run_length(step_us, 8)
    assert length.block_steps % 8 == 0
    assert length.blocks >= 1


def test_few_periods_are_few_blocks() -> None:
    assert run_length(30_000, 8) == RunLength(13, 3, 8)
    assert run_length(100_000, 8) == RunLength(4, 1, 8)

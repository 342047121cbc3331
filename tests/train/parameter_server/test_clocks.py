"""The bound of the clocks holds in whatever order gradients arrive, and no rank waits for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.training import TrainingSpec
from ringscope.train.parameter_server.clocks import Clocks, StalenessError, bound_of, check_lag

WORKERS, STEPS = st.integers(1, 5), st.integers(1, 20)
BOUNDS = st.none() | st.integers(0, 4)


def never(_: int) -> bool:
    return False


@given(st.data(), WORKERS, STEPS, BOUNDS, st.integers(1, 25), st.integers(0, 7))
def test_every_order_of_arrivals_keeps_the_bound_and_ends(
    data: st.DataObject, workers: int, steps: int, bound: int | None, meet_every: int, start: int
) -> None:
    last = start + steps
    clocks = Clocks(workers, bound, start, last, lambda clock: clock % meet_every == 0)
    began = [start] * workers  # the step that each worker is at, by what it was told
    while not clocks.is_over:
        running = clocks.running
        assert running, "all wait for each other"
        arrived = data.draw(st.sampled_from(running))
        assert clocks.values[arrived] == began[arrived]
        clocks.note(arrived)
        for worker in clocks.let_go():
            began[worker] = clocks.values[worker]
            if began[worker] % meet_every == 0 or began[worker] == last:
                assert min(clocks.values) >= began[worker], "it went on before all had met"
        if bound is not None:
            assert all(began[worker] - min(clocks.values) <= bound for worker in range(workers))
    assert clocks.values == began == [last] * workers


@given(st.data(), WORKERS, STEPS)
def test_sync_takes_the_steps_of_all_together(data: st.DataObject, workers: int, steps: int) -> None:
    clocks = Clocks(workers, 0, 0, steps, never)
    while not clocks.is_over:
        arrived = data.draw(st.sampled_from(clocks.running))
        clocks.note(arrived)
        going = clocks.let_go()
        assert going == ([] if max(clocks.values) > min(clocks.values) else list(range(workers)))


def test_ssp_lets_a_worker_run_ahead_as_far_as_its_bound_and_async_to_the_end() -> None:
    def steps_alone(bound: int | None) -> int:
        clocks = Clocks(2, bound, 0, 50, never)
        while 0 in clocks.running:
            clocks.note(0)
            clocks.let_go()
        return clocks.values[0]

    assert [steps_alone(bound) for bound in (0, 3, None)] == [1, 4, 50]


def test_the_slowest_one_frees_the_others() -> None:
    clocks = Clocks(3, 1, 0, 9, never)
    for worker in (0, 0, 1):
        clocks.note(worker)
        clocks.let_go()
    assert clocks.values == [2, 1, 0] and clocks.running == [1, 2]
    clocks.note(2)
    assert clocks.let_go() == [0, 2]


def test_a_gradient_out_of_turn_is_refused() -> None:
    clocks = Clocks(2, 0, 0, 9, never)
    clocks.note(0)
    with pytest.raises(StalenessError, match="worker 0 sent a gradient of a step that it was not allowed to begin"):
        clocks.note(0)


def test_a_lag_beyond_the_bound_is_an_error() -> None:
    assert [check_lag([5, 3, 4], worker, 2) for worker in range(3)] == [2, 0, 1]
    assert check_lag([500, 3], 0, None) == 497
    with pytest.raises(StalenessError, match="worker 0 is 2 steps ahead of the slowest one, but at most 1 are allowed"):
        check_lag([5, 3, 4], 0, 1)


def test_the_job_says_the_bound() -> None:
    def bound(**options: object) -> int | None:
        return bound_of(TrainingSpec.model_validate({"strategy": "parameter_server"} | options))

    assert bound() == 0
    assert bound(consistency="async") is None
    assert bound(consistency="ssp", staleness=3) == 3

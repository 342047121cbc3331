"""The times of a run's sums, on ranks that are threads."""

from typing import Any

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.search.record import MeasuredSum
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.train.search.sum_times import SumTimes
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.sums.reducer import Reducer

RANKS, WARM_STEPS, STEPS = 3, 2, 7
SPEC = StrategySearchSpec()
SIZES = [4096, 1024]


class Communicator(VirtualCommunicator):
    """Ranks on two cores."""

    cores = 2


class Trained:
    """A trained job that hands its steps to its observer."""

    def __init__(self) -> None:
        self.observer: Any = lambda sums: None

    def observe_sums(self, observer: Any) -> None:
        self.observer = observer


def step(rank: int, number: int, algorithms: list[str]) -> Sums:
    """All sums of a step wait for another rank, which takes 100 us for the large one, and 30 us for the small one."""
    waiting_us = 5_000.0 * (rank != number % RANKS)
    slow = 9.0 if number < WARM_STEPS else 1.0
    ends = [100.0 * slow + waiting_us, 200.0 * slow + 2 * waiting_us + 30.0]
    starts = [0.0, 200.0 * slow + waiting_us]
    return Sums(0.0, 0.0, 0, SIZES, starts, starts, ends, algorithms=algorithms)


def measured(algorithms: list[str], **training: Any) -> list[list[MeasuredSum]]:
    def program(comm: Communicator) -> list[MeasuredSum]:
        times, trained = SumTimes(comm), Trained()  # type: ignore[arg-type]
        times.begin(SPEC.training(strategy="mirrored", **training))
        times.follow(trained)  # type: ignore[arg-type]
        for number in range(STEPS):
            trained.observer(step(comm.rank, number, algorithms))
        return times.end(WARM_STEPS)

    return on_ranks(RANKS, program, Communicator)


def test_each_size_has_the_median_time_of_the_rank_that_came_last_and_all_ranks_agree() -> None:
    every = measured(["ring", "mpi"])
    assert all(found == every[0] for found in every)
    small, large = every[0]
    assert (small.algorithm, small.transport, small.size_bytes, small.cores) == ("mpi", "mpi", 1024, 2)
    assert (large.algorithm, large.transport, large.size_bytes) == ("ring", "shared_memory", 4096)
    assert (small.time_us, large.time_us) == (pytest.approx(30.0), pytest.approx(100.0))


def test_what_does_not_overlap_or_is_compressed_or_not_summed_by_a_plan_is_not_measured() -> None:
    assert measured(["ring", "ring"], overlap=False) == [[]] * RANKS
    assert measured(["ring", "ring"], compression="fp16") == [[]] * RANKS
    assert measured([]) == [[]] * RANKS


def test_a_reducer_tells_by_which_algorithms_its_plans_summed() -> None:
    def program(comm: VirtualCommunicator) -> list[Sums]:
        module = torch.nn.Linear(16, 4)
        reducer = Reducer(comm, module, "direct", overlap=False)  # type: ignore[arg-type]
        found = []
        for is_own in (False, True):
            if is_own:
                reducer.sum_by(lambda number, bucket: 0)
            reducer.begin()
            with reducer.part(is_last=True):
                module(torch.ones(2, 16)).sum().backward()
            found.append(reducer.finish())
        reducer.close()
        return found

    for planned, own in on_ranks(2, program, VirtualCommunicator):
        assert (planned.algorithms, own.algorithms) == (["direct"], [])

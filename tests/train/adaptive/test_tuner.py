"""The algorithms of buckets on ranks that are threads: all ranks change before the same step, and sums stay right."""

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.train.adaptive.tuner import Tuner
from ringscope.train.sums.reducer import Reducer

RANKS = 3
TIMES_US = {"ring": 100.0, "hierarchical": 150.0, "tree": 170.0}


class Communicator(VirtualCommunicator):
    """Names what it may choose from; remembers what it planned and summed."""

    def __init__(self, rank, slots, barrier):
        super().__init__(rank, slots, barrier)
        self.planned, self.freed, self.summed, self.exchanges = [], [], [], 0

    def contenders(self, collective, dtype, size_bytes, in_place):
        assert (collective, dtype, in_place) == ("all_reduce", "float32", True)
        return list(TIMES_US)

    def plan(self, algorithm, op, send, recv):
        self.planned.append(algorithm)
        plan = super().plan(algorithm, op, send, recv)
        run = plan.run

        def noted():
            self.summed.append(algorithm)
            run()

        plan.run, plan.free = noted, lambda: self.freed.append(algorithm)
        return plan

    def maximum(self, values):
        self.exchanges += 1
        return super().maximum(values)


def model():
    torch.manual_seed(0)
    return torch.nn.Linear(256, 4)


def tuner_of(comm, sizes=(4112,)):
    return Tuner(comm, sizes, "float32")


def late(rank, step):
    """Return a rank's wait for the others, apart from the time of the sum itself; one rank comes last in each step."""
    return 5_000.0 * (rank != step % RANKS)


def followed(comm, times_us, steps, tuner=None):
    """Make steps whose sums take these times; return what was used in each, and what changed."""
    tuner = tuner or tuner_of(comm)
    used, changes = [], []
    for step in range(steps):
        [name] = tuner.algorithms.values()
        used.append(name)
        changes += [(step, found) for found in tuner.note([times_us[name] + late(comm.rank, step)])]
    return tuner, used, changes


def test_all_ranks_change_before_the_same_step_and_waiting_counts_for_no_algorithm():
    def program(comm):
        tuner, used, changes = followed(comm, TIMES_US, 60)
        slow = {"ring": 500.0, "hierarchical": 250.0, "tree": 900.0}
        _, used_slow, changes_slow = followed(comm, slow, 50, tuner)
        return used, changes, used_slow, changes_slow, comm.exchanges

    every = on_ranks(RANKS, program, Communicator)
    assert all(told == every[0] for told in every)
    used, changes, used_slow, changes_slow, exchanges = every[0]
    assert used[-1] == "ring" and changes == []
    [(_, found)] = changes_slow
    assert (found.change.before, found.change.after, used_slow[-1]) == ("ring", "hierarchical", "hierarchical")
    assert found.because.startswith("1 bucket of 4.02 KiB: Sums became 5 times slower")
    assert exchanges < 40  # of 110 steps


def test_the_sums_are_right_whatever_is_tried_and_only_what_is_needed_stays_planned():
    def program(comm):
        module = model()
        reducer = Reducer(comm, module, "ring", bucket_bytes=1024, overlap=comm.rank != 1)
        reducer.adapt()
        for step in range(40):
            reducer.begin()
            with reducer.part(is_last=True):
                module(torch.full((1, 256), float(comm.rank + step))).sum().backward()
            sums = reducer.finish()
            expected = float(sum(rank + step for rank in range(RANKS)))
            assert torch.equal(module.weight.grad, torch.full((4, 256), expected))
            assert sums.summed_by is not None and sums.summed_by[0] in TIMES_US
        kept = len(comm.planned) - len(comm.freed)
        reducer.close()
        return comm.planned, set(comm.summed), kept, len(comm.planned) - len(comm.freed)

    every = on_ranks(RANKS, program, Communicator)
    assert all(told == every[0] for told in every)
    planned, summed, kept, left = every[0]
    assert summed == set(TIMES_US)
    assert left == 0 and kept <= len(set(planned)) * 2


def test_small_buckets_keep_their_first_algorithm():
    def program(comm):
        return tuner_of(comm, (16, 4096)).algorithms

    assert on_ranks(1, program, Communicator) == [{1: "ring"}]


def test_a_single_candidate_is_never_exchanged():
    class Alone(Communicator):
        def contenders(self, collective, dtype, size_bytes, in_place):
            return ["nccl"]

    def program(comm):
        tuner = tuner_of(comm)
        return tuner.algorithms, tuner.note([1.0]), comm.exchanges

    assert on_ranks(2, program, Alone) == [({}, [], 0)] * 2


@pytest.mark.parametrize("duration", [0.0, -3.0])
def test_a_clock_that_stands_still_stops_no_job(duration):
    def program(comm):
        tuner = tuner_of(comm)
        for _ in range(40):
            tuner.note([duration])
        return tuner.algorithms[0]

    names = on_ranks(2, program, Communicator)
    assert names[0] == names[1] and names[0] in TIMES_US

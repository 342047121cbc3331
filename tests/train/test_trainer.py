"""The trainer's steps on ranks that are threads: what each of them tells of its parts."""

import time
from types import SimpleNamespace

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.positions import INPUT_NS
from ringscope.train.checkpoints import NoCheckpoints
from ringscope.train.data import Dataset, Split
from ringscope.train.replica import Result
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.trainer import Trainer

LOAD_SECONDS, COMPUTE_SECONDS = 0.004, 0.006


class SlowSplit(Split):
    """Samples that take a while to fetch."""

    def batch(self, indices):
        time.sleep(LOAD_SECONDS)
        return super().batch(indices)


class Learner:
    """Takes each part of a batch, and computes for a while."""

    module = torch.nn.Embedding(2, 2)

    def step(self, parts, count, global_samples):
        for _ in parts:
            time.sleep(COMPUTE_SECONDS / count)
        return Result(1.0, Sums(backward_us=0.0, exposed_us=500.0, size_bytes=8))


class SlowCheckpoints(NoCheckpoints):
    """Rank 0 takes a while to write a checkpoint; ``ends_ns`` are the times at which each rank had done so."""

    def __init__(self, rank):
        self._rank, self.ends_ns = rank, []

    def save(self, progress):
        if self._rank == 0:
            time.sleep(LOAD_SECONDS)
        self.ends_ns.append(time.time_ns())
        return 0.0


def trained(faults, ranks=2, checkpoints=None, **options):
    """Return the step records of each rank, and its position, after ten steps."""

    def program(comm):
        spec = TrainingSpec.model_validate({"global_batch_size": 16, "max_steps": 10, "epochs": 5} | options)
        numbers = torch.zeros(64, dtype=torch.int64)
        dataset = Dataset("made", SlowSplit(numbers, numbers), Split(numbers[:4], numbers[:4]), 2, ())
        sums, told = SimpleNamespace(algorithm="ring", transport="virtual", size_bytes=8, close=lambda: None), []
        fault = faults.get(comm.rank, "")
        saved = (checkpoints or [NoCheckpoints()] * ranks)[comm.rank]
        Trainer(comm, spec, dataset, Learner(), sums, saved, told.append, fault).run()
        return [record for record in told if isinstance(record, Steps)], comm.position

    return on_ranks(ranks, program, VirtualCommunicator)


@pytest.mark.parametrize("parts", [1, 2])
def test_waiting_for_samples_is_told_apart_from_computing(parts):
    for steps, position in trained({}, accumulation_steps=parts):
        waited_us = [time_us for record in steps for time_us in record.input_us]
        assert len(waited_us) == 10 and min(waited_us) >= parts * LOAD_SECONDS * 1e6
        for record in steps:
            parts_us = zip(record.duration_us, record.compute_us, record.exposed_us, record.input_us, strict=True)
            assert all(whole == pytest.approx(sum(rest)) for whole, *rest in parts_us)
        assert position[INPUT_NS] == pytest.approx(sum(waited_us) * 1e3, rel=1e-3)


def test_one_rank_waits_for_no_sums():
    ((steps, _),) = trained({}, ranks=1)
    assert {us for record in steps for us in (*record.exposed_us, *record.communication_us)} == {0.0}
    for record in steps:
        parts_us = zip(record.duration_us, record.compute_us, record.input_us, strict=True)
        assert all(whole == pytest.approx(sum(rest)) for whole, *rest in parts_us)


def test_a_slow_loader_on_one_rank_is_seen_in_its_samples_and_not_in_its_computing():
    (well, _), (slow, _) = trained({1: "slow_input"})
    waited_us, computed_us = (
        [sorted(time_us for record in steps for time_us in getattr(record, name)) for steps in (well, slow)]
        for name in ("input_us", "compute_us")
    )
    assert waited_us[1][1] >= 0.9e6 * (LOAD_SECONDS + COMPUTE_SECONDS)  # but in the first step
    assert computed_us[1][0] == pytest.approx(computed_us[0][0], rel=0.5)


@pytest.mark.parametrize("every", [None, 2])
def test_no_step_waits_for_a_rank_that_writes_a_checkpoint(every):
    checkpoints = [SlowCheckpoints(rank) for rank in range(2)]
    per_epoch = 4
    saved_after = range(every or per_epoch, 11, every or per_epoch)
    for steps, _ in trained({}, checkpoints=checkpoints, checkpoint_every_steps=every):
        starts_ns = [time_ns for record in steps for time_ns in record.start_ns]
        assert len(starts_ns) == 10
        for place, step in enumerate(saved_after):
            if step < len(starts_ns):
                assert starts_ns[step] >= checkpoints[0].ends_ns[place]

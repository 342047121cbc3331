"""An elastic job continues from shared memory with fewer ranks, and neither samples nor losses differ."""

import threading
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import Epoch
from ringscope.train import data, memory, models
from ringscope.train.checkpoint import steps
from ringscope.train.inputs import Inputs
from ringscope.train.optimizer import build_optimizer
from ringscope.train.sums.reducer import Reducer
from ringscope.train.trainer import Trainer

SPEC = TrainingSpec.model_validate(
    {
        "model_arguments": {"hidden": 8, "layers": 2},
        "dataset": {"name": "synthetic", "samples": 250},
        "global_batch_size": 20,  # 4 ranks have 5 each, 3 ranks 7, 7 and 6
        "epochs": 3,
        "all_reduce": "ring",
        "overlap": False,
        "optimizer": "adam",
        "learning_rate": 0.01,
    }
)
PER_EPOCH = 10
_SEED = threading.Lock()  # the generator is one for all threads


class KilledError(Exception):
    """The signal that ends a rank."""


class Rank(VirtualCommunicator):
    nodes = ((0, 1, 2, 3),)

    def barrier(self):
        self._barrier.wait()


class Job:
    """The folders of a job, what its ranks told, and the samples of each of its steps, by rank."""

    def __init__(self, tmp_path):
        self.checkpoints, self.memory = tmp_path / "checkpoints", tmp_path / "memory"
        self.memory.mkdir(parents=True)
        self.epochs, self.samples, self.first_steps = {}, {}, []

    def attempt(self, ranks, kill_at=None, has_memory=True):
        """Train until the last rank is killed before the step ``kill_at``, or to the end."""
        samples = {}
        program = partial(self._rank, kill_at=kill_at, has_memory=has_memory, samples=samples)
        if kill_at is None:
            on_ranks(ranks, program, Rank)
        else:
            with pytest.raises(KilledError):
                on_ranks(ranks, program, Rank)
        self.samples |= samples  # of a step that was made twice the later one counts

    def _rank(self, comm, kill_at, has_memory, samples):
        trainer = self._trainer(comm, has_memory)
        if comm.rank == 0:
            self.first_steps.append(trainer.progress.step)
        step, mine = trainer._step, trainer._samples.mine

        def noted(epoch, index):
            found = mine(epoch, index)
            samples.setdefault((epoch, index), {})[comm.rank] = found.tolist()
            return found

        def stepped():
            if trainer.progress.step == kill_at and comm.rank == comm.size - 1:
                raise KilledError
            step()

        trainer._step, trainer._samples.mine = stepped, noted
        trainer.run()

    def _trainer(self, comm, has_memory) -> Trainer:
        dataset = data.load(SPEC)
        with _SEED:
            torch.manual_seed(SPEC.seed)
            module = models.build(SPEC, dataset)
        folder = self.memory if has_memory else None
        inputs = Inputs(comm, SPEC, dataset, module, torch.device("cpu"), self._tell, self.checkpoints, memory=folder)
        sums = Reducer(comm, module, SPEC.all_reduce, SPEC.bucket_bytes, SPEC.overlap)
        optimizer = build_optimizer(SPEC, module)
        replica = inputs.replica(sums, optimizer)
        return inputs.trainer(replica, sums, inputs.checkpoints(replica, optimizer))

    def _tell(self, record):
        if isinstance(record, Epoch):
            self.epochs[record.epoch] = record


@pytest.fixture(autouse=True)
def every_step(monkeypatch):
    monkeypatch.setattr(memory, "SHARE", 1e9)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    job = Job(tmp_path_factory.mktemp("undisturbed"))
    job.attempt(4, has_memory=False)
    return job


def assert_alike(job, undisturbed):
    """Assert that every global batch was trained with once, and that the numbers are equal up to rounding."""

    def batches(of):
        return {step: [sample for _, mine in sorted(parts.items()) for sample in mine] for step, parts in of.items()}

    assert batches(job.samples) == batches(undisturbed.samples)
    for number, wanted in undisturbed.epochs.items():
        found = job.epochs[number]
        assert (found.step, found.samples) == (wanted.step, wanted.samples)
        numbers = (found.training_loss, found.validation_loss), (wanted.training_loss, wanted.validation_loss)
        np.testing.assert_allclose(*numbers, rtol=1e-4)


def test_after_a_kill_three_ranks_continue_at_the_last_step_of_four(tmp_path, undisturbed):
    job = Job(tmp_path)
    job.attempt(4, kill_at=15)
    assert (steps(job.memory), steps(job.checkpoints)) == ([15], [10]), "the checkpoint is of the epoch's end"
    job.attempt(3)
    assert job.first_steps == [0, 15]
    assert_alike(job, undisturbed)
    assert steps(job.memory) == [], "the last checkpoint is newer"


def test_many_kills_lose_no_sample(tmp_path, undisturbed):
    job = Job(tmp_path)
    for number, kill_at in enumerate((1, 3, 4, 9, 10, 11, 19, 20, 23, 28)):
        job.attempt(4 - number % 3, kill_at=kill_at)
    job.attempt(4)
    assert job.first_steps == [0, 1, 3, 4, 9, 10, 11, 19, 20, 23, 28]
    assert_alike(job, undisturbed)


def test_a_torn_state_is_never_used(tmp_path, undisturbed, capsys):
    job = Job(tmp_path)
    job.attempt(4, kill_at=15)
    (newest,) = job.memory.iterdir()
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    newest.with_name("step-0000000016.pt.unfinished").write_bytes(content)
    job.attempt(3)
    assert job.first_steps == [0, 10] and "does not match its checksum" in capsys.readouterr().err
    assert_alike(job, undisturbed)


def test_a_state_that_is_older_than_the_checkpoint_is_not_used(tmp_path, undisturbed):
    job = Job(tmp_path)
    job.attempt(4, kill_at=5)
    (stale,) = job.memory.iterdir()
    old = stale.read_bytes()
    job.attempt(3, kill_at=12)
    (job.memory / "step-0000000012.pt").unlink()
    stale.write_bytes(old)
    job.attempt(3)
    assert job.first_steps == [0, 5, 10]
    assert_alike(job, undisturbed)


def test_without_room_in_memory_the_job_continues_from_its_checkpoint(tmp_path, undisturbed, capsys):
    job = Job(tmp_path)
    job.memory.rmdir()
    job.memory.write_text("no folder can be made here")
    job.attempt(4, kill_at=15)
    assert capsys.readouterr().err.count("cannot write checkpoint") == 1, "it does not try again at every step"
    job.attempt(3)
    assert job.first_steps == [0, 10]
    assert_alike(job, undisturbed)


def test_writing_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    comm = SimpleNamespace(local_rank=0, maximum=lambda values: values)
    kept, written, now = memory.Memory(comm, tmp_path, 0), [], 0.0
    monkeypatch.setattr(memory, "SHARE", 1 / 64)
    monkeypatch.setattr(memory.time, "perf_counter", lambda: now)
    for step in range(1, 1001):
        now += 1 / 64
        if kept.is_due(step):
            start, now = now, now + 1 / 32
            kept.plan(step, start)
            written.append(step)
    assert written[:4] == [1, 2, 130, 258]

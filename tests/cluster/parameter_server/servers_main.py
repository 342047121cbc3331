"""Run by test_parameter_server.py on four ranks: the first worker prints what came of each way to train."""

import json
import sys
import time
import traceback
from typing import Any

import torch
from mpi4py import MPI

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.point_to_point import PointToPoint
from ringscope.engine.transports.mpi import abort
from ringscope.train.batch_weights import equal
from ringscope.train.data import load
from ringscope.train.evaluation import evaluate
from ringscope.train.models import build, loss_sum
from ringscope.train.optimizer import state_names
from ringscope.train.parameter_server.clocks import Clocks, bound_of
from ringscope.train.parameter_server.server import Server, Shard
from ringscope.train.parameter_server.shards import FlatModel, shards
from ringscope.train.parameter_server.worker import Worker
from ringscope.train.sampler import Sampler

RANKS, STEPS, HALF = 4, 50, 27
SMALL = {
    "model_arguments": {"hidden": 16, "layers": 2},
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 36,
    "max_steps": STEPS,
    "learning_rate": 0.02,
}
ADAM = {"optimizer": "adam", "learning_rate": 1e-4}
SSP = {"consistency": "ssp", "staleness": 2}
SYNC: dict[str, dict[str, Any]] = {
    "one server": SMALL | {"servers": 1},
    "two servers": SMALL | {"servers": 2},
    "three servers": SMALL | {"servers": 3},
    "plain sgd": SMALL | {"servers": 2, "momentum": 0.0},
    "adam": SMALL | {"servers": 2} | ADAM,
    "adamw": SMALL | {"servers": 1, "weight_decay": 0.1} | ADAM | {"optimizer": "adamw"},
}
OTHERS: dict[str, dict[str, Any]] = {"ssp": {"servers": 2} | SSP, "async": {"consistency": "async"}}
SLOW: dict[str, dict[str, Any]] = {  # too few steps for an epoch to end, where all meet
    "ssp, one slow": SSP | {"max_steps": 18},
    "async, one slow": {"consistency": "async", "max_steps": 18},
}
SLOW_SECONDS = 0.03


class Job:
    """The state of a job that every rank has: its spec, data, model and sampler."""

    def __init__(self, options: dict[str, Any], workers: int | None = None) -> None:
        self.spec = TrainingSpec.model_validate({"strategy": "parameter_server"} | options)
        self.workers = RANKS - self.spec.servers if workers is None else workers
        self.dataset = load(self.spec)
        self.model = build(self.spec, self.dataset)
        self.names = state_names(self.spec)
        self.sampler = Sampler(len(self.dataset.training), self.spec.global_batch_size, self.spec.seed)
        self.last = self.spec.max_steps or self.spec.epochs * self.sampler.steps_per_epoch
        self.counts = equal(self.spec.global_batch_size, self.workers)

    def meets(self, clock: int) -> bool:
        return clock % self.sampler.steps_per_epoch == 0

    def optimizer(self, module: torch.nn.Module) -> torch.optim.Optimizer:
        options = {"lr": self.spec.learning_rate, "weight_decay": self.spec.weight_decay}
        if self.spec.optimizer == "sgd":
            return torch.optim.SGD(module.parameters(), momentum=self.spec.momentum, **options)
        kind = torch.optim.Adam if self.spec.optimizer == "adam" else torch.optim.AdamW
        return kind(module.parameters(), **options)

    def backward(self, step: int, rank: int) -> None:
        batch = self.sampler.batch(*divmod(step, self.sampler.steps_per_epoch))
        inputs, targets = self.dataset.training.batch(torch.from_numpy(self.sampler.part(batch, self.counts, rank)))
        (loss_sum(self.model(inputs), targets) / self.spec.global_batch_size).backward()


def serve(comm: MPI.Intracomm, post: PointToPoint, job: Job, begin: int, end: int) -> None:
    elements = sum(parameter.numel() for parameter in job.model.parameters())
    mine = shards(elements, job.spec.servers)[comm.rank - job.workers]
    shard = Shard(mine.stop - mine.start, job.names)
    clocks = Clocks(job.workers, bound_of(job.spec), begin, end, job.meets)
    is_end, together = end.__eq__, job.spec.consistency == "sync"
    Server(post, job.workers, shard, job.optimizer(shard), clocks, together, is_end).run()


def work(
    comm: MPI.Intracomm, post: PointToPoint, job: Job, flat: FlatModel, begin: int, end: int, steps: int, pause: float
):
    worker = Worker(post, range(job.workers, RANKS), flat, begin, bound_of(job.spec), end.__eq__)
    if comm.rank == 0:
        worker.give_start(steps)
    lags = []
    for step in range(begin, end):
        flat.gradients.zero_()
        job.backward(step, comm.rank)
        time.sleep(pause if comm.rank == job.workers - 1 else 0)
        lags.append(worker.exchange())
    return lags, worker.optimizer_steps


def train(comm: MPI.Intracomm, post: PointToPoint, options: dict[str, Any], cuts: list[int], pause: float = 0):
    """Train from each of ``cuts`` to the next, with new servers each time.

    Return the job, the model, the lags and the optimizer's number of steps.
    """
    job = Job(options)
    flat, lags, steps = FlatModel(job.model, job.names), [], 0
    for begin, end in zip(cuts, [*cuts[1:], job.last], strict=True):
        if comm.rank >= job.workers:
            serve(comm, post, job, begin, end)
        else:
            found, steps = work(comm, post, job, flat, begin, end, steps, pause)
            lags += found
    return job, flat, lags, steps


def distance(job: Job, flat: FlatModel, options: dict[str, Any]) -> dict[str, float]:
    """Return how far parameters and optimizer state are from those that one process trains on the same batches."""
    alone = Job(options, workers=1)
    optimizer = alone.optimizer(alone.model)
    for step in range(alone.last):
        optimizer.zero_grad()
        alone.backward(step, 0)
        optimizer.step()
    parameters = list(alone.model.parameters())
    rows = [parameters, *([optimizer.state[p][name] for p in parameters] for name in job.names)]
    wanted = torch.stack([torch.nn.utils.parameters_to_vector(row) for row in rows])
    first = torch.nn.utils.parameters_to_vector(Job(options).model.parameters())
    far = (wanted.detach() - flat.rows).abs().amax(dim=1).tolist()
    moved = float((first.detach() - flat.rows[0]).abs().max())
    return {"parameters": far[0], "state": max(far[1:], default=0.0), "moved": moved}


def say(comm: MPI.Intracomm, name: str, **what: Any) -> None:
    if comm.rank == 0:
        sys.stdout.write(json.dumps({"name": name, **what}) + "\n")
        sys.stdout.flush()


def main() -> None:
    torch.set_num_threads(1)
    comm = MPI.COMM_WORLD
    post = PointToPoint(comm, 60.0)
    for name, options in SYNC.items():
        job, flat, lags, steps = train(comm, post, options, [0, HALF])
        if comm.rank == 0:
            say(comm, name, lag=max(lags), steps=steps, **distance(job, flat, options))
    for name, options in OTHERS.items():
        job, flat, lags, steps = train(comm, post, options, [0])
        every = comm.gather((flat.rows[0].tolist() if comm.rank < job.workers else None, max(lags, default=0)))
        if comm.rank == 0:
            accuracy = evaluate(job.model, job.dataset.validation, 0, 1, lambda sums: None).accuracy
            are_equal = all(parameters == every[0][0] for parameters, _ in every[: job.workers])
            lag = max(lag for _, lag in every)
            say(comm, name, accuracy=accuracy, are_equal=are_equal, lag=lag, pushes=steps, steps=job.last * job.workers)
    for name, options in SLOW.items():
        _, _, lags, _ = train(comm, post, options, [0], SLOW_SECONDS)
        every_lag = comm.gather(max(lags, default=0))
        if every_lag:
            say(comm, name, lags=every_lag)
    post.free()


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc()
        abort(1)

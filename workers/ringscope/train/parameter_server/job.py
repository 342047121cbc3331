"""A rank of a job with parameter servers: the first ranks are workers, the last ones servers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.words.units import format_size
from ringscope.engine.errors import DifferenceError
from ringscope.train import models
from ringscope.train.checkpoints import Checkpoints
from ringscope.train.course import Course, course_of
from ringscope.train.data import Dataset
from ringscope.train.optimizer import build_optimizer, state_names
from ringscope.train.parameter_server.clocks import Clocks, bound_of
from ringscope.train.parameter_server.pulls import Pulls, ServersOptimizer
from ringscope.train.parameter_server.server import Server, Shard
from ringscope.train.parameter_server.shards import FlatModel, shards
from ringscope.train.parameter_server.worker import Worker
from ringscope.train.replica import Replica
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator
    from ringscope.engine.point_to_point import PointToPoint

_WORKER, _SERVER = 0, 1  # colors of the groups


class ServerRank:
    """Holds a part of the parameters until the workers are done; all ranks create and close it together."""

    def __init__(self, comm: Communicator, spec: TrainingSpec) -> None:
        self._group, self._post = comm.split(_SERVER), comm.post()
        course, elements = _agreed(comm, None, 0)
        workers, names = comm.size - spec.servers, state_names(spec)
        mine = shards(elements, spec.servers)[comm.rank - workers]
        shard = Shard(mine.stop - mine.start, names)
        optimizer = build_optimizer(spec, shard)
        clocks = Clocks(workers, bound_of(spec), course.clock, course.last, course.meets)
        together = spec.consistency == "sync"
        self._server = Server(self._post, workers, shard, optimizer, clocks, together, course.meets)

    def run(self) -> None:
        """Serve the workers."""
        self._server.run()

    def close(self) -> None:
        """Disconnect from the other ranks."""
        _close(self._group, self._post)


class WorkerRank:
    """Trains as one of the workers; all ranks create and close it together."""

    def __init__(
        self,
        comm: Communicator,
        spec: TrainingSpec,
        load: Callable[[Communicator], Dataset],
        build: Callable[[TrainingSpec, Dataset], torch.nn.Module],
        emit: Callable[[Record], None],
        folder: Path | None,
        earlier: Path | None,
        fault: str = "",
    ) -> None:
        self._group, self._post = comm.split(_WORKER), comm.post()
        dataset, names = load(self._group), state_names(spec)
        model = FlatModel(build(spec, dataset), names)
        optimizer = ServersOptimizer(build_optimizer(spec, model.module), model, names)
        pulls = Pulls(model)
        loss_sum = models.loss_of(model.module)
        replica = Replica(spec, model.module, pulls, optimizer, loss_sum, torch.device("cpu"), fault)
        checkpoints = Checkpoints(self._group, replica, optimizer, None, folder, earlier)
        self._trainer = Trainer(self._group, spec, dataset, replica, pulls, checkpoints, emit, fault)
        course = course_of(spec, self._trainer.progress, self._trainer.steps_per_epoch)
        _agreed(comm, course, model.gradients.numel())
        servers = range(self._group.size, comm.size)
        self._worker = Worker(self._post, servers, model, course.clock, bound_of(spec), course.meets)
        if comm.rank == 0:
            self._worker.give_start(optimizer.steps())
            sys.stdout.write(summary(spec, self._group.size, pulls.size_bytes) + "\n")
            sys.stdout.flush()
        optimizer.steps = lambda: self._worker.optimizer_steps
        pulls.start(self._worker)

    @property
    def module(self) -> torch.nn.Module:
        """Return this worker's model."""
        return self._trainer.module

    def run(self) -> None:
        """Train to the end; DifferenceError if workers are not equal after an epoch, which also ends the servers."""
        try:
            self._trainer.run()
        except DifferenceError:
            if self._group.rank == 0:
                self._worker.stop()
            raise

    def close(self) -> None:
        """Disconnect from the other ranks."""
        self._trainer.close()
        _close(self._group, self._post)


def summary(spec: TrainingSpec, workers: int, size_bytes: int) -> str:
    """Describe the data that a step sends, in a line for the log."""
    bound = "" if spec.staleness is None else f" with a bound of {spec.staleness} steps"
    return (
        f"parameter_server: {workers} workers push and pull {format_size(size_bytes)} a step, "
        f"num_servers = {spec.servers}, consistency = {spec.consistency}{bound}"
    )


def _agreed(comm: Communicator, course: Course | None, elements: int) -> tuple[Course, int]:
    """Return the workers' schedule and the number of all parameters on all ranks (collective)."""
    fields = [] if course is None else [getattr(course, name) for name in Course.__dataclass_fields__]
    values = np.array([*(fields or [0] * len(Course.__dataclass_fields__)), elements], np.int64)
    *found, elements = comm.maximum(values).tolist()
    return Course(*found), elements


def _close(group: Communicator, post: PointToPoint) -> None:
    post.free()
    group.free()

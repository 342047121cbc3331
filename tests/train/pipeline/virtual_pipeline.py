"""Ranks of a pipeline as threads of one process: groups of ranks, and messages between two of them."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.train import data, models
from ringscope.train.inputs import Inputs
from ringscope.train.pipeline.job import pipeline_trainer
from ringscope.train.trainer import Trainer

SECONDS = 60
_SEED = threading.Lock()


class Boxes:
    """A box for the messages of each (source, destination, tag).

    Two threads that ask for a new box get the same one; of ``defaultdict(Queue)`` each may get its own, and the message
    in one of them is lost.
    """

    def __init__(self) -> None:
        self._boxes: dict[tuple[int, int, int], queue.Queue[Any]] = {}

    def __getitem__(self, key: tuple[int, int, int]) -> queue.Queue[Any]:
        return self._boxes.setdefault(key, queue.Queue())


class Messages:
    """The messages of a group, as in ``engine.point_to_point``."""

    def __init__(self, boxes: Boxes, rank: int) -> None:
        self._boxes, self._rank = boxes, rank
        self._awaited: list[tuple[Any, int, int]] = []

    def send(self, array: Any, rank: int, tag: int) -> None:
        self._boxes[self._rank, rank, tag].put(array.copy())

    def receive(self, array: Any, rank: int, tag: int) -> None:
        self._awaited.append((array, rank, tag))

    def wait(self, step: int) -> None:
        for array, rank, tag in self._awaited:
            array[...] = self._boxes[rank, self._rank, tag].get(timeout=SECONDS)
        self._awaited.clear()

    def are_done(self) -> bool:
        return not self._awaited


class PipelineCommunicator(VirtualCommunicator):
    """A communicator with groups, and with messages between two ranks."""

    local_size, cores = 1, None

    def split(self, color: int) -> PipelineCommunicator:
        colors = [int(each[0]) for each in self._exchanged(np.array([color]))]
        members = [rank for rank, other in enumerate(colors) if other == color]
        made = [None] * len(members), threading.Barrier(len(members), timeout=SECONDS)
        slots, barrier = self._from_first(made, members[0])
        return PipelineCommunicator(members.index(self.rank), slots, barrier)

    def post(self) -> Any:
        boxes = self._from_first(Boxes(), 0)
        nothing = lambda: None  # noqa: E731
        return SimpleNamespace(messages=lambda: Messages(boxes, self.rank), advance=nothing, free=nothing)

    def free(self) -> None:
        pass

    def _from_first(self, made: Any, first: int) -> Any:
        """The object that rank ``first`` made."""
        self._slots[self.rank] = made
        self._barrier.wait()
        found = self._slots[first]
        self._barrier.wait()
        return found


BASE: dict[str, Any] = {
    "strategy": "pipeline",
    "all_reduce": "ring",
    "dataset": {"name": "synthetic", "samples": 160},
    "global_batch_size": 24,
    "max_steps": 5,
    "learning_rate": 0.05,
}


def spec_of(**options: Any) -> TrainingSpec:
    """A small pipeline, with these options."""
    return TrainingSpec.model_validate(BASE | options)


def assembled(comm: Any, spec: TrainingSpec, emit: Any, folder: Path | None = None) -> Trainer:
    """The trainer of a virtual rank."""
    dataset = data.load(spec)
    with _SEED:  # PyTorch's generator is shared by all threads
        module = models.build(spec, dataset)
    inputs = Inputs(comm, spec, dataset, module, torch.device("cpu"), emit, folder)
    return pipeline_trainer(inputs)


def trained(ranks: int, spec: TrainingSpec, folder: Path | None = None) -> list[tuple[torch.nn.Module, list[Record]]]:
    """The whole model and the records of each rank after the job; each rank is a node of its own."""

    def program(comm: Any) -> tuple[torch.nn.Module, list[Record]]:
        records: list[Record] = []
        comm.local_rank = 0
        own = None if folder is None else folder / str(comm.rank)
        trainer = assembled(comm, spec, records.append, own)
        trainer.run()
        module = trainer.module
        trainer.close()
        return module, records

    return on_ranks(ranks, program, PipelineCommunicator)

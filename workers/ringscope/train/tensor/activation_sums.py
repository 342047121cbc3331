"""The sums of activations over all ranks, for which each rank's computing waits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ringscope.contracts.training.record import Direction
from ringscope.contracts.words.collectives import AUTO
from ringscope.contracts.words.devices import carrier
from ringscope.engine.base import Plan
from ringscope.engine.positions import UNTIMED
from ringscope.train.sums.buckets import tensor_over

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_DTYPE, _ITEM_BYTES = "float32", 4


@dataclass(frozen=True, slots=True)
class ActivationSum:
    """A sum of one step: the layer, the direction of the pass, and the times in us from the step's start."""

    layer: str
    direction: Direction
    size_bytes: int
    start_us: float
    end_us: float


class ActivationSums:
    """Sums in float32 in registered memory; all ranks make the same calls (collective)."""

    def __init__(self, comm: Communicator, algorithm: str, usual_count: int) -> None:
        """``usual_count`` are the elements of the usual sum, which names the algorithm for records."""
        self._comm, self._wanted = comm, algorithm
        self._prepared: dict[int, tuple[torch.Tensor, Plan]] = {}
        self.because = "it is set in the job"
        self.algorithm = self._choose(usual_count)
        self.transport = carrier(self.algorithm, comm.transport.name)
        self.begin()

    def begin(self) -> None:
        """Start a step, from which times count."""
        self.made: list[ActivationSum] = []
        self._start_ns = time.perf_counter_ns()

    def now_us(self) -> float:
        """Return the time since the step's start."""
        return (time.perf_counter_ns() - self._start_ns) / 1e3

    def total(self, values: torch.Tensor, layer: str, direction: Direction) -> torch.Tensor:
        """Return the sum of all ranks' ``values``, equal bit for bit on all ranks, in the type of ``values``."""
        start_us = self.now_us()
        memory, plan = self._plan(values.numel())
        shaped = memory.view(values.shape)
        shaped.copy_(values)
        plan.run()
        summed = shaped.to(values.dtype, copy=True)
        self._comm.position[UNTIMED] += 1
        self.made.append(ActivationSum(layer, direction, values.numel() * _ITEM_BYTES, start_us, self.now_us()))
        return summed

    def free(self) -> None:
        """Release the plans (collective)."""
        for _, plan in self._prepared.values():
            plan.free()
        self._prepared.clear()

    def _plan(self, count: int) -> tuple[torch.Tensor, Plan]:
        """Return the memory and the plan for sums of this size, which is new only in the first steps."""
        if count not in self._prepared:
            size_bytes = count * _ITEM_BYTES
            memory = self._comm.buffer(size_bytes).head(size_bytes).view(_DTYPE)
            plan = self._comm.plan(self._choose(count), "sum", memory, memory)
            self._prepared[count] = tensor_over(memory.local), plan
        return self._prepared[count]

    def _choose(self, count: int) -> str:
        if self._wanted != AUTO:
            return self._wanted
        choice = self._comm.choose("all_reduce", _DTYPE, count * _ITEM_BYTES, in_place=True)
        self.because = choice.because
        return choice.algorithm

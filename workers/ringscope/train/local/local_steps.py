"""Steps of a rank alone, and the average of all ranks' parameters after some of them.

Each rank subtracts its parameters from those of the last average. The weighted sum of these differences over all ranks
is the outer gradient, with which every rank makes the same outer step, so all have equal parameters after it. The
differences take the memory of the gradients, which the rank no longer needs then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ringscope.choice.situation import Choice
from ringscope.contracts.training import TrainingSpec
from ringscope.train.course import Course
from ringscope.train.sums.bucket_sums import BucketSums, SumThread
from ringscope.train.sums.buckets import place_gradients
from ringscope.train.sums.gradient_sum import GradientSumBase, Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_MOST_SIMULATED_STEPS = 100_000


class LocalSteps(GradientSumBase):
    """A GradientSum that leaves each rank its own gradient, and averages parameters after some updates (collective)."""

    is_own = True

    def __init__(self, comm: Communicator, module: torch.nn.Module, spec: TrainingSpec, weight: float) -> None:
        """``weight`` is that of this rank's parameters in an average; those of all ranks add up to 1."""
        self.module, self._weight = module, weight
        self._sync_every, self._momentum = spec.sync_every, spec.outer_momentum
        self._learning_rate = spec.outer_learning_rate
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self._buckets = place_gradients(comm, parameters, spec.bucket_bytes)
        self._sums = BucketSums(comm, spec.all_reduce, self._buckets)
        self._thread = SumThread(comm) if spec.overlap else None
        self.size_bytes = self._sums.size_bytes
        self.algorithm, self.transport = self._sums.algorithm, self._sums.transport
        self._parts = [bucket.parts for bucket in self._buckets]
        for parts in self._parts:
            for parameter, part in parts:
                parameter.grad = part
        self._anchors = [torch.empty_like(bucket.gradient) for bucket in self._buckets]
        self._velocities = [torch.zeros_like(bucket.gradient) for bucket in self._buckets if spec.outer_momentum]
        self._clock, self._since, self._mean_bytes = 0, 0, self.size_bytes
        self._meets: Callable[[int], bool] = lambda clock: False

    @property
    def choices(self) -> list[Choice]:
        """Return how each bucket is summed, and why."""
        return self._sums.choices

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return this rank's own gradient, after ``finish``."""
        return [bucket.gradient for bucket in self._buckets]

    @property
    def alike(self) -> list[torch.Tensor]:
        """Return the last average of the parameters."""
        return self._anchors

    def start(self, course: Course) -> None:
        """Begin at the course's clock, with the module's parameters, which are equal on all ranks."""
        self._clock, self._meets = course.clock, course.meets
        for parts, anchor in zip(self._parts, self._anchors, strict=True):
            torch.cat([parameter.detach().reshape(-1) for parameter, _ in parts], out=anchor)
        self._mean_bytes = round(self.size_bytes * _averages_per_step(course, self._sync_every))

    def begin(self) -> None:
        """Start a step: zero the gradients and start the clock."""
        self._sums.begin()
        self._start_ns = time.perf_counter_ns()
        torch._foreach_zero_(self.gradients)

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Do nothing: PyTorch adds the gradients of several parts itself."""
        return nullcontext()

    def finish(self) -> Sums:
        """Return without waiting: the gradient is this rank's own."""
        return Sums(self._now_us(), 0.0, self._mean_bytes)

    def share_update(self, sums: Sums) -> Sums:
        """Average the parameters if this step is the last one of a round (collective)."""
        self._clock += 1
        self._since += 1
        if self._since < self._sync_every and not self._meets(self._clock):
            return sums
        self._since = 0
        start_us = self._now_us()
        for number, (bucket, anchor) in enumerate(zip(self._buckets, self._anchors, strict=True)):
            values = torch.cat([parameter.detach().reshape(-1) for parameter, _ in self._parts[number]])
            torch.sub(anchor, values, out=bucket.gradient).mul_(self._weight)
            self._sums.complete(number, self._thread)
        found = self._sums.finish(self._thread)
        self._outer_step()
        exposed_us = self._now_us() - start_us
        return replace(found, backward_us=sums.backward_us, exposed_us=exposed_us, size_bytes=self._mean_bytes)

    def state_dict(self) -> dict[str, Any]:
        """Return the outer momentum, which is equal on all ranks."""
        return {"velocities": self._velocities}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the outer momentum of another run with the same buckets; a run without momentum has none."""
        for velocity, value in zip(self._velocities, state["velocities"], strict=False):
            velocity.copy_(value)

    def close(self) -> None:
        """End the thread and free the plans (collective)."""
        if self._thread is not None:
            self._thread.close()
        self._sums.free()

    def _outer_step(self) -> None:
        """Step from the last average along the sum of all differences, as PyTorch's SGD does with Nesterov momentum."""
        steps = self.gradients
        if self._momentum:
            torch._foreach_mul_(self._velocities, self._momentum)
            torch._foreach_add_(self._velocities, steps)
            steps = torch._foreach_add(steps, self._velocities, alpha=self._momentum)
        torch._foreach_add_(self._anchors, steps, alpha=-self._learning_rate)
        with torch.no_grad():
            for parts, anchor in zip(self._parts, self._anchors, strict=True):
                values = anchor.split([parameter.numel() for parameter, _ in parts])
                for (parameter, _), value in zip(parts, values, strict=True):
                    parameter.copy_(value.view_as(parameter))

    def _now_us(self) -> float:
        return (time.perf_counter_ns() - self._start_ns) / 1e3


def _averages_per_step(course: Course, sync_every: int) -> float:
    """Return how many averages the job's steps have, in the mean; a long job is represented by its first steps."""
    end = min(course.last, course.clock + _MOST_SIMULATED_STEPS)
    count = since = 0
    for clock in range(course.clock + 1, end + 1):
        since += 1
        if since == sync_every or course.meets(clock):
            count, since = count + 1, 0
    return count / (end - course.clock) if end > course.clock else 1.0

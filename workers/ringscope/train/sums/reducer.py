"""Reducer of built-in training: it sums the gradients of all ranks bucket by bucket during backward.

Each gradient is in its bucket from the start, so that nothing is copied. A hook counts the gradients that are ready,
and a bucket is summed once its last one is (see ``BucketSums``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from ringscope.choice.situation import Choice
from ringscope.contracts.words.collectives import AUTO
from ringscope.train.adaptive.learned import Learned
from ringscope.train.sums.bucket_sums import BucketSum, BucketSums, Prepare, SumThread
from ringscope.train.sums.buckets import place_gradients
from ringscope.train.sums.gradient_sum import GradientSumBase, Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class Reducer(GradientSumBase):
    """The gradients of ``module`` in buckets, and their sums; all ranks make the same calls (collective)."""

    def __init__(
        self,
        comm: Communicator,
        module: torch.nn.Module,
        algorithm: str = AUTO,
        bucket_bytes: int = 25 << 20,
        overlap: bool = True,
        prepare: Prepare | None = None,
    ) -> None:
        """``prepare`` is as in ``BucketSums``."""
        self.module = module
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self.buckets = place_gradients(comm, parameters, bucket_bytes)
        self._sums = BucketSums(comm, algorithm, self.buckets, prepare)
        self.size_bytes = self._sums.size_bytes
        self.algorithm, self.transport = self._sums.algorithm, self._sums.transport
        self._thread = SumThread(comm) if overlap else None
        for bucket in self.buckets:
            for parameter, part in bucket.parts:
                parameter.grad = part
        self._hooks = [
            parameter.register_post_accumulate_grad_hook(self._counter(number))
            for number, bucket in enumerate(self.buckets)
            for parameter in bucket.parameters
        ]
        self._is_last = False
        Reducer.begin(self)  # not that of a derived class, which is not ready yet

    @property
    def choices(self) -> list[Choice]:
        """Return how each bucket is summed, and why."""
        return self._sums.choices

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return the buckets."""
        return [bucket.gradient for bucket in self.buckets]

    def sum_by(self, bucket_sum: BucketSum) -> None:
        """Replace the engine's plans with ``bucket_sum`` from now on; it runs in the same thread."""
        self._sums.sum_by(bucket_sum)

    def adapt(self, learned: Learned | None = None) -> None:
        """Try the algorithms that ``auto`` may choose, as in ``BucketSums.adapt`` (collective)."""
        self._sums.adapt(learned)

    def begin(self) -> None:
        """Start a step: zero the gradients and start the clock."""
        self._sums.begin()
        for bucket in self.buckets:
            bucket.gradient.zero_()
        self._missing = [len(bucket.parameters) for bucket in self.buckets]

    @contextmanager
    def part(self, is_last: bool) -> Iterator[None]:
        """Accumulate the gradients of one part; in the last part sums start."""
        outside, self._is_last = self._is_last, is_last
        try:
            yield
        finally:
            self._is_last = outside

    def finish(self) -> Sums:
        """Wait for the sums; parameters without a gradient count as zeros. Raises the engine's errors."""
        for number, missing in enumerate(self._missing):
            if missing:
                self._sums.complete(number, self._thread)
        return self._sums.finish(self._thread)

    def close(self) -> None:
        """Remove the hooks from the model, end the thread and free the plans."""
        for hook in self._hooks:
            hook.remove()
        if self._thread is not None:
            self._thread.close()
        self._sums.free()

    def _counter(self, number: int) -> Callable[[torch.nn.Parameter], None]:
        def count_down(parameter: torch.nn.Parameter) -> None:
            if self._is_last:
                self._missing[number] -= 1
                if self._missing[number] == 0:
                    self._sums.complete(number, self._thread)

        return count_down

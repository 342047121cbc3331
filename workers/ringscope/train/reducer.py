"""The reducer: sums the gradients of all ranks by our engine, bucket by bucket, while backward still makes the others.

A hook counts down as gradients come; a bucket whose last one is there is summed in a thread of its own. It is one
thread, which takes the buckets in their order, the same on every rank: while it works nobody else on this rank may call
the engine. The last bucket, and without overlap every one, is summed after backward by whoever waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from ringscope.choice.situation import Choice
from ringscope.contracts.collectives import AUTO
from ringscope.contracts.devices import carrier
from ringscope.engine.errors import EngineError
from ringscope.engine.positions import UNTIMED
from ringscope.engine.waiting.pause import sleep_while
from ringscope.train.buckets import Bucket, place_gradients
from ringscope.train.device import Marker
from ringscope.train.gradient_sum import Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_TWICE = (
    "backward ran twice on gradients whose sum had begun; call the optimizer's zero_grad before every step, and put "
    "every backward but a step's last into its accumulate()."
)
# Replaces a bucket's gradients by their sum over all ranks; the bytes that this rank handed over.
BucketSum = Callable[[int, Bucket], int]


class Reducer:
    """The gradients of ``module`` in buckets, and their sums; all ranks make the same calls (collective)."""

    def __init__(
        self,
        comm: Communicator,
        module: torch.nn.Module,
        algorithm: str = AUTO,
        bucket_bytes: int = 25 << 20,
        overlap: bool = True,
        sums_always: bool = False,
    ) -> None:
        """``sums_always``: every backward is a step's last one, but for those inside of ``part(is_last=False)``."""
        self.module, self._position = module, comm.position
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self.buckets = place_gradients(comm, parameters, bucket_bytes)
        self.size_bytes = sum(bucket.size_bytes for bucket in self.buckets)
        self.choices = [_choice(comm, algorithm, bucket) for bucket in self.buckets]
        largest = max(range(len(self.buckets)), key=lambda number: self.buckets[number].size_bytes)
        self.algorithm = self.choices[largest].algorithm
        self.transport = carrier(self.algorithm, comm.transport.name)
        self._plans = [
            comm.plan(choice.algorithm, "sum", bucket.memory, bucket.memory)
            for choice, bucket in zip(self.choices, self.buckets, strict=True)
        ]
        self._sum: BucketSum = self._run_plan
        self._marker = Marker(comm.gpu)
        self._thread = ThreadPoolExecutor(1, "ringscope-sums", self._enter_thread) if overlap else None
        self._views = {p: p.grad for bucket in self.buckets for p in bucket.parameters}
        self._hooks = [
            parameter.register_post_accumulate_grad_hook(self._counter(number))
            for number, bucket in enumerate(self.buckets)
            for parameter in bucket.parameters
        ]
        self._is_last = sums_always
        self.begin()

    @property
    def gradients(self) -> list[torch.Tensor]:
        """The buckets."""
        return [bucket.gradient for bucket in self.buckets]

    def sum_by(self, bucket_sum: BucketSum) -> None:
        """From now on sum by this instead of the engine's plans; it runs in the same thread."""
        self._sum = bucket_sum

    def begin(self) -> None:
        """A step starts: zero the gradients, from where on times count."""
        self._start_ns = time.perf_counter_ns()
        self._is_awaited = False
        for bucket in self.buckets:
            bucket.gradient.zero_()
            for parameter in bucket.parameters:
                parameter.grad = self._views[parameter]
        self._missing = [len(bucket.parameters) for bucket in self.buckets]
        self._ready: list[Callable[[], None]] = []
        self._ready_us: list[float] = []
        self._pending: list[Future[None]] = []
        self._start_us: list[float] = []
        self._end_us: list[float] = []
        self._size_bytes = 0

    @contextmanager
    def part(self, is_last: bool) -> Iterator[None]:
        """Gradients that come inside are added up; in the last part sums start."""
        outside, self._is_last = self._is_last, is_last
        try:
            yield
        finally:
            self._is_last = outside

    def finish(self) -> Sums:
        """Wait for the sums; what no gradient came for is summed as zeros. Raises what the engine raises."""
        backward_us = self._now_us()
        self._is_awaited = True
        self._missing = [0] * len(self.buckets)
        self._start_ready()
        for future in self._pending:
            future.result()
        for number in range(len(self._pending), len(self.buckets)):
            self._run(number)
        exposed_us = self._now_us() - backward_us
        sizes = [bucket.size_bytes for bucket in self.buckets]
        return Sums(backward_us, exposed_us, self._size_bytes, sizes, self._ready_us, self._start_us, self._end_us)

    def close(self) -> None:
        """Take the hooks off the model, end the thread and free the plans."""
        for hook in self._hooks:
            hook.remove()
        if self._thread is not None:
            self._thread.shutdown()
        for plan in self._plans:
            plan.free()

    def _enter_thread(self) -> None:
        self._marker.enter_thread()
        sleep_while(lambda: not self._is_awaited)  # the core is the backward pass's as long as that runs

    def _counter(self, number: int) -> Callable[[torch.nn.Parameter], None]:
        def count_down(parameter: torch.nn.Parameter) -> None:
            view = self._views[parameter]
            if parameter.grad is not view:  # a script has set it to None
                parameter.grad = view.copy_(parameter.grad)
            if self._is_last:
                self._missing[number] -= 1
                if self._missing[number] < 0:
                    raise EngineError(_TWICE)
                if self._missing[number] == 0:
                    self._start_ready()

        return count_down

    def _start_ready(self) -> None:
        """Buckets that are complete, up to the first one that is not: the order must be every rank's."""
        while (number := len(self._ready)) < len(self.buckets) and self._missing[number] <= 0:
            self._ready.append(self._marker.mark())
            self._ready_us.append(self._now_us())
            # The last one has nothing to overlap with, and need not wait for a thread to wake up.
            if self._thread is not None and number < len(self.buckets) - 1:
                self._pending.append(self._thread.submit(self._run, number))

    def _run(self, number: int) -> None:
        self._ready[number]()
        self._start_us.append(self._now_us())
        self._size_bytes += self._sum(number, self.buckets[number])
        self._end_us.append(self._now_us())

    def _run_plan(self, number: int, bucket: Bucket) -> int:
        self._plans[number].run()
        self._position[UNTIMED] += 1
        return bucket.size_bytes

    def _now_us(self) -> float:
        return (time.perf_counter_ns() - self._start_ns) / 1e3


def _choice(comm: Communicator, algorithm: str, bucket: Bucket) -> Choice:
    if algorithm != AUTO:
        return Choice(algorithm, "the job names it")
    return comm.choose("all_reduce", bucket.memory.local.dtype.name, bucket.size_bytes, in_place=True)

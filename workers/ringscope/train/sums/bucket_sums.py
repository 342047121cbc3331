"""The sums of buckets over all ranks, one after another in the buckets' order, which is the same on every rank.

With a thread a bucket is summed there as soon as it and all previous ones are complete; while the thread works no other
thread of this rank may call the engine. The caller of ``finish`` sums the other buckets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ringscope.choice.situation import Choice
from ringscope.contracts.words.collectives import AUTO
from ringscope.contracts.words.devices import carrier
from ringscope.engine.base import Plan
from ringscope.engine.positions import UNTIMED
from ringscope.engine.waiting.pause import sleep_while
from ringscope.train.adaptive.learned import Learned
from ringscope.train.adaptive.tuner import GroupChange, Tuner
from ringscope.train.device import Marker
from ringscope.train.sums.buckets import Bucket
from ringscope.train.sums.gradient_sum import Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_T = TypeVar("_T")
# Replaces a bucket's gradients with their sum over all ranks; returns the bytes that this rank contributed.
BucketSum = Callable[[int, Bucket], int]
# Chooses how a bucket is summed, and plans it (collective).
Prepare = Callable[[Bucket], tuple[Choice, Plan]]


class SumThread:
    """The one thread of a communicator that sums while backward runs."""

    def __init__(self, comm: Communicator) -> None:
        self.is_awaited = False
        self._marker = Marker(comm.gpu)
        self._pool = ThreadPoolExecutor(1, "ringscope-sums", self._enter)

    def submit(self, work: Callable[[int], None], number: int) -> Future[None]:
        """Run it after everything that was submitted before."""
        return self._pool.submit(work, number)

    def call(self, work: Callable[[], _T]) -> Future[_T]:
        """Run it after everything that was submitted before, and return its result."""
        return self._pool.submit(work)

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown()

    def _enter(self) -> None:
        self._marker.enter_thread()
        sleep_while(lambda: not self.is_awaited)  # the core belongs to the backward pass while that runs


class BucketSums:
    """Sums of one list of buckets; all ranks make the same calls (collective)."""

    def __init__(
        self, comm: Communicator, algorithm: str, buckets: list[Bucket], prepare: Prepare | None = None
    ) -> None:
        """``prepare`` replaces the all-reduce by ``algorithm``."""
        self.buckets: list[Bucket] = []
        self.choices: list[Choice] = []
        self.size_bytes = 0
        self._plans = list[dict[str, Plan]]()  # plans of each bucket, by algorithm
        self._tuner: Tuner | None = None
        self._comm, self._wanted = comm, algorithm
        self._prepare = prepare or self._all_reduce
        self._sum: BucketSum = self._run_plan
        self._is_planned = True  # the engine's plans sum the buckets
        self._marker = Marker(comm.gpu)
        self.add(buckets)
        self._largest = max(range(len(buckets)), key=lambda number: buckets[number].size_bytes)
        self.algorithm = self.choices[self._largest].algorithm
        self.transport = carrier(self.algorithm, comm.transport.name)
        self.begin()

    def add(self, buckets: list[Bucket]) -> None:
        """Also sum these buckets, after all others (collective)."""
        for bucket in buckets:
            choice, plan = self._prepare(bucket)
            self.buckets.append(bucket)
            self.choices.append(choice)
            self._plans.append({choice.algorithm: plan})
            self.size_bytes += bucket.size_bytes

    def sum_by(self, bucket_sum: BucketSum) -> None:
        """Replace the engine's plans with ``bucket_sum`` from now on; it runs in the same thread."""
        self._sum, self._is_planned = bucket_sum, False

    def adapt(self, learned: Learned | None = None) -> None:
        """Try the algorithms that ``auto`` may choose from now on, and use the fastest (collective).

        What is ``learned`` already is not tried again.
        """
        dtype = self.buckets[0].memory.local.dtype.name
        self._tuner = Tuner(self._comm, [bucket.size_bytes for bucket in self.buckets], dtype, learned)
        self._follow(self._tuner, [])

    def begin(self) -> None:
        """Start a step, from which times count."""
        self._start_ns = time.perf_counter_ns()
        self._is_complete = [False] * len(self.buckets)
        self._ready: list[Callable[[], None]] = []
        self._ready_us: list[float] = []
        self.pending: list[Future[None]] = []
        self._start_us: list[float] = []
        self._end_us: list[float] = []
        self._size_bytes = 0

    def has_started(self, number: int) -> bool:
        """Return whether the sum of this bucket is in progress or done."""
        return number < len(self.pending)

    def complete(self, number: int, thread: SumThread | None) -> None:
        """Record that a bucket has all gradients; start the sums that can be started."""
        self._is_complete[number] = True
        while (next_number := len(self._ready)) < len(self.buckets) and self._is_complete[next_number]:
            self._ready.append(self._marker.mark())
            self._ready_us.append(self._now_us())
            # The last one has nothing to overlap with, so it need not wait for a thread to wake up.
            if thread is not None and next_number < len(self.buckets) - 1:
                self.pending.append(thread.submit(self._run, next_number))

    def finish(self, thread: SumThread | None) -> Sums:
        """Return when everything is summed; every bucket must be complete. Raises the engine's errors."""
        backward_us = self._now_us()
        if thread is not None:
            thread.is_awaited = True
        try:
            if thread is not None and self._comm.gpu is not None:  # only that thread has the GPU's context
                waiting = range(len(self.pending), len(self.buckets))
                self.pending += [thread.submit(self._run, number) for number in waiting]
            for future in self.pending:
                future.result()
            for number in range(len(self.pending), len(self.buckets)):
                self._run(number)
        finally:
            if thread is not None:
                thread.is_awaited = False
        exposed_us = self._now_us() - backward_us
        sizes = [bucket.size_bytes for bucket in self.buckets]
        told = Sums(
            backward_us,
            exposed_us,
            self._size_bytes,
            sizes,
            self._ready_us,
            self._start_us,
            self._end_us,
            algorithms=[choice.algorithm for choice in self.choices] if self._is_planned else [],
        )
        return told if self._tuner is None else self._adapted(self._tuner, told)

    def free(self) -> None:
        """Release the plans (collective)."""
        for plans in self._plans:
            for plan in plans.values():
                plan.free()

    def _all_reduce(self, bucket: Bucket) -> tuple[Choice, Plan]:
        choice = choose(self._comm, self._wanted, bucket)
        return choice, self._comm.plan(choice.algorithm, "sum", bucket.memory, bucket.memory)

    def _adapted(self, tuner: Tuner, told: Sums) -> Sums:
        """Return the timing of a step with what changes after it (collective)."""
        durations_us = [end - start for start, end in zip(told.start_us, told.end_us, strict=True)]
        summed_by, changes = (self.algorithm, self.transport), tuner.note(durations_us)
        self._follow(tuner, changes)
        return replace(told, summed_by=summed_by, changes=changes)

    def _follow(self, tuner: Tuner, changes: list[GroupChange]) -> None:
        """Plan what the next steps need, and free what they do not (collective)."""
        because = {number: change.because for change in changes for number in change.numbers}
        needed = tuner.needed()
        for number, name in tuner.algorithms.items():
            plans, memory = self._plans[number], self.buckets[number].memory
            for other in sorted(needed[number] - plans.keys()):  # in the same order on every rank
                plans[other] = self._comm.plan(other, "sum", memory, memory)
            for other in sorted(plans.keys() - needed[number]):
                plans.pop(other).free()
            if name != self.choices[number].algorithm:
                self.choices[number] = Choice(name, because.get(number, "it is tried in turns with others"))
        self.algorithm = self.choices[self._largest].algorithm
        self.transport = carrier(self.algorithm, self._comm.transport.name)

    def _run(self, number: int) -> None:
        self._ready[number]()
        self._start_us.append(self._now_us())
        self._size_bytes += self._sum(number, self.buckets[number])
        self._end_us.append(self._now_us())

    def _run_plan(self, number: int, bucket: Bucket) -> int:
        self._plans[number][self.choices[number].algorithm].run()
        self._comm.position[UNTIMED] += 1
        return bucket.size_bytes

    def _now_us(self) -> float:
        return (time.perf_counter_ns() - self._start_ns) / 1e3


def choose(comm: Communicator, algorithm: str, bucket: Bucket) -> Choice:
    """Return how the bucket is all-reduced, by the job's algorithm or as the engine chooses (collective)."""
    if algorithm != AUTO:
        return Choice(algorithm, "it is set in the job")
    return comm.choose("all_reduce", bucket.memory.local.dtype.name, bucket.size_bytes, in_place=True)

"""A watch over a script: each step of its optimizer is a step of the job, and its end has a short summary.

A step is reported when the next one ends, because the times of its gradient sums are known only then. Each of the first
ten steps is asked for them; of later steps that take less than 80 ms, one of several is, and the others get its times.
The script's own reports with ``ringscope.log_step`` come first: from its first one on, the watch reports no steps.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ringscope.contracts.record import Log, Record
from ringscope.engine.positions import INPUT_NS, ITERATIONS, WAITED_NS
from ringscope.rank.watch.calls import Calls
from ringscope.rank.watch.ddp import NO_SUMS, DdpLog, Sums
from ringscope.rank.watch.imports import after_import
from ringscope.rank.watch.samples import Samples
from ringscope.rank.watch.summary import Summary
from ringscope.train.step_reporter import Step

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator
    from ringscope.rank.step_log import StepLog

C10D = "torch.distributed.distributed_c10d"
_READ_EVERY_NS = 80_000_000  # a reading of DDP's log takes 0.1 ms
_MOST_BETWEEN = 64
_FIRST_READINGS = 10  # one for each step, also in a script of few steps; the reducer notes as many by itself
_MOST_STEPS = 50  # in a report
_MOST_NS = 500_000_000
_CLASSES_EVERY_NS = 10_000_000_000


class _Seen(NamedTuple):
    """The end of a step, with what was counted until then."""

    at_ns: int
    size_bytes: int
    waited_ns: int
    samples: int
    input_ns: int
    own: tuple[float, float, int]  # communication and exposed time in microseconds, and bytes, of our optimizers
    sums: Sums  # the times of DDP in the step before


_NOTHING = (0.0, 0.0, 0)


class Watch:
    """The steps of this rank's script; ``start`` begins before the script does, ``close`` when it has ended."""

    def __init__(self, comm: Communicator, steps: StepLog, emit: Callable[[Record], None]) -> None:
        self._comm, self._steps, self._emit = comm, steps, emit
        self._calls, self._ddp, self._samples = Calls(self._fail), DdpLog(self._fail), Samples(self._fail)
        self._summary = Summary(comm.size)
        self._is_off = self._has_failed = False
        self._main = threading.main_thread().ident
        self._torch: Any = None
        self._leader: weakref.ref[Any] | None = None
        self._others = set[int]()  # optimizers that stepped since the leader did
        self._ends: list[_Seen] = []  # the ends of steps that are not yet reported, after the end before them
        self._send_ns = 0  # when they are
        self._sums, self._until_reading, self._readings = NO_SUMS, 1, 0  # as DDP said last
        self._counted = NO_SUMS  # the sums whose buckets were counted last
        self._classes_ns = 0  # when the collectives are reported again
        steps.send_watched = self._send_before_own
        self._library = ""

    def start(self) -> None:
        """Watch what the script imports from now on; nothing is imported for it."""
        os.register_at_fork(after_in_child=self.stop)  # a child is no rank, and has this rank's connection
        after_import({
            "torch.optim.optimizer": self._follow_optimizers,
            C10D: self._calls.wrap,
            "torch.nn.parallel.distributed": self._ddp.wrap,
            "torch.utils.data.dataloader": self._samples.wrap,
        })  # fmt: skip

    @property
    def has_ddp(self) -> bool:
        """Return whether the script has a model with DistributedDataParallel."""
        return self._ddp.has_models

    def stop(self) -> None:
        """Watch no longer."""
        self._is_off = self._calls.is_off = self._samples.is_off = True

    def close(self) -> None:
        """Report the last step, and on rank 0 the summary as lines of the job's log."""
        if self._is_off:
            return
        self.stop()
        try:
            self._send(is_over=True)
            if self._comm.rank == 0:
                for line in self._summary.lines(self._calls.totals):
                    self._tell(line)
        except Exception as error:
            self._fail(error)

    def _follow_optimizers(self, module: ModuleType) -> None:
        try:
            self._torch = module.torch
            module.register_optimizer_step_post_hook(self._on_step)
        except Exception as error:
            self._fail(error)

    def _on_step(self, optimizer: Any, arguments: Any, named: Any) -> None:
        if self._is_off or threading.get_ident() != self._main:
            return
        try:
            if self._is_end_of_step(optimizer):
                self._end_step()
        except Exception as error:
            self._fail(error)

    def _is_end_of_step(self, optimizer: Any) -> bool:
        """Return whether a step ends with this optimizer: of several, the one that steps first leads."""
        leader = self._leader() if self._leader is not None else None
        if leader is not optimizer:
            if leader is not None and id(optimizer) not in self._others:
                self._others.add(id(optimizer))
                return False
            self._leader = weakref.ref(optimizer)
        self._others.clear()
        return True

    def _end_step(self) -> None:
        """Note what was counted. The rest waits for several steps: each on its own would find caches without it."""
        calls, samples, ends, now_ns = self._calls, self._samples, self._ends, time.perf_counter_ns()
        if not ends:
            self._send_ns, self._library = now_ns + _MOST_NS, self._backend()
            if samples.begun_ns is not None:
                ends.append(_Seen(samples.begun_ns, 0, 0, 0, 0, _NOTHING, NO_SUMS))
        self._until_reading -= 1
        if not self._until_reading:
            self._read(now_ns)
        elif not self._ddp.knows_all:
            self._sums = NO_SUMS
        sums = self._sums
        own = _NOTHING if self._steps.gradients is None else self._steps.summed()
        ends.append(_Seen(now_ns, calls.bytes, calls.waited_ns, samples.count, samples.waited_ns, own, sums))
        if len(ends) > 1 and not self._steps.is_told_by_script:
            position, before = self._comm.position, ends[-2]
            position[ITERATIONS] += 1
            position[WAITED_NS] += calls.waited_ns - before.waited_ns + int((own[1] - before.own[1]) * 1e3)
            position[WAITED_NS] += sums.exposed_ns
            position[INPUT_NS] += samples.waited_ns - before.input_ns
        if now_ns >= self._send_ns or len(ends) > _MOST_STEPS:
            self._send()

    def _read(self, now_ns: int) -> None:
        """Read the times of DDP's sums; inside of a backward its reducer must not be asked."""
        is_outside = self._torch._C._current_graph_task_id() == -1
        self._sums = self._ddp.read() if is_outside else NO_SUMS
        took_ns = now_ns - self._ends[-1].at_ns if self._ends else _READ_EVERY_NS
        self._readings += 1
        every = 1
        while self._readings >= _FIRST_READINGS and every < _MOST_BETWEEN and every * took_ns < _READ_EVERY_NS:
            every *= 2
        self._ddp.note_every(every)
        self._until_reading = every

    def _send(self, is_over: bool = False) -> None:
        """Report the steps that have ended, the last one only at the end: the times of its sums are not known yet."""
        ends, now_ns = self._ends, time.perf_counter_ns()
        self._ends, self._send_ns = ends[-2:], now_ns + _MOST_NS
        since_ns = time.time_ns() - now_ns
        has_loader, found = self._samples.has_loader, list[Step]()
        following = [end.sums for end in ends[2:]] + [NO_SUMS] * is_over
        for (before, end), sums in zip(pairwise(ends), following, strict=False):
            self._count_buckets(sums)
            if self._steps.is_told_by_script:
                continue
            own_us, own_exposed_us, own_bytes = (end.own[place] - before.own[place] for place in range(3))
            waited_us, took_ns = (end.waited_ns - before.waited_ns) / 1e3, end.at_ns - before.at_ns
            exposed_us = waited_us + own_exposed_us + sums.exposed_ns / 1e3
            found.append(
                Step(
                    start_ns=since_ns + before.at_ns,
                    duration_us=took_ns / 1e3,
                    communication_us=waited_us + own_us + sums.communication_ns / 1e3,
                    exposed_us=min(took_ns / 1e3, exposed_us),
                    size_bytes=end.size_bytes - before.size_bytes + int(own_bytes) + sum(sums.buckets),
                    samples=end.samples - before.samples if has_loader else None,
                    input_us=(end.input_ns - before.input_ns) / 1e3 if has_loader else None,
                )
            )
        self._steps.add_watched(found, self._library)
        for step in found:
            self._summary.add(step)
        if (is_over or now_ns >= self._classes_ns) and self._calls.totals:
            self._classes_ns = now_ns + _CLASSES_EVERY_NS
            self._emit(self._calls.classes.record(self._comm.rank))

    def _count_buckets(self, sums: Sums) -> None:
        """Count DDP's sums of a step. Of their time each has a part by its bytes; a step has it only if it was read."""
        total_bytes = sum(sums.buckets)
        is_read, self._counted = sums is not self._counted, sums
        for size_bytes in sums.buckets:
            took_ns = sums.communication_ns * size_bytes // total_bytes if is_read and total_bytes else 0
            self._calls.note("all_reduce of DDP", size_bytes, took_ns or None)

    def _send_before_own(self) -> None:
        """Report what was seen before the script's own first report."""
        try:
            self._send()
        except Exception as error:
            self._fail(error)

    def _backend(self) -> str:
        """Return the name of the library that sums, such as gloo."""
        module = sys.modules.get(C10D)
        return str(module.get_backend())[:100] if module is not None and module.is_initialized() else ""

    def _tell(self, text: str) -> None:
        self._emit(Log(rank=None, stream="agent", time_ns=time.time_ns(), text=text))

    def _fail(self, error: Exception) -> None:
        """End the watching, not the script, and say so once."""
        is_first, self._has_failed = not self._has_failed, True
        self.stop()
        if is_first:
            what = f"{type(error).__name__}: {error}"
            self._tell(f"Rank {self._comm.rank} is no longer watched, because the watching failed: {what}")

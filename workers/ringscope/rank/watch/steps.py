"""A watch over a script: each step of its optimizer is a step of the job, and its end has a short summary.

A step is reported when the next one ends, because the times of its gradient sums are known only then. The script's own
reports with ``ringscope.log_step`` come first: from its first one on, the watch reports no steps.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ringscope.contracts.record import Log, Record
from ringscope.engine.positions import INPUT_NS, WAITED_NS
from ringscope.rank.watch.calls import Calls
from ringscope.rank.watch.ddp import DdpLog, Sums
from ringscope.rank.watch.imports import after_import
from ringscope.rank.watch.samples import Samples
from ringscope.rank.watch.summary import Summary
from ringscope.train.step_reporter import Step

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator
    from ringscope.rank.step_log import StepLog

C10D = "torch.distributed.distributed_c10d"


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
        self._since_ns: int | None = None
        self._pending: Step | None = None
        self._summed = (0.0, 0.0, 0)  # by ringscope.DistributedOptimizer until the last step

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
            self._send(Sums())
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
        now_ns = time.perf_counter_ns()
        since_ns = self._samples.begun_ns if self._since_ns is None else self._since_ns
        self._since_ns = now_ns
        size_bytes, waited_ns = self._calls.taken()
        samples, input_ns = self._samples.taken()
        summed, self._summed = self._summed, self._steps.summed()
        own_us, own_exposed_us, own_bytes = (now - before for now, before in zip(self._summed, summed, strict=True))
        is_outside = self._torch._C._current_graph_task_id() == -1
        self._send(self._ddp.read() if is_outside else Sums())
        if since_ns is None:
            return  # nothing tells when the first step began
        took_ns = now_ns - since_ns
        self._pending = Step(
            start_ns=time.time_ns() - took_ns,
            duration_us=took_ns / 1e3,
            communication_us=waited_ns / 1e3 + own_us,
            exposed_us=waited_ns / 1e3 + own_exposed_us,
            size_bytes=size_bytes + int(own_bytes),
            samples=samples if self._samples.has_loader else None,
            input_us=input_ns / 1e3 if self._samples.has_loader else None,
        )

    def _send(self, sums: Sums) -> None:
        """Report the step before, of which the times of its gradient sums are known now."""
        step, self._pending = self._pending, None
        if step is None or self._steps.is_told_by_script:
            return
        for size_bytes in sums.buckets:
            self._calls.note("all_reduce of DDP", size_bytes)
        step = replace(
            step,
            communication_us=step.communication_us + sums.communication_us,
            exposed_us=min(step.duration_us, step.exposed_us + sums.exposed_us),
            size_bytes=step.size_bytes + sum(sums.buckets),
        )
        self._comm.position[WAITED_NS] += round(step.exposed_us * 1e3)
        self._comm.position[INPUT_NS] += round((step.input_us or 0.0) * 1e3)
        self._steps.add_watched(step, self._backend())
        self._summary.add(step)

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

"""Step records of a user's own script."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING

from ringscope.contracts.columns import MOST_MICROSECONDS
from ringscope.contracts.record import Record, Steps
from ringscope.contracts.training.record import AlgorithmChanged, Buckets, Diverged, Epoch, PipelineStep
from ringscope.engine.errors import EngineError
from ringscope.engine.positions import INPUT_NS, ITERATIONS
from ringscope.train.step_reporter import Step, StepReporter

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator
    from ringscope.train.divergence import Divergence
    from ringscope.train.scripts.gradients import Gradients

_NONE = "none"  # the algorithm of a script that sums by itself


class StepLog:
    """Steps of a script on one rank; each begins when the previous one ends."""

    def __init__(self, comm: Communicator, emit: Callable[[Record], None]) -> None:
        self.gradients: Gradients | None = None  # optimizers whose sums are reported, unless the script reports its own
        self._comm, self._emit = comm, emit
        self._reporter: StepReporter | None = None
        self._divergence: Divergence | None = None
        self._steps = self._epochs = 0
        self.send_watched: Callable[[], None] = _nothing  # reports the steps that a watch has seen until now
        self.is_told_by_script = False  # whether the script has reported a step by itself
        self._start()

    def log(
        self,
        loss: float | None,
        samples: int | None,
        duration_us: float | None,
        compute_us: float | None,
        input_us: float | None,
        communication_us: float | None,
        exposed_us: float | None,
        size_bytes: int | None,
    ) -> None:
        """Record a step; None values are filled in from the clock and the optimizers, if they know them."""
        given = {
            "duration_us": duration_us,
            "compute_us": compute_us,
            "input_us": input_us,
            "communication_us": communication_us,
            "exposed_us": exposed_us,
        }
        for name, time_us in given.items():
            if time_us is not None and not 0 <= time_us <= MOST_MICROSECONDS:
                raise EngineError(f"{name}: {time_us:g} is not a duration; give 0 or more microseconds.")
        if not self.is_told_by_script:
            self.send_watched()
        self.is_told_by_script = True
        elapsed_us = (time.perf_counter() - self._since) * 1e6
        sums = self.gradients.taken() if self.gradients else None
        waited = sums if self._comm.size > 1 else None  # one rank waits for no other
        step = Step(
            start_ns=self._start_ns,
            duration_us=elapsed_us if duration_us is None else duration_us,
            communication_us=_first(communication_us, waited.communication_us if waited else None),
            exposed_us=_first(exposed_us, waited.exposed_us if waited else None),
            size_bytes=int(_first(size_bytes, sums.size_bytes if sums else None)),
            loss=None if loss is None else float(loss),
            samples=samples,
            compute_us=compute_us,
            input_us=input_us,
        )
        self._comm.position[INPUT_NS] += round((input_us or 0.0) * 1e3)
        self._comm.position[ITERATIONS] += 1  # shows the progress to observers
        reporter = self._step_reporter()
        reporter.add(step)
        self._judge(reporter, step.loss)
        self._steps += 1
        self._start()

    def training(self) -> Callable[[Record], None]:
        """Return a function that sends a training's records, with numbers after those of earlier ones."""
        self.send_watched()
        self.is_told_by_script = True
        self.close()
        self._reporter = None  # the next one begins after these steps
        return partial(self._send_training, self._steps, self._epochs)

    def summed(self) -> tuple[float, float, int]:
        """Return communication and exposed time, in microseconds, and bytes of the optimizers since the last report."""
        sums = self.gradients.since_last if self.gradients else None
        if sums is None:
            return (0.0, 0.0, 0)
        if self._comm.size == 1:
            return (0.0, 0.0, sums.size_bytes)
        return (sums.communication_us, sums.exposed_us, sums.size_bytes)

    def add_watched(self, steps: Sequence[Step], library: str) -> None:
        """Send steps of a script that reports none, as they were seen from outside; ``library`` sums its gradients."""
        if not steps:
            return
        reporter = self._reporter or self._step_reporter(library or _NONE)
        # A block has one size, so that steps of different ranks can be compared.
        for _, same in groupby(steps, key=lambda step: step.size_bytes):
            reporter.add_block(list(same))
        self._steps += len(steps)

    def close(self) -> None:
        """Send the remaining steps."""
        if self._reporter is not None:
            self._reporter.send()

    def end_training(self) -> None:
        """Raise DifferenceError on every rank if a script's models differ at its end (collective)."""
        if self.gradients is not None:
            self.gradients.end()

    def _send_training(self, steps: int, epochs: int, record: Record) -> None:
        """Send a record whose training began after so many steps and epochs of this script."""
        if isinstance(record, Steps):
            record = record.model_copy(update={"first_step": steps + record.first_step})
            self._steps = max(self._steps, record.first_step + len(record.start_ns))
        elif isinstance(record, Epoch):
            record = record.model_copy(update={"step": steps + record.step, "epoch": epochs + record.epoch})
            self._epochs = max(self._epochs, record.epoch)
        elif isinstance(record, Buckets | PipelineStep | Diverged | AlgorithmChanged):
            record = record.model_copy(update={"step": steps + record.step})
        self._emit(record)

    def _judge(self, reporter: StepReporter, loss: float | None) -> None:
        """Report that the training diverged; the script decides whether to continue."""
        if loss is not None and not isfinite(loss):
            reporter.send()
            if self._divergence is None:
                from ringscope.train.divergence import Divergence

                self._divergence = Divergence(self._comm.rank, self._emit, "skip")
            self._divergence.judge_loss(self._steps, loss)

    def _start(self) -> None:
        self._start_ns, self._since = time.time_ns(), time.perf_counter()

    def _step_reporter(self, backend: str = _NONE) -> StepReporter:
        if self._reporter is None:
            algorithm, transport = self.gradients.names if self.gradients else (backend, backend)
            self._reporter = StepReporter(
                self._comm.rank, self._comm.size, self._emit, algorithm, transport, self._steps
            )
        return self._reporter


def _nothing() -> None:
    """Report nothing: no watch has seen steps."""


def _first(*values: float | None) -> float:
    return next((value for value in values if value is not None), 0.0)

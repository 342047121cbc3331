"""Step reporting: steps are gathered and sent in blocks, between two steps, never inside a timed step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.training.record import Buckets, PipelineStep
from ringscope.contracts.words.collectives import bus_factor
from ringscope.engine.memory.resident_set import resident_bytes

_MOST_STEPS = 20
_MOST_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Step:
    """One finished step of this rank, as in ``record.Steps``; buckets and pipeline are its ``training_record``."""

    start_ns: int
    duration_us: float
    communication_us: float
    exposed_us: float
    size_bytes: int
    summed_by: tuple[str, str] | None = None  # algorithm and transport; None: those of the reporter
    loss: float | None = None
    samples: int | None = None
    lag: int | None = None
    compute_us: float | None = None
    input_us: float | None = None
    buckets: Buckets | None = None
    pipeline: PipelineStep | None = None


class StepReporter:
    """Sends a block after 20 steps or half a second, whichever comes first."""

    def __init__(
        self,
        rank: int,
        ranks: int,
        emit: Callable[[Record], None],
        algorithm: str,
        transport: str,
        first_step: int = 0,
        collective_bytes: int | None = None,
    ) -> None:
        """``first_step`` is the index of the first reported step; ``collective_bytes`` is as in ``record.Steps``."""
        self._rank, self._emit, self._algorithm, self._transport = rank, emit, algorithm, transport
        self._bus_factor = bus_factor("all_reduce", ranks)
        self._next_step, self._steps = first_step, list[Step]()
        self._since = time.monotonic()
        self._collective_bytes = collective_bytes
        self._memory: int | None = None
        self._memory_until = 0.0  # when it is read again

    def add(self, step: Step) -> None:
        """Add a step, and send the block when it is full or old enough; a block has one algorithm."""
        if step.summed_by is not None and step.summed_by != (self._algorithm, self._transport):
            self.send()
            self._algorithm, self._transport = step.summed_by
        self._steps.append(step)
        if len(self._steps) >= _MOST_STEPS or time.monotonic() - self._since >= _MOST_SECONDS:
            self.send()

    def add_block(self, steps: Sequence[Step]) -> None:
        """Add steps that were collected elsewhere, and send them at once; all have one algorithm."""
        self._steps += steps
        self.send()

    def send(self) -> None:
        """Send the collected steps."""
        steps, self._steps = self._steps, []
        self._since = time.monotonic()
        if not steps:
            return
        self._emit(self._record(steps))
        self._next_step += len(steps)
        if buckets := steps[-1].buckets:
            self._emit(buckets)
        if pipeline := next((step.pipeline for step in reversed(steps) if step.pipeline), None):
            self._emit(pipeline)

    def _record(self, steps: list[Step]) -> Steps:
        losses = [step.loss for step in steps if step.loss is not None]
        samples = [step.samples for step in steps if step.samples is not None]
        inputs_us = [step.input_us for step in steps if step.input_us is not None]
        lags = [step.lag for step in steps if step.lag is not None]
        return Steps(
            rank=self._rank,
            first_step=self._next_step,
            op="all_reduce",
            algorithm=self._algorithm,
            transport=self._transport,
            in_place=True,
            bytes=steps[-1].size_bytes,
            bus_factor=self._bus_factor,
            start_ns=[step.start_ns for step in steps],
            duration_us=[step.duration_us for step in steps],
            communication_us=[step.communication_us for step in steps],
            compute_us=[_compute_us(step) for step in steps],
            exposed_us=[step.exposed_us for step in steps],
            input_us=inputs_us if len(inputs_us) == len(steps) else None,
            loss=losses if len(losses) == len(steps) else None,
            samples=samples if len(samples) == len(steps) else None,
            lag=lags if len(lags) == len(steps) else None,
            collective_bytes=self._collective_bytes,
            memory_bytes=self._memory_bytes(),
        )

    def _memory_bytes(self) -> int | None:
        """Return the resident set, read at most twice a second: a block of short steps takes as long as reading it."""
        now = time.monotonic()
        if now >= self._memory_until:
            self._memory, self._memory_until = resident_bytes(), now + _MOST_SECONDS
        return self._memory


def _compute_us(step: Step) -> float:
    """Return the compute time: as measured, otherwise the time in which the rank waits neither for sums nor for
    samples.
    """
    if step.compute_us is not None:
        return step.compute_us
    return max(0.0, step.duration_us - step.exposed_us - (step.input_us or 0.0))

"""Similar steps of one rank in a few numbers: how many, how long, how fast. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from ringscope.contracts import record
from ringscope.contracts.words.collectives import bus_factor
from ringscope_server.results.rows import finite
from ringscope_server.results.views import StepBlockView

RECENT_STEPS = 32  # the number of bars that fit into a line of text


class StepKind(NamedTuple):
    """The fields that steps must have in common to be counted together."""

    op: str
    algorithm: str
    transport: str
    in_place: bool
    bytes: int


@dataclass(frozen=True)
class StepBlock:
    """Steps of one rank and kind in the order of time, at least one. Sums are over ``steps``."""

    rank: int
    kind: StepKind
    steps: int
    last_step: int
    started_at_ns: int  # the start of the last step, by its node's clock
    bus_bytes: float | None  # the bytes that one step moves over the bus; None if they are not known
    duration_us: float
    min_us: float
    max_us: float
    compute_us: float
    exposed_us: float
    recent_us: tuple[float, ...]  # the last RECENT_STEPS durations
    loss: float | None = None  # the loss of the last step
    samples: int | None = None  # for training only
    input_us: float | None = None  # as samples
    memory_bytes: int | None = None  # the newest

    def view(self) -> StepBlockView:
        """Return the API's view. Training has no bandwidth here, because its steps also compute."""
        mean_us = self.duration_us / self.steps
        is_rate_known = self.bus_bytes is not None and self.samples is None and self.loss is None and mean_us > 0
        return StepBlockView(
            rank=self.rank,
            **self.kind._asdict(),
            steps=self.steps,
            last_step=self.last_step,
            started_at_ns=self.started_at_ns,
            last_us=self.recent_us[-1],
            mean_us=mean_us,
            min_us=self.min_us,
            max_us=self.max_us,
            busbw_gb_per_s=finite((self.bus_bytes or 0.0) / mean_us / 1e3) if is_rate_known else None,
            recent_us=list(self.recent_us),
            loss=self.loss,
            samples=self.samples,
            compute_us=self.compute_us / self.steps,
            exposed_us=self.exposed_us / self.steps,
            input_us=None if self.input_us is None else self.input_us / self.steps,
            memory_bytes=self.memory_bytes,
        )


def of_record(told: record.Steps) -> StepBlock:
    """Make a block from one record, which has at least one step."""
    count = len(told.start_ns)
    return StepBlock(
        rank=told.rank,
        kind=StepKind(told.op, told.algorithm, told.transport, told.in_place, told.bytes),
        steps=count,
        last_step=told.first_step + count - 1,
        started_at_ns=told.start_ns[-1],
        bus_bytes=told.bytes * told.bus_factor,
        duration_us=sum(told.duration_us),
        min_us=min(told.duration_us),
        max_us=max(told.duration_us),
        compute_us=sum(told.compute_us),
        exposed_us=sum(told.exposed_us),
        recent_us=tuple(told.duration_us[-RECENT_STEPS:]),
        loss=finite(told.loss[-1]) if told.loss else None,
        samples=sum(told.samples) if told.samples else None,
        input_us=sum(told.input_us) if told.input_us else None,
        memory_bytes=told.memory_bytes,
    )


def joined(before: StepBlock, after: StepBlock) -> StepBlock:
    """Join two blocks of the same rank and kind."""
    return replace(
        after,
        steps=before.steps + after.steps,
        duration_us=before.duration_us + after.duration_us,
        min_us=min(before.min_us, after.min_us),
        max_us=max(before.max_us, after.max_us),
        compute_us=before.compute_us + after.compute_us,
        exposed_us=before.exposed_us + after.exposed_us,
        recent_us=(before.recent_us + after.recent_us)[-RECENT_STEPS:],
        samples=None if before.samples is None or after.samples is None else before.samples + after.samples,
        input_us=None if before.input_us is None or after.input_us is None else before.input_us + after.input_us,
        memory_bytes=before.memory_bytes if after.memory_bytes is None else after.memory_bytes,
    )


def slowest(blocks: Sequence[StepBlock], most: int) -> list[StepBlock]:
    """Return at most ``most`` blocks, those with the longest steps, ordered by rank."""
    longest = sorted(blocks, key=lambda block: block.duration_us / block.steps, reverse=True)[:most]
    return sorted(longest, key=lambda block: block.rank)


@lru_cache(maxsize=64)
def known_bus_factor(op: str, ranks: int) -> float:
    """Return the bus factor of a collective; zero if it is not known."""
    try:
        return bus_factor(op, ranks)
    except ValueError:
        return 0.0

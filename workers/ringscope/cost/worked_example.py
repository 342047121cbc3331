"""A collective on given numbers, message by message: every transfer, and the values on each rank after it. Pure.

The numbers are worked out (``ringscope.schedules.trace``); the times are the cost model's, not measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.timeline import Timeline, simulate
from ringscope.schedules.schedule import Chunk, Schedule
from ringscope.schedules.trace import Values, trace

MAX_RANKS = 64
USUAL_RANKS = 3
# The links of an example, in the words of ``ringscope.contracts.cluster``; those inside nodes are ``_INSIDE``.
LINKS = {"link": "1GB/s", "latency_us": 1.0, "reduce_gb_per_s": 10.0}
_INSIDE = Link(2e-7, 1e10)


@dataclass(frozen=True, slots=True)
class WorkedMove:
    """One message: ``src`` sends ``values`` from ``chunks`` to ``dst``, which adds them (``reduce``) or keeps them.

    ``offset`` is where they land. Times are seconds of the cost model since the start of the call: it starts, is
    there, begins to be added up, and is done.
    """

    step: int
    phase: str
    src: int
    dst: int
    reduce: bool
    chunks: tuple[int, ...]
    into_chunks: tuple[int, ...]
    offset: int
    values: list[float]
    size_bytes: int
    start_s: float
    arrived_s: float
    adding_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class WorkedStep:
    """One step: its messages, and what every rank holds after it (a row for each rank)."""

    step: int
    phase: str
    moves: list[WorkedMove]
    held: Values


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """All of it. ``results`` is what belongs to each rank's result; the rest is left over from the way."""

    ranks: int
    chunks: tuple[Chunk, ...]
    values: Values
    steps: list[WorkedStep]
    results: Values
    time_s: float


def worked_example(
    schedule: Schedule, values: Sequence[Sequence[float]], timeline: Timeline, element_bytes: int
) -> WorkedExample:
    """The schedule with one row of numbers for each rank; ``timeline`` is its own, for numbers of ``element_bytes``.

    ValueError when the rows do not fit the schedule.
    """
    timed = {
        (one.message.step, one.message.src, one.message.dst, chunk): one
        for one in timeline.messages
        for chunk in one.message.reads
    }
    steps = []
    for number, step in enumerate(trace(schedule, values)):
        moves = []
        for message, carried in step.moves:
            times = timed[message.step, message.src, message.dst, message.reads[0]]
            moves.append(
                WorkedMove(
                    number,
                    step.phase,
                    message.src,
                    message.dst,
                    message.reduce,
                    message.reads,
                    message.writes,
                    message.target.offset,
                    carried,
                    len(carried) * element_bytes,
                    times.start_s,
                    times.arrived_s,
                    times.adding_s,
                    times.end_s,
                )
            )
        steps.append(WorkedStep(number, step.phase, moves, step.held))
    rows = [list(row) for row in values]
    held = steps[-1].held if steps else rows
    results = [result(schedule, rank, row) for rank, row in enumerate(held)]
    return WorkedExample(schedule.ranks, schedule.chunks, rows, steps, results, timeline.seconds)


def example_timeline(schedule: Schedule, shape: Topology, element_bytes: int) -> Timeline:
    """The schedule in time, on the links of examples."""
    return simulate(schedule, element_bytes, replace(shape, intra=_INSIDE))


def usual_values(ranks: int, channels: int = 1) -> Values:
    """One number for each rank and channel in each row, all of rank r being r+1."""
    return [[float(rank + 1)] * ranks * channels for rank in range(ranks)]


def result(schedule: Schedule, rank: int, row: Sequence[float]) -> list[float]:
    """Return the part of a rank's row that belongs to its result; the rest are intermediate values."""
    parts = [row[c.offset : c.offset + c.length] for i, c in enumerate(schedule.chunks) if schedule.is_output(rank, i)]
    return [number for part in parts for number in part]

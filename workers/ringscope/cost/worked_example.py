"""A collective on given numbers, message by message: every transfer, and each rank's values after it. Pure.

The numbers are computed (``ringscope.schedules.trace``); the times come from the cost model and are not measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.timeline import Timeline, simulate
from ringscope.schedules.schedule import Chunk, Schedule
from ringscope.schedules.trace import Values, trace

MAX_RANKS = 64
USUAL_RANKS = 3
# The links of an example, by the names of ``ringscope.contracts.cluster``; links inside nodes are ``_INSIDE``.
LINKS = {"link": "1GB/s", "latency_us": 1.0, "reduce_gb_per_s": 10.0}
_INSIDE = Link(2e-7, 1e10)


@dataclass(frozen=True, slots=True)
class WorkedMove:
    """One message: ``src`` sends ``values`` from ``chunks`` to ``dst``, which adds them (``reduce``) or keeps them.

    ``offset`` is their position there. Times are seconds of the cost model since the start of the call: the message
    starts, arrives, begins to be added, and is done.
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
    """The whole example. ``results`` are the values that belong to each rank's result; the rest are intermediate
    values.
    """

    ranks: int
    chunks: tuple[Chunk, ...]
    values: Values
    steps: list[WorkedStep]
    results: Values
    time_s: float


def worked_example(
    schedule: Schedule, values: Sequence[Sequence[float]], timeline: Timeline, element_bytes: int
) -> WorkedExample:
    """Execute the schedule with one row of numbers for each rank; ``timeline`` is the schedule's, for numbers of
    ``element_bytes``.

    ValueError if the rows do not fit the schedule.
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
    """Return the schedule's timeline on the links of examples."""
    return simulate(schedule, element_bytes, replace(shape, intra=_INSIDE))


def usual_values(ranks: int, channels: int = 1) -> Values:
    """Return rows with one number for each rank and channel; all numbers of rank r are r+1."""
    return [[float(rank + 1)] * ranks * channels for rank in range(ranks)]


def result(schedule: Schedule, rank: int, row: Sequence[float]) -> list[float]:
    """Return the part of a rank's row that belongs to its result; the rest are intermediate values."""
    parts = [row[c.offset : c.offset + c.length] for i, c in enumerate(schedule.chunks) if schedule.is_output(rank, i)]
    return [number for part in parts for number in part]

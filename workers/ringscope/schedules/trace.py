"""A schedule executed with real numbers: the values of every rank after every step. Pure; for readers, not for
speed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ringscope.schedules.messages import Message, messages
from ringscope.schedules.schedule import Schedule

Values = list[list[float]]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step: its phase, its messages with their values, and the values of each rank afterwards."""

    phase: str
    moves: tuple[tuple[Message, list[float]], ...]
    held: Values


def trace(schedule: Schedule, values: Sequence[Sequence[float]]) -> Iterator[TraceStep]:
    """Return every step of the sum of ``values`` (one row per rank); ValueError if they do not fit the schedule."""
    if len(values) != schedule.ranks or any(len(row) != schedule.length for row in values):
        raise ValueError(
            f"values: {schedule.ranks} ranks need as many rows of {schedule.length} numbers each; "
            "separate rows by ; and numbers by a comma."
        )
    held = [list(row) for row in values]
    phases = {t.step: t.phase for t in schedule.transfers()}
    for number, step in enumerate(messages(schedule, in_place=True)):
        if not step:
            continue
        # All messages of a step carry the values that their sources held before it.
        moves = tuple((m, held[m.src][m.source.offset : m.source.offset + m.source.length]) for m in step)
        for m, carried in moves:
            for i, value in enumerate(carried, m.target.offset):
                held[m.dst][i] = held[m.dst][i] + value if m.reduce else value
        yield TraceStep(phases[number], moves, [list(row) for row in held])

"""The lateness of each rank in the steps of an attempt, in columns; each column keeps the largest value.

Lateness and transfer are separate: the time of a step after the arrival of its last rank is a value of its own.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import Double, Subquery, case, cast, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Step
from ringscope_server.results import clocks
from ringscope_server.results.clocks import Seat
from ringscope_server.results.views import Lateness, RankLateness


@dataclass(frozen=True)
class StepsOfRow:
    """A filter for the steps of an attempt; None lets all pass."""

    attempt_id: int | None
    algorithm: str | None = None
    in_place: bool | None = None
    bytes: int | None = None  # the bytes of a step: all of its operations

    def conditions(self) -> list[Any]:
        """Return the conditions of a query."""
        found = [Step.attempt_id == self.attempt_id]
        if self.algorithm is not None:
            found.append(Step.algorithm == self.algorithm)
        if self.in_place is not None:
            found.append(Step.in_place == self.in_place)
        return found if self.bytes is None else [*found, Step.bytes == self.bytes]


async def lateness(session: AsyncSession, wanted: StepsOfRow, columns: int) -> Lateness:
    """Return the lateness in the steps that every rank has reported."""
    seats = await clocks.seats(session, wanted.attempt_id)
    spans = [_Span(*row) for row in await session.execute(_ends(wanted))]
    if not spans or len(seats) < 2:
        return Lateness(first_step=0, steps=0, steps_per_column=1, ranks=[], after_us=[], started_at_ns=[])
    first = min(span.first for span in spans)
    iterations = await session.scalar(select(func.count(Step.step.distinct())).where(*wanted.conditions())) or 0
    width = -(-iterations // columns)
    errors_us = _errors_us(seats, spans)
    offsets_ns = {rank: round(seat.clock.offset_seconds * 1e9) if seat.clock else 0 for rank, seat in seats.items()}
    found: defaultdict[int, _Row] = defaultdict(_Row)
    after_us: dict[int, float] = {}
    started_at_ns: dict[int, int] = {}
    for rank, column, *values in await session.execute(
        _binned(_arrived(wanted, offsets_ns), len(seats), width, errors_us)
    ):
        *of_rank, after, started_at_ns[column] = values  # a column's steps are those of every rank
        found[rank].add(column, *of_rank)
        after_us[column] = max(after_us.get(column, 0.0), after)
    shown = range(-(-iterations // width))
    return Lateness(
        first_step=first,
        steps=max((row.steps for row in found.values()), default=0),
        steps_per_column=width,
        ranks=sorted(
            (row.view(rank, seats[rank].node, errors_us[rank], offsets_ns[rank], shown) for rank, row in found.items()),
            key=lambda view: (-view.mean_late_us, view.rank),
        ),
        after_us=[after_us.get(column) for column in shown],
        started_at_ns=[started_at_ns.get(column) for column in shown],
    )


class _Span(NamedTuple):
    """The first and last step of a rank, and when they began by its node's clock."""

    rank: int
    first: int
    last: int
    first_ns: int
    last_ns: int


def _ends(wanted: StepsOfRow) -> Any:
    times_ns = func.min(Step.started_at_ns), func.max(Step.started_at_ns)
    query = select(Step.rank, func.min(Step.step), func.max(Step.step), *times_ns)
    return query.where(*wanted.conditions()).group_by(Step.rank)


@dataclass
class _Row:
    """The values of one rank over all columns."""

    steps: int = 0
    sum_us: float = 0.0
    last: int = 0
    last_real: int = 0
    late_us: dict[int, float] = field(default_factory=dict)

    def add(self, column: int, steps: int, sum_us: float, max_us: float, last: int, last_real: int) -> None:
        self.steps += steps
        self.sum_us += sum_us
        self.last += last
        self.last_real += last_real
        self.late_us[column] = max_us

    def view(self, rank: int, node: str, error_us: float | None, offset_ns: int, columns: range) -> RankLateness:
        return RankLateness(
            rank=rank,
            node=node,
            mean_late_us=self.sum_us / self.steps,
            error_us=error_us,
            last_steps=self.last,
            last_steps_beyond_error=self.last_real,
            late_us=[self.late_us.get(column) for column in columns],
            clock_offset_ns=offset_ns,
        )


def _errors_us(seats: Mapping[int, Seat], spans: Sequence[_Span]) -> dict[int, float | None]:
    """Return the largest possible error of each rank's lateness: its clock's error plus the largest of the other nodes.

    A clock's error grows with the time since it was compared, so the worst moment of the steps counts. The error is
    None if a clock offset is not known.
    """
    clock_of = {seat.node: seat.clock for seat in seats.values()}
    if len(clock_of) == 1:
        return dict.fromkeys(seats, 0.0)
    if any(clock is None for clock in clock_of.values()):
        return dict.fromkeys(seats)
    own = dict.fromkeys(clock_of, 0.0)
    for span in spans:
        seat = seats[span.rank]
        assert seat.clock is not None
        own[seat.node] = max(own[seat.node], seat.clock.error_us(span.first_ns), seat.clock.error_us(span.last_ns))
    return {
        rank: own[seat.node] + max(error for node, error in own.items() if node != seat.node)
        for rank, seat in seats.items()
    }


def _arrived(wanted: StepsOfRow, offsets_ns: Mapping[int, int]) -> Subquery:
    """Select each rank's start by the server's clock, its place in the step (from 1 to ``ranks``), two of the starts,
    and the iteration of the row (from 0): between two of them lie steps of other rows, as algorithms take turns.

    All of it uses one order of the steps: there may be millions, and each other order would sort them once more.
    """
    at_ns = Step.started_at_ns - _by_rank(Step.rank, offsets_ns)
    told = select(Step.step, Step.rank, Step.duration_us, at_ns.label("at_ns")).where(*wanted.conditions()).subquery()
    by_step: dict[str, Any] = {"partition_by": told.c.step, "order_by": (told.c.at_ns, told.c.rank)}
    whole = by_step | {"rows": (None, None)}
    return select(
        told,
        func.row_number().over(**by_step).label("place"),
        (func.dense_rank().over(order_by=told.c.step) - 1).label("iteration"),
        func.count().over(**whole).label("ranks"),
        func.last_value(told.c.at_ns).over(**whole).label("last_ns"),
        func.nth_value(told.c.at_ns, (len(offsets_ns) - 1) // 2 + 1).over(**whole).label("middle_ns"),
    ).subquery()


def _binned(arrived: Subquery, ranks: int, width: int, errors_us: Mapping[int, float | None]) -> Any:
    """Select by rank and column: the steps, the sum and the largest of the lateness, how often it was last, how often
    by more than the error, and the largest time after the last arrival.

    The query also returns when the median rank came to the first of the steps.
    """
    late_us = cast(arrived.c.at_ns - arrived.c.middle_ns, Double) / 1e3
    after_us = cast(arrived.c.at_ns - arrived.c.last_ns, Double) / 1e3 + arrived.c.duration_us
    is_last = arrived.c.place == ranks
    known = {rank: error for rank, error in errors_us.items() if error is not None}
    is_beyond = late_us > _by_rank(arrived.c.rank, known) if known else literal(False)
    counted = select(
        arrived.c.rank,
        (arrived.c.iteration // width).label("number"),
        func.count(),
        func.sum(late_us),
        func.max(late_us),
        func.sum(case((is_last, 1), else_=0)),
        func.sum(case((is_last & is_beyond, 1), else_=0)),
        func.max(after_us),
        func.min(arrived.c.middle_ns),
    )
    return counted.where(arrived.c.ranks == ranks).group_by(arrived.c.rank, "number")


def _by_rank(rank: Any, values: Mapping[int, float]) -> Any:
    """Return the value of a rank as SQL: a comparison for each run of ranks with the same value."""
    ordered = sorted(values)
    ends = [r for r, following in pairwise(ordered) if values[r] != values[following]]
    last = values[ordered[-1]]
    return case(*((rank <= end, values[end]) for end in ends), else_=last) if ends else literal(last)

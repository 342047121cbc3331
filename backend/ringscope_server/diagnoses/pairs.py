"""The pairs of nodes that a diagnosis measured, some hundreds at a time: of many nodes they are very many."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from ringscope_server.db.models import Attempt, LinkMeasurement, Member, Node
from ringscope_server.diagnoses.views import PairView

_ROWS_AT_ONCE = 500  # they take some 10 ms, for which other requests wait
_SHOWN = (
    LinkMeasurement.id,
    LinkMeasurement.first_node_id,
    LinkMeasurement.second_node_id,
    LinkMeasurement.rail,
    LinkMeasurement.round,
    LinkMeasurement.ending,
    LinkMeasurement.there,
    LinkMeasurement.back,
    LinkMeasurement.latency_us,
    LinkMeasurement.is_loaded,
    LinkMeasurement.measured_at,
)
NumberedPair = tuple[int, PairView]  # with a number for the cursor


async def pair_parts(
    session: AsyncSession,
    attempt_id: int | None,
    without_measured: bool = False,
    limit: int | None = None,
    after: int | None = None,
) -> AsyncIterator[list[NumberedPair]]:
    """Yield the pairs of an attempt and of the earlier ones of its job, oldest first.

    Args:
        without_measured: only the pairs that hung or died and were not measured later.
        limit: the number of pairs; None for all.
        after: start behind the pair with this number; None starts at the first.
    """
    attempt = await session.get(Attempt, attempt_id) if attempt_id is not None else None
    if attempt is None:
        return
    names = await names_of(session, attempt)
    more = _not_measured(attempt) if without_measured else ()
    last, left = after or 0, limit
    # One attempt after the other, because an index has the numbers of each in order.
    for number in await _until(session, attempt):
        while left is None or left > 0:
            most = _ROWS_AT_ONCE if left is None else min(left, _ROWS_AT_ONCE)
            query = select(*_SHOWN).where(LinkMeasurement.attempt_id == number, LinkMeasurement.id > last, *more)
            rows = (await session.execute(query.order_by(LinkMeasurement.id).limit(most))).all()
            if rows:
                yield [(row.id, _view(row, names)) for row in rows]
                last = rows[-1].id
            left = left and left - len(rows)
            if len(rows) < most:
                break


async def rounds_of(session: AsyncSession, attempt: Attempt | None) -> int:
    """Return the number of rounds that an attempt and the earlier ones of its job measured."""
    if attempt is None:
        return 0
    distinct = func.count(LinkMeasurement.round.distinct())
    numbers = await _until(session, attempt)
    return await session.scalar(select(distinct).where(LinkMeasurement.attempt_id.in_(numbers))) or 0


async def names_of(session: AsyncSession, attempt: Attempt | None) -> dict[int, str]:
    """Return the nodes of an attempt in rank order, by id, and then those that earlier attempts had."""
    if attempt is None:
        return {}
    members = (
        select(Member.node_id, Node.name)
        .join(Node, Node.id == Member.node_id)
        .join(Attempt, Attempt.id == Member.attempt_id)
        .where(Attempt.job_id == attempt.job_id, Attempt.id <= attempt.id)
        .order_by(Attempt.id.desc(), Member.member)
    )
    names: dict[int, str] = {}
    for row in await session.execute(members):
        names.setdefault(row.node_id, row.name)
    return names


async def _until(session: AsyncSession, attempt: Attempt) -> list[int]:
    """Return this attempt and the earlier ones of its job, oldest first."""
    query = select(Attempt.id).where(Attempt.job_id == attempt.job_id, Attempt.id <= attempt.id)
    return list(await session.scalars(query.order_by(Attempt.id)))


def _not_measured(attempt: Attempt) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of pairs that hung or died and were not measured later."""
    later = aliased(LinkMeasurement)
    is_measured = exists().where(
        later.job_id == attempt.job_id,
        later.first_node_id == LinkMeasurement.first_node_id,
        later.second_node_id == LinkMeasurement.second_node_id,
        or_(later.rail == LinkMeasurement.rail, LinkMeasurement.rail.is_(None)),
        later.id > LinkMeasurement.id,
        later.ending == "measured",
    )
    return LinkMeasurement.ending != "measured", ~is_measured


def _view(row: Any, names: Mapping[int, str]) -> PairView:
    return PairView(
        nodes=[names[row.first_node_id], names[row.second_node_id]],
        rail=row.rail,
        round=row.round,
        ending=row.ending,
        there=row.there,
        back=row.back,
        latency_us=row.latency_us,
        is_loaded=row.is_loaded,
        measured_at=row.measured_at,
    )

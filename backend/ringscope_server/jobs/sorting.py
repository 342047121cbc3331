"""The order of a list of jobs and the position of a page in it, as SQL.

By id, by ranks and by bus bandwidth, a page costs the rows that it shows and those that its filter skips before them.
By name and by samples per second it reads every job that matches.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Select, case, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Job
from ringscope_server.jobs.disturbed import IS_DISTURBED

Column = Literal["id", "name", "ranks", "busbw", "samples_per_second"]
Sort = Literal[
    "-id", "id", "-name", "name", "-ranks", "ranks", "-busbw", "busbw", "-samples_per_second", "samples_per_second"
]
NEWEST_FIRST: Sort = "-id"
assert {sort.removeprefix("-") for sort in get_args(Sort)} == set(get_args(Column))

_KEYS: dict[str, ColumnElement[Any]] = {
    "id": Job.id.expression,
    "name": func.lower(Job.name),
    "ranks": Job.ranks.expression,
    "busbw": Job.busbw_gb_per_s.expression,
    # What was disturbed is no best value; of a benchmark, busbw_gb_per_s is then null.
    "samples_per_second": case((~IS_DISTURBED, Job.summary["samples_per_second"].as_float())),
}
_OF_SOME_JOBS = ("busbw", "samples_per_second")


async def sorted_ids(session: AsyncSession, ids: Select[int], sort: Sort, limit: int, after: int | None) -> list[int]:
    """Return the ids of a page in this order: those that ``ids`` selects, after the job ``after``.

    A job whose position changes meanwhile may be on two pages or on none.
    """
    last = None
    if after is not None:
        last = await session.scalar(select(_KEYS[sort.removeprefix("-")]).where(Job.id == after))
    found: list[int] = []
    for part in parts(ids, sort, after, last):
        if len(found) < limit:
            found += await session.scalars(part.limit(limit - len(found)))
    return found


def parts(ids: Select[int], sort: Sort, after: int | None, last: Any) -> Sequence[Select[int]]:
    """Return the queries of a page, to run one after another, after the job ``after`` whose number or name is ``last``.

    Jobs without a number come last in either order, among them simulations and disturbed jobs. They have a query of
    their own, because neither database would use an index in both orders.
    """
    column, is_descending = sort.removeprefix("-"), sort.startswith("-")
    key = _KEYS[column]
    numbered = _behind(ids, [key, Job.id.expression], [last, after], is_descending)
    if column not in _OF_SOME_JOBS:
        return [numbered]
    numbered = numbered.where(key.is_not(None))
    unnumbered = ids.where(key.is_(None))
    if after is None or last is not None:
        return [numbered, _behind(unnumbered, [Job.id.expression], [None], is_descending)]
    return [_behind(unnumbered, [Job.id.expression], [after], is_descending)]


def _behind(
    ids: Select[int], keys: Sequence[ColumnElement[Any]], values: Sequence[Any], is_descending: bool
) -> Select[int]:
    if values[-1] is not None:
        mine, others = tuple_(*keys), tuple_(*values)
        ids = ids.where(mine < others if is_descending else mine > others)
    return ids.order_by(*(key.desc() if is_descending else key.asc() for key in keys))

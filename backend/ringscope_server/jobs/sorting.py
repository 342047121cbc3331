"""The order of a list of jobs, and where a page goes on in it, as SQL.

By id a page costs what it shows. Any other order reads every job that matches the filter.
"""

from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from ringscope_server.db.models import Job

Column = Literal["id", "name", "ranks", "busbw", "samples_per_second"]
Sort = Literal[
    "-id", "id", "-name", "name", "-ranks", "ranks", "-busbw", "busbw", "-samples_per_second", "samples_per_second"
]
NEWEST_FIRST: Sort = "-id"
assert {sort.removeprefix("-") for sort in get_args(Sort)} == set(get_args(Column))

# Jobs without a number come last in either order, and among them what was only simulated.
_LEAST, _MOST = -1.0, 1e300


def sorted_ids(ids: Select[int], sort: Sort, states: tuple[str, ...], limit: int, after: int | None) -> Select[int]:
    """The ids of a page in this order: those that ``ids`` selects, in one of the states, after the job ``after``.

    A job that changes its place meanwhile may be on two pages or on none.
    """
    is_descending = sort.startswith("-")
    key = _key(sort.removeprefix("-"), is_descending)
    if states:
        ids = ids.where(Job.state.in_(states))
    if after is not None:
        ids = ids.where(_beyond(key, after, is_descending))
    order = (key.desc(), Job.id.desc()) if is_descending else (key.asc(), Job.id.asc())
    return ids.order_by(*order).limit(limit)


def _key(column: str, is_descending: bool) -> ColumnElement[Any]:
    missing = _LEAST if is_descending else _MOST
    keys: dict[str, ColumnElement[Any]] = {
        "id": Job.id.expression,
        "name": func.lower(Job.name),
        "ranks": Job.ranks.expression,
        "busbw": func.coalesce(Job.busbw_gb_per_s, missing),
        "samples_per_second": func.coalesce(Job.summary["samples_per_second"].as_float(), missing),
    }
    return keys[column]


def _beyond(key: ColumnElement[Any], after: int, is_descending: bool) -> ColumnElement[bool]:
    last = select(key).where(Job.id == after).scalar_subquery()
    further = key < last if is_descending else key > last
    same = Job.id < after if is_descending else Job.id > after
    return or_(further, and_(key == last, same))

"""How many jobs there are of each kind, under a filter: what the list's own filters offer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Job
from ringscope_server.jobs.filters import JobFilter

# Somebody waits for it, and asks again every few seconds: so many of the newest jobs are counted.
MAX_JOBS = 20_000


class FacetCount(BaseModel):
    """One value that jobs have, and how many have it."""

    value: str
    count: int


class JobFacets(BaseModel):
    """Jobs counted by what they are. Each list leaves its own filter out, so that it says what another choice gives."""

    total: int = Field(description="Jobs that match the whole filter.")
    is_complete: bool = Field(description=f"Whether all jobs were counted; otherwise only the newest {MAX_JOBS:,}.")
    state: list[FacetCount]
    kind: list[FacetCount]
    collective: list[FacetCount]
    algorithm: list[FacetCount] = Field(description="The counts by algorithm; a job counts for each of its algorithms.")
    user: list[FacetCount]


class _Group(NamedTuple):
    """So many jobs that do not differ in any facet; a facet may have several values."""

    facets: dict[str, frozenset[str]]
    jobs: int


async def count(session: AsyncSession, wanted: JobFilter) -> JobFacets:
    """One look at the newest jobs that match what is no facet: text, labels, schedule and node."""
    rest = replace(wanted, states=(), kind=None, user=None, collective=None, algorithm=None)
    columns = (Job.state, Job.kind, Job.user, Job.collective, Job.algorithms)
    newest = select(*columns).where(*rest.conditions()).order_by(Job.id.desc()).limit(MAX_JOBS).subquery()
    rows = await session.execute(select(*newest.c, func.count()).group_by(*newest.c))
    groups = [
        _Group(
            {
                "state": frozenset([state]),
                "kind": frozenset([kind]),
                "user": frozenset([user]),
                "collective": frozenset([collective] if collective else []),
                "algorithm": frozenset(filter(None, algorithms.split(","))),
            },
            number,
        )
        for (state, kind, user, collective, algorithms), number in ((row[:-1], row[-1]) for row in rows)
    ]
    return _facets(groups, _chosen(wanted))


def _chosen(wanted: JobFilter) -> dict[str, frozenset[str]]:
    """Of each facet that is filtered by the values that pass."""
    one = {name: getattr(wanted, name) for name in ("kind", "user", "collective", "algorithm")}
    chosen = {"state": frozenset(wanted.states)} | {
        name: frozenset([value] if value else []) for name, value in one.items()
    }
    return {name: values for name, values in chosen.items() if values}


def _facets(groups: Sequence[_Group], chosen: dict[str, frozenset[str]]) -> JobFacets:
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("state", "kind", "user", "collective", "algorithm")}
    total = 0
    for group in groups:
        failed = [name for name, values in chosen.items() if values.isdisjoint(group.facets[name])]
        if not failed:
            total += group.jobs
        # What fails by one filter alone is what another choice there would give.
        for name in counts if not failed else failed if len(failed) == 1 else ():
            counts[name].update(dict.fromkeys(group.facets[name], group.jobs))
    is_complete = sum(group.jobs for group in groups) < MAX_JOBS
    return JobFacets(
        total=total, is_complete=is_complete, **{name: _most_first(counter) for name, counter in counts.items()}
    )


def _most_first(counter: Counter[str]) -> list[FacetCount]:
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return [FacetCount(value=value, count=number) for value, number in ordered]

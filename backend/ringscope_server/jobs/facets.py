"""The number of jobs of each kind under a filter, for the filters of the job list."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Job
from ringscope_server.jobs.filters import JobFilter

# A page requests this every few seconds, so only this number of the newest jobs is counted.
MAX_JOBS = 20_000

_FACETS = ("state", "kind", "collective", "algorithm", "user", "judgement")


class FacetCount(BaseModel):
    """One value of jobs, and the number of jobs that have it."""

    value: str
    count: int


class JobFacets(BaseModel):
    """Jobs counted by their fields. Each list ignores its own filter, to show what another choice would give."""

    total: int = Field(description="Jobs that match the whole filter.")
    is_complete: bool = Field(description=f"Whether all jobs were counted; otherwise only the newest {MAX_JOBS:,}.")
    state: list[FacetCount]
    kind: list[FacetCount]
    collective: list[FacetCount]
    algorithm: list[FacetCount] = Field(description="The counts by algorithm; a job counts for each of its algorithms.")
    user: list[FacetCount]
    judgement: list[FacetCount] = Field(description="The counts by judgement, without jobs that were not judged.")


class _Group(NamedTuple):
    """A number of jobs that do not differ in any facet; a facet may have several values."""

    facets: dict[str, frozenset[str]]
    jobs: int


async def count(session: AsyncSession, wanted: JobFilter) -> JobFacets:
    """Count the newest jobs in one query, which filters by what is no facet: text, labels, schedule and node."""
    rest = replace(wanted, states=(), kind=None, user=None, collective=None, algorithm=None, judgement=None)
    columns = (Job.state, Job.kind, Job.user, Job.collective, Job.judgement, Job.algorithms)
    newest = select(*columns).where(*rest.conditions()).order_by(Job.id.desc()).limit(MAX_JOBS).subquery()
    rows = await session.execute(select(*newest.c, func.count()).group_by(*newest.c))
    groups = [
        _Group(
            {
                "state": frozenset([state]),
                "kind": frozenset([kind]),
                "user": frozenset([user]),
                "collective": frozenset([collective] if collective else []),
                "judgement": frozenset([judgement] if judgement else []),
                "algorithm": frozenset(filter(None, algorithms.split(","))),
            },
            number,
        )
        for (state, kind, user, collective, judgement, algorithms), number in ((row[:-1], row[-1]) for row in rows)
    ]
    return _facets(groups, _chosen(wanted))


def _chosen(wanted: JobFilter) -> dict[str, frozenset[str]]:
    """Return the values that pass, for each facet that is filtered."""
    one = {name: getattr(wanted, name) for name in _FACETS if name != "state"}
    chosen = {"state": frozenset(wanted.states)} | {
        name: frozenset([value] if value else []) for name, value in one.items()
    }
    return {name: values for name, values in chosen.items() if values}


def _facets(groups: Sequence[_Group], chosen: dict[str, frozenset[str]]) -> JobFacets:
    counts: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    total = 0
    for group in groups:
        failed = [name for name, values in chosen.items() if values.isdisjoint(group.facets[name])]
        if not failed:
            total += group.jobs
        # A job that fails only one filter is what another choice there would give.
        for name in counts if not failed else failed if len(failed) == 1 else ():
            counts[name].update(dict.fromkeys(group.facets[name], group.jobs))
    is_complete = sum(group.jobs for group in groups) < MAX_JOBS
    return JobFacets(
        total=total, is_complete=is_complete, **{name: _most_first(counter) for name, counter in counts.items()}
    )


def _most_first(counter: Counter[str]) -> list[FacetCount]:
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return [FacetCount(value=value, count=number) for value, number in ordered]

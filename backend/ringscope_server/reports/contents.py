"""The contents of a job's report: everything is read in one session, and the page is made without one."""

from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from typing import Self

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.judging.caveats import caveat_sentences, is_foreign, unstable_sentences
from ringscope.report.document import made
from ringscope.report.jobs import links_between, reported_job, unused_nodes, used_nodes
from ringscope.report.page import render
from ringscope_server.db.models import Node
from ringscope_server.imports import judgement
from ringscope_server.imports.preview import BandwidthJudgement
from ringscope_server.jobs.views import BenchmarkSummary, JobView
from ringscope_server.results import queries
from ringscope_server.results.links.listed import links
from ringscope_server.results.links.newest import Wanted
from ringscope_server.results.links.views import LinkView
from ringscope_server.results.views import AttemptEnvironment, MeasurementView

MAX_ROWS = 100_000  # more than any sweep has; a page with more would be too large to open


@dataclass(frozen=True)
class Contents:
    """A job with its rows and its judgement, and the cluster around it."""

    job: JobView
    rows: list[MeasurementView]
    judgement: BandwidthJudgement | None
    environment: AttemptEnvironment | None
    links: list[LinkView]
    nodes: list[str]

    @classmethod
    async def read(cls, session: AsyncSession, job: JobView) -> Self:
        """Read the contents of a benchmark's or an imported job's report."""
        attempt_id = await queries.attempt_of(session, job.id, None)
        if attempt_id is None:
            rows = await queries.imported_measurements(session, job.id, MAX_ROWS, None)
        else:
            rows = await queries.measurements(session, attempt_id, MAX_ROWS, None)
        environments = await queries.environments(session, job.id)
        used = job.attempts[-1].nodes if job.attempts else []
        return cls(
            job=job,
            rows=rows,
            judgement=await judgement.of_job(session, job.id),
            environment=environments[-1] if environments else None,
            links=[link for _, link in await links(session, Wanted(between=frozenset(used)))] if len(used) > 1 else [],
            nodes=list(await session.scalars(select(Node.name))) if used else [],
        )

    def page(self, now: datetime) -> str:
        """Return the HTML file. It takes 0.1 s for a thousand rows, so the event loop must not make it."""
        job, summary = self.job, self.job.summary
        crowded = (summary.ranks, summary.cores) if isinstance(summary, BenchmarkSummary) else (0, None)
        lowered = summary.lowered_max_bytes if isinstance(summary, BenchmarkSummary) else None
        disturbed = job.attempts[-1].disturbed_by if job.attempts else None
        foreign = is_foreign(job.kind, job.is_adopted)
        caveats = caveat_sentences(job.spec.benchmark, foreign, *crowded, disturbed, lowered)
        part = reported_job(
            job.model_dump(mode="json"),
            [row.model_dump(mode="json") for row in self.rows],
            None if self.judgement is None else self.judgement.model_dump(mode="json"),
            None if self.environment is None else self.environment.model_dump(mode="json"),
            [*caveats, *unstable_sentences(self.rows)],
        )
        used = used_nodes([part])
        between = links_between([link.model_dump(mode="json") for link in self.links], used)
        return render(made([part], between, unused_nodes(self.nodes, used), now, metadata.version("ringscope")))

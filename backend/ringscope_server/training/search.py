"""A strategy search as one attempt has told it, and its summary, which is stored with the job."""

from collections.abc import Sequence

from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.search.record import SearchTold
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.words.job_states import TERMINAL, WAITING
from ringscope.search.told import ToldSearch
from ringscope_server.db.models import Attempt, Job, SearchRecord
from ringscope_server.db.specs import valid_spec
from ringscope_server.jobs.views import TrainingSummary
from ringscope_server.training.views import RunningCandidate, SearchView

_TOLD: TypeAdapter[SearchTold] = TypeAdapter(SearchTold)


async def told_search(session: AsyncSession, attempt_id: int | None, spec: StrategySearchSpec) -> ToldSearch:
    """Return what an attempt has told of its search."""
    query = select(SearchRecord.told).where(SearchRecord.attempt_id == attempt_id).order_by(SearchRecord.id)
    return ToldSearch.of(map(_TOLD.validate_python, await session.scalars(query)), spec)


async def search_view(session: AsyncSession, attempt_id: int | None, spec: JobSpec) -> SearchView | None:
    """Return the search of an attempt; None for a job of another kind."""
    if spec.strategy_search is None:
        return None
    told = await told_search(session, attempt_id, spec.strategy_search)
    verdict, running = told.verdict(), told.running
    return SearchView(
        winner=verdict.winner,
        sentence=verdict.sentence,
        candidates=verdict.candidates,
        runs=len(told.runs) + len(told.targets),
        spent_seconds=told.spent_seconds,
        budget_seconds=spec.strategy_search.budget_seconds,
        is_complete=not told.fault(),
        running=RunningCandidate(name=running.candidate, round=running.round, epochs=running.epochs)
        if running
        else None,
    )


async def refresh(session: AsyncSession, attempt_id: int, job_id: int, told: Sequence[SearchTold]) -> None:
    """Store new records, and the verdict so far with the job, unless it ended or is at another attempt now."""
    session.add_all(SearchRecord(attempt_id=attempt_id, told=each.model_dump(mode="json")) for each in told)
    await session.flush()
    job = await session.get_one(Job, job_id)
    newest = await session.scalar(select(func.max(Attempt.id)).where(Attempt.job_id == job_id))
    spec = valid_spec(job)
    if spec is None or spec.strategy_search is None or job.state in WAITING | TERMINAL or newest != attempt_id:
        return
    found = await told_search(session, attempt_id, spec.strategy_search)
    verdict = found.verdict()
    told_so_far = {"kind": "strategy_search", "winner": verdict.winner, "verdict": verdict.sentence}
    summary = TrainingSummary.model_validate(job.summary | told_so_far)
    job.rows_done, job.summary = len(found.runs) + len(found.targets), summary.model_dump(mode="json")

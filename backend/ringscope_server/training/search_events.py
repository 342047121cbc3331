"""Events of a strategy search: which candidate left and why, and which run was lost.

An attempt tells the runs of all attempts before it again, so that an event is recorded only if the job has none of it.
"""

from collections import Counter
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.search.record import SearchDone, SearchRun
from ringscope_server.db.models import Attempt, Event, Job
from ringscope_server.db.specs import valid_spec
from ringscope_server.events import audit
from ringscope_server.training.search import told_search

LEFT, LOST = "search.candidate_left", "search.run_lost"


async def record(session: AsyncSession, attempt: Attempt, now: datetime) -> None:
    """Record what the search of the attempt's job has lost so far and has no event of."""
    spec = valid_spec(await session.get_one(Job, attempt.job_id))
    if spec is None or spec.strategy_search is None:
        return
    told = await told_search(session, attempt.id, spec.strategy_search)
    done: list[SearchDone] = [*told.runs, *told.targets]
    lost = [run for run in done if run.failure]
    departures = told.rounds.departures
    if not lost and not departures:
        return
    target = "job", attempt.job_id
    known = await _known(session, attempt.job_id)
    for gone in departures:
        if (LEFT, gone.candidate) not in known:
            sentence = f"{gone.candidate} left after round {gone.round + 1}. {gone.sentence}"
            audit.record(session, now, audit.SYSTEM, LEFT, target, after=gone.candidate, message=sentence)
    seen: Counter[str] = Counter()
    for run in lost:
        what = f"{run.candidate}, {_turn(run)}"
        seen[what] += 1
        if seen[what] > known[LOST, what]:
            sentence = f"The run of {what} was lost: {await _why(session, attempt, run)}"
            audit.record(session, now, audit.SYSTEM, LOST, target, after=what, message=sentence)


def _turn(run: SearchDone) -> str:
    return f"round {run.round + 1}" if isinstance(run, SearchRun) else f"{run.epochs} epochs to the target"


async def _known(session: AsyncSession, job_id: int) -> Counter[tuple[str, str | None]]:
    query = select(Event.action, Event.after).where(
        Event.target_type == "job", Event.target_id == str(job_id), Event.action.in_((LEFT, LOST))
    )
    return Counter((action, after) for action, after in await session.execute(query))


async def _why(session: AsyncSession, attempt: Attempt, run: SearchDone) -> str:
    """Return why a run was lost: what the run says of itself, and how the attempt before this one ended."""
    query = select(Attempt.message).where(Attempt.job_id == attempt.job_id, Attempt.number < attempt.number)
    ended = await session.scalar(query.order_by(Attempt.number.desc()).limit(1)) or ""
    return run.failure if run.failure in ended or not ended else f"{run.failure} {ended}"

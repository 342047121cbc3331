"""The messages of the live stream after a commit."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import select

from ringscope.contracts import record
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Insight, Node
from ringscope_server.insights.views import InsightView
from ringscope_server.jobs import queries
from ringscope_server.jobs.views import JobView
from ringscope_server.live.messages import QUEUE, MessageType
from ringscope_server.live.notices import Rows
from ringscope_server.live.steps import LiveSteps
from ringscope_server.live.stream import EVERYBODY, LATE, Stream
from ringscope_server.nodes.queries import views
from ringscope_server.results import log, newest_steps, step_blocks
from ringscope_server.results import queries as results
from ringscope_server.results.log import LogFilter
from ringscope_server.results.step_blocks import StepBlock
from ringscope_server.results.views import LogLine, MeasurementView, NewestSteps

JOBS_AT_ONCE = 50  # jobs read by one query, each some 0.15 ms, so that requests are answered in between


async def publish_jobs(database: Database, stream: Stream, job_ids: Collection[int]) -> None:
    """Send each job in its present state."""
    if not job_ids:
        return
    if not stream.subscribers:
        stream.publish_nothing()
        return
    if len(job_ids) > QUEUE:
        stream.start_over()  # it is more than any reader can keep
        return
    listed = list(job_ids)
    for first in range(0, len(listed), JOBS_AT_ONCE):
        async with database.read() as session:
            views = await queries.those(session, listed[first : first + JOBS_AT_ONCE])
        for job in views:
            _publish_job(stream, job)


def publish_new_job(stream: Stream, job: JobView) -> None:
    """Send a job as it was submitted, unless a newer state of it has been sent meanwhile."""
    if not stream.subscribers:
        stream.publish_nothing()
    elif not stream.remembers(_job_key(job.id)):
        _publish_job(stream, job)


def publish_lateness(stream: Stream, sentence: str | None) -> None:
    """Send every reader which of the server's own tasks is late; None if none is any more."""
    stream.publish((EVERYBODY,), "late", {"sentence": sentence}, key=LATE)


def _publish_job(stream: Stream, job: JobView) -> None:
    stream.publish(("jobs", f"job:{job.id}"), "job", job.model_dump(mode="json"), key=_job_key(job.id))


def _job_key(job_id: int) -> str:
    return f"job:{job_id}"


async def publish_nodes(database: Database, stream: Stream, node_ids: Collection[int], now: datetime) -> None:
    """Send each node in its present state; if one was removed, readers must load the nodes again."""
    if not node_ids:
        return
    if not stream.subscribers:
        stream.publish_nothing()
        return
    if len(node_ids) > QUEUE:
        stream.start_over()
        return
    async with database.read() as session:
        found = (await session.scalars(select(Node).where(Node.id.in_(node_ids)).order_by(Node.id))).all()
        nodes = await views(session, [node for node in found if node.removed_at is None], now)
    if len(nodes) < len(found):
        stream.publish(("nodes",), "reset", {})
    for node in nodes:
        stream.publish(("nodes",), "node", node.model_dump(mode="json"), key=f"node:{node.id}")


async def publish_insights(database: Database, stream: Stream, insight_ids: Collection[int]) -> None:
    """Send insights that were opened or closed."""
    if not stream.subscribers:
        stream.publish_nothing()
        return
    async with database.read() as session:
        found = (await session.scalars(select(Insight).where(Insight.id.in_(insight_ids)).order_by(Insight.id))).all()
    for insight in found:
        view = InsightView.model_validate(insight, from_attributes=True)
        name: MessageType = "insight_opened" if insight.until is None else "insight_closed"
        data = {"job_id": insight.job_id} | view.model_dump(mode="json")
        stream.publish(("jobs", f"job:{insight.job_id}"), name, data)


async def publish_rows(database: Database, stream: Stream, steps: LiveSteps, rows: Rows) -> None:
    """Send the rows that another server stored, and count those of steps."""
    if rows.table == "steps":
        await _note_rows(database, stream, steps, rows)
        return
    if not stream.subscribers:
        stream.publish_nothing()
        return
    if rows.table == "log" and rows.job_id not in stream.watched_jobs:
        publish_log(stream, rows.job_id, ())
        return
    count, after = rows.last_id - rows.first_id + 1, rows.first_id - 1
    async with database.read() as session:
        if rows.table == "measurements":
            attempt_id = await results.attempt_of(session, rows.job_id, None)
            found = await results.measurements(session, attempt_id, count, after)
            publish_measurements(stream, rows.job_id, [row for row in found if row.id <= rows.last_id])
        else:
            lines = await log.lines(session, LogFilter(rows.job_id), count, after)
            publish_log(stream, rows.job_id, [line for line in lines if line.id <= rows.last_id])


def publish_measurements(stream: Stream, job_id: int, items: list[MeasurementView]) -> None:
    """Send new rows of a sweep's table."""
    if items:
        data = {"job_id": job_id, "items": [item.model_dump(mode="json") for item in items]}
        stream.publish((f"job:{job_id}",), "measurements", data)


def publish_log(stream: Stream, job_id: int, items: Iterable[LogLine]) -> None:
    """Send new lines of output; they are not read for an unwatched job, and a reader that resumes must start over."""
    told = [item.model_dump(mode="json") for item in items] if job_id in stream.watched_jobs else []
    if told:
        stream.publish((f"job:{job_id}",), "log", {"job_id": job_id, "items": told})
    else:
        stream.publish((f"job:{job_id}",), "reset", {}, key=f"log:{job_id}")


def note_steps(stream: Stream, steps: LiveSteps, job_id: int, attempt_id: int, told: Sequence[record.Steps]) -> None:
    """Count new steps, to be sent soon; nothing is counted for a job without watchers."""
    records = [each for each in told if each.start_ns]
    if not records:
        return
    if stream.is_watched(job_id):
        steps.note(job_id, attempt_id, map(step_blocks.of_record, records))
    else:
        _pass_over(stream, steps, job_id)


async def _note_rows(database: Database, stream: Stream, steps: LiveSteps, rows: Rows) -> None:
    if not stream.is_watched(rows.job_id):
        _pass_over(stream, steps, rows.job_id)
        return
    blocks: list[StepBlock] = []
    async with database.read() as session:
        attempt_id = await results.attempt_of(session, rows.job_id, None)
        if attempt_id is not None:
            ranks = await queries.ranks_of(session, rows.job_id)
            blocks = await newest_steps.blocks_between(session, attempt_id, rows.first_id, rows.last_id, ranks)
    if attempt_id is not None and blocks:
        steps.note(rows.job_id, attempt_id, blocks)


def _pass_over(stream: Stream, steps: LiveSteps, job_id: int) -> None:
    """Forget the steps, so that a reader that resumes from before now must request them."""
    steps.forget([job_id])
    _publish_newest(stream, job_id, None)


def publish_steps(stream: Stream, items: Iterable[NewestSteps]) -> None:
    """Send the newest steps of these jobs' ranks."""
    for newest in items:
        _publish_newest(stream, newest.job_id, newest)


def _publish_newest(stream: Stream, job_id: int, newest: NewestSteps | None) -> None:
    data = {"job_id": job_id, "newest": newest and newest.model_dump(mode="json")}
    stream.publish((f"job:{job_id}",), "steps", data, key=f"steps:{job_id}")

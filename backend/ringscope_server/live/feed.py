"""What the live stream says after a commit."""

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import select

from ringscope_server.db.engine import Database
from ringscope_server.db.models import Insight, Node
from ringscope_server.insights.views import InsightView
from ringscope_server.jobs import queries
from ringscope_server.live.notices import Rows
from ringscope_server.live.stream import MessageType, Stream
from ringscope_server.nodes.queries import views
from ringscope_server.results import log
from ringscope_server.results import queries as results
from ringscope_server.results.log import LogFilter
from ringscope_server.results.views import LogLine, MeasurementView


async def publish_jobs(database: Database, stream: Stream, job_ids: Iterable[int]) -> None:
    """Send each job as it now stands."""
    if not stream.subscribers:
        stream.publish_nothing()
        return
    async with database.read() as session:
        views = [await queries.one(session, job_id) for job_id in job_ids]
    for job in views:
        if job is not None:
            topics = ("jobs", f"job:{job.id}")
            stream.publish(topics, "job", job.model_dump(mode="json"), key=f"job:{job.id}")


async def publish_nodes(database: Database, stream: Stream, node_ids: Iterable[int], now: datetime) -> None:
    """Send each node as it now stands; where one was taken off the lists, these are to be read anew."""
    if not stream.subscribers:
        stream.publish_nothing()
        return
    async with database.read() as session:
        found = [await session.get_one(Node, node_id) for node_id in node_ids]
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


async def publish_rows(database: Database, stream: Stream, rows: Rows) -> None:
    """Send the rows that another server stored."""
    if not stream.subscribers:
        stream.publish_nothing()
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


def publish_log(stream: Stream, job_id: int, items: list[LogLine]) -> None:
    """Send new lines of output."""
    if items:
        data = {"job_id": job_id, "items": [item.model_dump(mode="json") for item in items]}
        stream.publish((f"job:{job_id}",), "log", data)

"""What the live stream says after a commit."""

from collections.abc import Iterable
from datetime import datetime

from ringscope_server.db.engine import Database
from ringscope_server.db.models import Node
from ringscope_server.events.stream import Stream
from ringscope_server.jobs import queries
from ringscope_server.nodes.queries import occupancy, view
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
    """Send each node as it now stands."""
    if not stream.subscribers:
        stream.publish_nothing()
        return
    async with database.read() as session:
        taken = await occupancy(session)
        nodes = [await session.get_one(Node, node_id) for node_id in node_ids]
    for node in nodes:
        data = view(node, taken, now).model_dump(mode="json")
        stream.publish(("nodes",), "node", data, key=f"node:{node.id}")


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

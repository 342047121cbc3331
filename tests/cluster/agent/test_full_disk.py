"""A data directory on a file system of 32 MiB that fills up while a job runs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.agent.conftest import eventually
from tests.agent.fake_server import FakeServer
from tests.cluster.agent.conftest import AgentProcess
from tests.cluster.small_disk import fill, small_disk

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import Log

pytestmark = pytest.mark.long


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "data") as disk:
        yield disk


def records_lost(metrics_address: str) -> float:
    """Return how many records the agent's metrics page counts as lost to a full disk."""
    prefix = 'ringscope_agent_records_dropped_total{reason="spool_full"} '
    lines = httpx.get(f"http://{metrics_address}/metrics").text.splitlines()
    return next(float(line.removeprefix(prefix)) for line in lines if line.startswith(prefix))


async def test_a_job_goes_on_while_the_disk_is_full_and_what_was_lost_is_counted_and_told(
    disk: Path, server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start(RINGSCOPE_METRICS_LINGER_SECONDS="60")
    await server.assign(assignment(ranks=2, algorithms=["mpi"], max_bytes=1 << 20, step_factor=2, iterations=1000))
    await server.wait_until(lambda: len(server.records[7]) > 4)
    ballast = fill(disk)
    page = server.registrations[0].metrics_address
    await eventually(lambda: records_lost(page) > 1)
    ballast.unlink()

    def told() -> list[str]:
        return [record.text for record in server.parsed(7) if isinstance(record, Log) and "disk" in record.text]

    await server.wait_until(told)
    ended = await server.wait_for("ended", 7, seconds=180)
    assert ended.reason == "completed"
    clean = await server.wait_for("clean", 7)
    assert clean.last_sequence == len(server.records[7])
    assert told() == [
        "This node's disk is full, and records are lost; the job goes on.",
        f"{records_lost(page):.0f} records were lost, because this node's disk was full.",
    ]


async def test_a_job_that_a_full_disk_keeps_from_starting_is_refused(
    disk: Path, server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start()
    await server.wait_until(lambda: bool(server.registrations))
    fill(disk)
    await server.assign(assignment())
    refused = await server.wait_for("refused", 7)
    assert refused.message.startswith("Node n1 cannot take attempt 7 on: [Errno 28] No space left on device")
    await server.wait_for("clean", 7)

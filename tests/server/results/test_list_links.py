"""GET /links."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from tests.server.conftest import FakeAgent, Server, measurement

from ringscope_server.db.models import Attempt, Job, LinkMeasurement

SENDRECV = {
    "benchmark": {"collective": "sendrecv", "algorithms": ["mpi"], "min_bytes": 1024, "max_bytes": 1024},
    "placement": {"ranks": 2, "nodes": 2},
}


async def links(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await server.admin.get("/api/v1/links")).json()["items"]
    return found


async def run_pair(
    server: Server,
    agents: list[FakeAgent],
    busbw: float,
    transport: str = "mpi",
    busy_seconds: float = 0,
    state: str = "succeeded",
    mode: dict[str, Any] | None = None,
    **more: Any,
) -> int:
    """A sendrecv between two nodes to its end; each was busy so long with something else."""
    placement = {"ranks": 2, "node_names": [agent.name for agent in agents]}
    job = await server.submit(benchmark=SENDRECV["benchmark"] | (mode or {}), placement=placement)
    for agent in agents:
        agent.sequence = 0
    await server.one_pass()
    attempt_id: int = (await agents[0].assignments())[-1]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            await agent.report(attempt_id, event)
    rows = [
        measurement(
            "mpi",
            collective="sendrecv",
            op="none",
            transport=transport,
            busbw_gb_per_s=busbw,
            in_place=in_place,
            **more,
        )
        for in_place in (False, True)
    ]
    await agents[0].records(attempt_id, *rows)
    load = {"machine": "", "processors": 2, "seconds": 10.0, "busy_seconds": busy_seconds, "own_seconds": 0.0}
    for agent in agents:
        await agent.report(attempt_id, "ended", reason="completed", load=load)
    for agent in agents:
        await agent.report(attempt_id, "clean", last_sequence=agent.sequence)
    found = await server.job(job["id"])
    assert found["state"] == state, found
    number: int = job["id"]
    return number


async def test_nothing_is_listed_before_it_is_measured(server: Server) -> None:
    await server.node("n1")
    await server.node("n2")
    assert await links(server) == []


async def test_the_newest_job_of_a_pair_counts(server: Server) -> None:
    agents = [await server.node("n1", slots=2), await server.node("n2", slots=2)]
    await run_pair(server, agents, 5.0)
    newest = await run_pair(server, agents, 3.0)
    (link,) = await links(server)
    assert (link["nodes"], link["busbw_gb_per_s"], link["job_id"]) == (["n1", "n2"], 3.0, newest)
    (racks,) = (await server.admin.get("/api/v1/links/racks")).json()["items"]
    assert (racks["racks"], racks["slowest_nodes"], racks["newest_at"]) == (
        [None, None],
        ["n1", "n2"],
        link["measured_at"],
    )
    assert racks["slowest_low_gb_per_s"] == racks["slowest_high_gb_per_s"] == pytest.approx(3.0)


@pytest.mark.parametrize("is_later", [True, False])
async def test_of_a_sendrecv_and_a_diagnosis_the_newer_one_counts(server: Server, is_later: bool) -> None:
    agents = [await server.node("n1", slots=2), await server.node("n2", slots=2)]
    other = await run_pair(server, agents, 5.0)
    sendrecv = await run_pair(server, agents, 3.0)
    (link,) = await links(server)
    rate = {"low": 0.9e9, "high": 1.1e9, "spread": 0.01, "messages": 12}
    shift = timedelta(seconds=1 if is_later else -1)
    async with server.services.database.write() as session:
        (await session.get_one(Job, other)).kind = "diagnosis"
        attempt_id = await session.scalar(select(Attempt.id).where(Attempt.job_id == other))
        ends = {"first_node_id": 1, "second_node_id": 2, "there": rate, "back": rate, "ending": "measured"}
        told = {"attempt_id": attempt_id, "job_id": other, "round": 0, "is_loaded": False, "both_ways": False}
        measured_at = datetime.fromisoformat(link["measured_at"]) + shift
        session.add(LinkMeasurement(**ends, **told, size_bytes=1024, measured_at=measured_at))
    (link,) = await links(server)
    counts = (other, 1.0) if is_later else (sendrecv, 3.0)
    assert (link["job_id"], link["busbw_gb_per_s"]) == counts
    assert (await server.admin.get("/api/v1/links", params={"limit": 5})).json()["items"] == [link]
    (racks,) = (await server.admin.get("/api/v1/links/racks")).json()["items"]
    assert (racks["measured"], racks["slowest_gb_per_s"]) == (1, pytest.approx(counts[1]))


async def test_what_was_simulated_is_no_measurement(server: Server) -> None:
    agents = [await server.node("n1", slots=2), await server.node("n2", slots=2)]
    await run_pair(server, agents, 5.0, transport="simulated", state="failed")
    assert await links(server) == []


async def test_what_was_disturbed_or_crowded_is_marked_and_stands_for_no_link_that_was_measured_alone(
    server: Server,
) -> None:
    agents = [await server.node("n1", slots=2), await server.node("n2", slots=2)]
    busy = await run_pair(server, agents, 1.0, busy_seconds=10)
    (link,) = await links(server)
    assert (link["job_id"], link["disturbed_by"][:15]) == (busy, "Other load took")
    crowded = await run_pair(server, agents, 2.0, cores=1)
    (link,) = await links(server)
    assert (link["job_id"], link["disturbed_by"]) == (crowded, "2 ranks on 1 core")
    clean = await run_pair(server, agents, 5.0)
    await run_pair(server, agents, 1.0, busy_seconds=10)
    (link,) = await links(server)
    assert (link["busbw_gb_per_s"], link["job_id"], link["disturbed_by"]) == (5.0, clean, None)


@pytest.mark.parametrize("mode", [{"average": "min"}, {"blocking": 1}, {"rotate": True}, {"aggregate": 10}], ids=str)
async def test_what_was_measured_in_another_mode_does_not_stand_for_the_link(
    server: Server, mode: dict[str, Any]
) -> None:
    agents = [await server.node("n1", slots=2), await server.node("n2", slots=2)]
    usual = await run_pair(server, agents, 5.0)
    await run_pair(server, agents, 9.0, mode=mode)
    (link,) = await links(server)
    assert (link["busbw_gb_per_s"], link["job_id"]) == (5.0, usual)


async def test_a_link_says_of_its_row_what_a_summary_of_an_earlier_version_does_not_tell(server: Server) -> None:
    agents = [await server.node("n1", slots=2), await server.node("n2", slots=2)]
    job_id = await run_pair(server, agents, 5.0, cv_percent=21.0)
    assert [(link["is_unstable"], link["iterations"]) for link in await links(server)] == [(True, 20)]
    async with server.services.database.write() as session:
        job = await session.get_one(Job, job_id)
        later = ("is_unstable", "iterations")
        best = [{name: value for name, value in row.items() if name not in later} for row in job.summary["best"]]
        job.summary = job.summary | {"best": best}
    assert [(link["is_unstable"], link["iterations"]) for link in await links(server)] == [(False, None)]


async def test_links_come_page_by_page_by_name_whatever_is_measured_meanwhile(server: Server) -> None:
    agents = [await server.node(f"n{number}", slots=1) for number in range(4)]
    for first, second in ((2, 3), (1, 3), (0, 3), (1, 2), (0, 1)):
        for agent in agents:
            await server.admin.post(f"/api/v1/nodes/{agent.name}/drain", json={"reason": "out of the way"})
        pair = [agents[first], agents[second]]
        for agent in pair:
            await server.admin.post(f"/api/v1/nodes/{agent.name}/resume")
        await run_pair(server, pair, 5.0)
    pages = [["".join(link["nodes"]) for link in page] for page in await server.pages("/links", limit=2)]
    assert pages == [["n0n1", "n0n3"], ["n1n2", "n1n3"], ["n2n3"]]
    assert len(await links(server)) == 5
    page = {"limit": 1}
    first = (await server.admin.get("/api/v1/links", params=page)).json()
    await run_pair(server, pair, 6.0)  # once more the pair that this page ends with
    second = (await server.admin.get("/api/v1/links", params=page | {"cursor": first["next"]})).json()
    assert [item["nodes"] for item in (*first["items"], *second["items"])] == [["n0", "n1"], ["n0", "n3"]]
    assert (await server.admin.get("/api/v1/links", params={"limit": 1001})).status_code == 422

"""A slot that could not be proven free is not given away, and does not keep its job open."""

from typing import Any

from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.db.models import QuarantinedSlot
from ringscope_server.events.queries import of_target

LEFT = "2 processes cannot be ended: 4711 (python), 4712 (python)."


async def quarantined(server: Server) -> list[tuple[int, str]]:
    async with server.services.database.read() as session:
        rows = await session.execute(select(QuarantinedSlot.slot, QuarantinedSlot.message))
        return [(row.slot, row.message) for row in rows]


async def node_of_target(server: Server) -> list[tuple[str, str]]:
    async with server.services.database.read() as session:
        found = await of_target(session, "node", "n1", 100, None)
    return [(event.action, event.message) for event in found if "quarantine" in event.action]


async def ended(server: Server) -> tuple[Any, dict[str, Any], int]:
    agent = await server.node(slots=2)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.report(attempt, "ended", reason="rank_signal", message="killed")
    return agent, job, attempt


async def test_the_job_ends_but_its_slots_stay_taken(server: Server) -> None:
    agent, job, attempt = await ended(server)
    for _ in range(2):
        assert (await agent.report(attempt, "unclean", message=LEFT)).status_code == 204
    found = await server.job(job["id"])
    assert (found["state"], found["reason"]) == ("failed", "rank_signal")
    assert await quarantined(server) == [(0, LEFT), (1, LEFT)]
    assert await node_of_target(server) == [("node.quarantined", f"Slots 0, 1: {LEFT}")]
    waiting = await server.submit(**ONE_SIZE)
    await server.one_pass()
    assert (await server.job(waiting["id"]))["state"] == "queued"
    assert [(a["attempt_id"], a["desired"]) for a in await agent.assignments()] == [(attempt, "stop")]


async def test_proof_that_nothing_is_left_lifts_it(server: Server) -> None:
    agent, _, attempt = await ended(server)
    await agent.report(attempt, "unclean", message=LEFT)
    await agent.report(attempt, "clean")
    await agent.report(attempt, "unclean", message="old news")
    assert await quarantined(server) == []
    lifted = ("node.unquarantined", "Slots 0, 1: no process of the attempt is left.")
    assert (await node_of_target(server))[1:] == [lifted]
    waiting = await server.submit(**ONE_SIZE)
    await server.one_pass()
    assert (await server.job(waiting["id"]))["state"] == "starting"


async def test_a_job_waits_for_the_nodes_that_can_still_be_asked(server: Server) -> None:
    first, second = await server.node("n1", 1), await server.node("n2", 1)
    job = await server.submit(**ONE_SIZE)
    await server.one_pass()
    attempt = (await first.assignments())[-1]["attempt_id"]
    await first.report(attempt, "refused", message="no")
    await first.report(attempt, "unclean", message=LEFT)
    assert (await server.job(job["id"]))["state"] == "stopping"
    await second.report(attempt, "clean")
    assert (await server.job(job["id"]))["state"] == "failed"
    assert await quarantined(server) == [(0, LEFT)]

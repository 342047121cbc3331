"""The snapshot reads only changed rows from the tables, and sees every change, whichever process made it."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, update
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server

from ringscope_server.db.models import Allocation, Attempt, Job, Node, QuarantinedSlot
from ringscope_server.placement import tables
from ringscope_server.placement.cluster import Cluster
from ringscope_server.placement.room import Room
from ringscope_server.placement.snapshot import Policy, Snapshot

Change = Callable[[Server, FakeAgent, int], Awaitable[Any]]


async def taken(server: Server) -> Snapshot:
    async with server.services.database.read() as session:
        return await tables.take_snapshot(session, (), Policy(), server.clock())


def stored(model: type[Node | Job | Attempt], **values: Any) -> Change:
    """Written as another server does: nothing in this process hears of it."""

    async def change(server: Server, agent: FakeAgent, attempt: int) -> None:
        async with server.services.database.write() as session:
            await session.execute(update(model).values(**values))

    return change


async def quarantine(server: Server, agent: FakeAgent, attempt: int) -> None:
    row = {"node_id": 1, "slot": 3, "attempt_id": attempt, "message": "x", "created_at": server.clock()}
    async with server.services.database.write() as session:
        await session.execute(insert(QuarantinedSlot), [row])


def in_all(**placement: Any) -> Change:
    """Change the placement of the job that runs."""

    async def change(server: Server, agent: FakeAgent, attempt: int) -> None:
        async with server.services.database.write() as session:
            job = await session.get_one(Job, 1)
            job.spec = job.spec | {"placement": job.spec["placement"] | placement}

    return change


async def exclusive_beside_quarantine(server: Server, agent: FakeAgent, attempt: int) -> None:
    """Its only slot is not proven free: the others of its node are."""
    await in_all(exclusive=True)(server, agent, attempt)
    async with server.services.database.write() as session:
        await session.execute(delete(Allocation).where(Allocation.slot == 1))
        row = {"node_id": 1, "slot": 0, "attempt_id": attempt, "message": "x", "created_at": server.clock()}
        await session.execute(insert(QuarantinedSlot), [row])


async def one_gpu(server: Server, agent: FakeAgent, attempt: int) -> None:
    gpu = {"index": 0, "uuid": "0", "model": "NVIDIA H200", "memory_bytes": 141 << 30}
    async with server.services.database.write() as session:
        node = await session.get_one(Node, 1)
        node.inventory = node.inventory | {"gpus": [gpu]}


async def gives_up(server: Server, agent: FakeAgent, attempt: int) -> None:
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")


CHANGES: dict[str, Change] = {
    "drained": stored(Node, desired="drain"),
    "lost": stored(Node, observed="lost"),
    "removed": lambda server, agent, attempt: stored(Node, removed_at=server.clock())(server, agent, attempt),
    "labelled": stored(Node, label_overrides={"rack": "r2"}),
    "a label taken away": stored(Node, label_overrides={"rack": None}),
    "told other labels": stored(Node, labels={"rack": "r3"}),
    "another version": stored(Node, versions={"ringscope": "9"}),
    "one slot less": stored(Node, slots=3),
    "another address": stored(Node, address="127.0.0.1"),
    "leaves": lambda server, agent, attempt: stored(Node, leaves_at=server.clock() + timedelta(hours=1))(
        server, agent, attempt
    ),
    "a GPU": one_gpu,
    "a slot that is not free": quarantine,
    "an exclusive gang": in_all(exclusive=True),
    "an exclusive gang on a slot that is not free": exclusive_beside_quarantine,
    "a gang ends": gives_up,
    "an attempt is over": lambda server, agent, attempt: stored(Attempt, finished_at=server.clock())(
        server, agent, attempt
    ),
    "a gang is stopped": stored(Job, state="stopping"),
    "a gang of another priority": stored(Job, priority=9),
}


# Of columns that another server writes, one is enough on PostgreSQL; the others have ways of their own.
ON_BOTH = {"drained", "a label taken away", "a GPU", "a slot that is not free", "a gang ends", "a gang is stopped"}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change, id=name, marks=[pytest.mark.both_databases] * (name in ON_BOTH))
        for name, change in CHANGES.items()
    ],
)
async def test_a_change_is_seen_by_who_read_before_as_by_who_never_did(
    server: Server, clock: Clock, change: Change
) -> None:
    agent = await server.node(slots=4, labels={"rack": "r1"})
    await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "exclusive": False}})
    attempt = await agent.start_next()
    before = await taken(server)
    await change(server, agent, attempt)
    after = await taken(server)
    tables._read.cache_clear()
    tables._gang.cache_clear()
    assert after == await taken(server)
    assert (after.nodes, after.running) != (before.nodes, before.running)
    # People are shown as many free slots as the plan gives away.
    room = Room(Cluster(after.nodes), after.running).level.free.tolist()
    shown = (await server.admin.get("/api/v1/nodes")).json()["items"]
    assert {node["id"]: node["slots_free"] for node in shown if node["slots_free"]} == {
        node.id: free for node, free in zip(after.nodes, room, strict=True) if free
    }


async def test_what_has_not_changed_is_not_made_anew(server: Server) -> None:
    agents = [await server.node(name, slots=2) for name in ("n1", "n2")]
    await server.submit(**ONE_SIZE)
    await agents[0].start_next()
    before = await taken(server)
    async with server.services.database.write() as session:
        await session.execute(update(Node).where(Node.name == "n2").values(labels={"pool": "b"}))
    after = await taken(server)
    assert after.nodes[0] is before.nodes[0] and after.running[0] is before.running[0]
    assert dict(after.nodes[1].labels) == {"pool": "b"}


async def test_a_node_that_another_server_drained_between_two_passes_gets_nothing(
    two_servers: tuple[Server, Server],
) -> None:
    first, second = two_servers
    agent = await first.node("n1", slots=2)
    await first.submit(**ONE_SIZE)
    await agent.start_next()
    waiting = await first.submit(**ONE_SIZE)
    await first.one_pass()
    (await second.admin.post("/api/v1/nodes/n1/drain", json={"reason": "mine"})).raise_for_status()
    attempt = (await agent.assignments())[0]["attempt_id"]
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")
    await first.one_pass()
    assert (await first.job(waiting["id"]))["state"] == "queued"

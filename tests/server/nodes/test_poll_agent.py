"""POST /agents/{node}/poll: heartbeats, and assignments that are only told when they are news."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement, running_server

from ringscope_server.nodes import directory
from ringscope_server.nodes.directory import Directory

HOUR_SECONDS = 3600
SILENT = "No heartbeat since 00:00:00 UTC, for 16 s."


async def node(server: Server, name: str = "n1") -> dict[str, Any]:
    found: dict[str, Any] = (await server.admin.get(f"/api/v1/nodes/{name}")).json()
    return found


async def poll(agent: FakeAgent, seen: int = -1, ahead_seconds: float | None = None) -> dict[str, Any]:
    clock = {} if ahead_seconds is None else {"clock_offset_seconds": ahead_seconds, "clock_error_seconds": 0.002}
    answer = await agent.post("poll", {"seen": seen} | clock)
    assert answer.status_code == 200, answer.text
    directives: dict[str, Any] = answer.json()
    return directives


async def test_only_news_is_told(server: Server) -> None:
    agent = await server.node("n1")
    first = await poll(agent)
    assert first["assignments"] == []
    again = await poll(agent, first["revision"])
    assert (again["revision"], again["assignments"]) == (first["revision"], None)
    await server.submit(**ONE_SIZE)
    await server.one_pass()
    news = await poll(agent, first["revision"])
    assert news["revision"] != first["revision"]
    assert [row["desired"] for row in news["assignments"]] == ["prepare"]
    assert (await poll(agent, news["revision"]))["assignments"] is None


async def test_a_poll_without_news_costs_no_query(server: Server) -> None:
    agent = await server.node("n1")
    seen = (await poll(agent))["revision"]
    statements: list[str] = []
    engine = server.services.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    for _ in range(3):
        await poll(agent, seen)
    # The news of the registration may only now be on its way to other servers.
    assert [statement for statement in statements if "pg_notify" not in statement] == []
    await server.services.heartbeats.flush(server.services.database)
    assert [statement.split()[0] for statement in statements if statement.startswith("UPDATE")] == ["UPDATE"]


async def test_heartbeats_are_written_before_anybody_is_called_lost(server: Server, clock: Clock) -> None:
    agent, silent = await server.node("n1"), await server.node("n2")
    seen = (await poll(agent))["revision"]
    await poll(silent)
    clock.advance(14)
    await poll(agent, seen)
    clock.advance(2)
    await server.one_pass()
    assert [(await node(server, name))["observed"] for name in ("n1", "n2")] == ["ready", "lost"]
    assert (await node(server))["heartbeat_age_seconds"] == 2
    lost = await node(server, "n2")
    assert (lost["observed_reason"], lost["heartbeat_age_seconds"]) == (SILENT, 16)


async def test_reports_and_records_are_signs_of_life(server: Server, clock: Clock) -> None:
    agent = await server.node("n1")
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    clock.advance(10)
    await agent.records(attempt, measurement())
    clock.advance(10)
    await agent.report(attempt, "running")
    clock.advance(10)
    await server.one_pass()
    assert (await node(server))["observed"] == "ready"


@pytest.mark.parametrize("door", ["records", "report"])
async def test_a_node_that_returns_through_another_door_is_back_at_the_next_pass(
    server: Server, clock: Clock, door: str
) -> None:
    agent = await server.node("n1")
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    clock.advance(16)
    await server.one_pass()
    assert (await node(server))["observed"] == "lost"
    answer = await (agent.records(attempt, measurement()) if door == "records" else agent.report(attempt, "running"))
    assert answer.is_success, answer.text
    with server.services.stream.subscription(["nodes"], None) as pages:
        await server.one_pass()
        async with asyncio.timeout(60):
            told = await anext(pages)
    assert (told.type, told.data["name"], told.data["observed"]) == ("node", "n1", "ready")


async def test_losing_and_coming_back_leave_events(server: Server, clock: Clock) -> None:
    agent = await server.node("n1")
    clock.advance(16)
    await server.one_pass()
    await server.one_pass()
    await poll(agent)
    events = (await server.admin.get("/api/v1/nodes/n1/events")).json()["items"]
    told = [(row["action"], row["before"], row["after"]) for row in events]
    assert told[1:] == [("node.lost", "ready", "lost"), ("node.back", "lost", "ready")]
    assert (events[1]["message"], events[1]["actor"]) == (SILENT, "system")


async def test_an_older_agent_that_waits_is_told_when_it_is_fenced(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path, clock, poll_seconds=60) as server:
        older = await server.node("n1")
        seen = (await poll(older))["revision"]
        is_waiting = asyncio.Event()
        signals = server.services.signals
        wait_for_assignments = signals.wait_for_assignments

        async def wait(*args: Any) -> None:
            is_waiting.set()
            await wait_for_assignments(*args)

        monkeypatch.setattr(signals, "wait_for_assignments", wait)
        waiting = asyncio.create_task(older.post("poll", {"seen": seen}))
        async with asyncio.timeout(30):
            await is_waiting.wait()
            await FakeAgent(server, "n1", 4, {}).register()
            answer = await waiting
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_epoch")


async def test_an_older_agents_heartbeat_keeps_no_node_alive(server: Server, clock: Clock) -> None:
    older = await server.node("n1")
    await FakeAgent(server, "n1", 4, {}).register()
    server.services.heartbeats.note(1, older.epoch, clock() + timedelta(seconds=10))
    clock.advance(16)
    await server.one_pass()
    assert (await node(server))["observed"] == "lost"


async def test_nobody_is_lost_for_a_silence_that_the_server_slept_through(server: Server, clock: Clock) -> None:
    agent = await server.node("n1")
    job = await server.submit(**ONE_SIZE)
    await agent.start_next()
    clock.advance(60)
    server.services.heartbeats.listening.begin(clock())
    await server.one_pass()
    assert (await node(server))["observed"] == "ready"
    assert (await server.job(job["id"]))["state"] == "running"
    clock.advance(16)
    await server.one_pass()
    assert (await node(server))["observed"] == "lost"


async def test_a_server_listens_from_its_start_on(tmp_path: Path, clock: Clock) -> None:
    start = clock()
    async with running_server(tmp_path, clock) as server:
        clock.advance(7)
        listening = server.services.heartbeats.listening
        assert listening.since(start - timedelta(hours=1), clock()) == timedelta(seconds=7)


@pytest.mark.parametrize(("ahead_seconds", "way"), [(HOUR_SECONDS, "ahead of"), (-HOUR_SECONDS, "behind")])
async def test_a_node_whose_clock_is_an_hour_off_works_and_says_so(
    server: Server, clock: Clock, ahead_seconds: float, way: str
) -> None:
    agent = await server.node("n1")
    await poll(agent, ahead_seconds=ahead_seconds)
    await server.one_pass()
    shown = await node(server)
    assert (shown["clock_offset_seconds"], shown["clock_error_seconds"]) == (ahead_seconds, 0.002)
    assert shown["heartbeat_age_seconds"] == 0
    assert (shown["observed"], shown["observed_reason"]) == (
        "degraded",
        f"Its clock is more than 5 s {way} the server's.",
    )
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    clock.advance(10)
    await poll(agent, ahead_seconds=ahead_seconds)
    measured_ns = int((clock().timestamp() + ahead_seconds) * 1e9)
    await agent.records(attempt, measurement(time_ns=measured_ns), measurement(in_place=True, time_ns=measured_ns))
    clock.advance(10)
    await server.one_pass()
    assert (await node(server))["observed"] == "degraded", "its heartbeats are timed by the server"
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=2)
    done = await server.job(job["id"])
    assert (done["state"], done["started_at"], done["finished_at"]) == (
        "succeeded",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:20Z",
    )
    await poll(agent, ahead_seconds=0)
    await server.one_pass()
    assert (await node(server))["observed"] == "ready"


async def test_answers_tell_the_servers_time_so_that_agents_can_compare_theirs(server: Server, clock: Clock) -> None:
    agent = await server.node("n1")
    clock.advance(1.25)
    time_ns = 1_767_225_601_250_000_000
    answer = await poll(agent)
    assert (answer["received_ns"], answer["sent_ns"]) == (time_ns, time_ns)
    welcome = (await agent.register()).json()
    assert (welcome["received_ns"], welcome["sent_ns"]) == (time_ns, time_ns)


async def test_a_clock_that_is_not_told_again_is_kept(server: Server) -> None:
    agent = await server.node("n1")
    assert (await node(server))["clock_offset_seconds"] is None
    for ahead_seconds in (-0.25, None):
        await poll(agent, ahead_seconds=ahead_seconds)
        await server.one_pass()
        shown = await node(server)
        assert (shown["clock_offset_seconds"], shown["clock_error_seconds"]) == (-0.25, 0.002)


@pytest.mark.parametrize(
    ("name", "value"), [("offset", "NaN"), ("offset", "1e11"), ("error", "-1"), ("error", "Infinity")]
)
async def test_a_clock_that_cannot_be_is_refused(server: Server, name: str, value: str) -> None:
    agent = await server.node("n1")
    body = f'{{"epoch": {agent.epoch}, "clock_{name}_seconds": {value}}}'
    headers = {"Content-Type": "application/json"}
    answer = await (await agent.speaker()).post("/api/v1/agents/n1/poll", content=body, headers=headers)
    assert (answer.status_code, f"clock_{name}_seconds" in answer.text) == (422, True), answer.text


async def test_a_heartbeat_that_cannot_be_written_waits(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    await server.node("n1")
    server.services.heartbeats.note(1, 1, server.clock() + timedelta(seconds=5))
    with monkeypatch.context() as broken:
        broken.setattr(server.services.database, "write", None)
        with pytest.raises(TypeError):
            await server.services.heartbeats.flush(server.services.database)
    await server.services.heartbeats.flush(server.services.database)
    assert (await node(server))["last_heartbeat_at"] == "2026-01-01T00:00:05Z"


def test_the_directory_forgets_after_a_while_and_never_goes_back() -> None:
    seconds = [0.0]
    known = Directory(lambda: seconds[0])
    known.remember("n1", 7, epoch=2)
    known.remember("n1", 7, epoch=1)
    assert (known.find("n1", 2), known.find("n1", 1), known.find("n2", 1)) == (7, None, None)
    seconds[0] += directory.TRUST_SECONDS + 1
    assert known.find("n1", 2) is None

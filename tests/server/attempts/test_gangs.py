"""A gang's life, as two agents tell it."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement, steps
from tests.server.two_nodes import two_nodes

from ringscope_server.attempts import gangs
from ringscope_server.db.models import Attempt


async def test_every_node_must_be_ready_before_anything_is_launched(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    (assignment,) = await first.assignments()
    assert assignment["desired"] == "prepare"
    assert [(m["node"], m["slots"]) for m in assignment["gang"]] == [("n1", 2), ("n2", 2)]
    await first.report(attempt, "ready")
    assert (await first.assignments())[0]["desired"] == "prepare"
    await second.report(attempt, "ready")
    assert (await first.assignments())[0]["desired"] == "launch"
    assert (await server.job(job_id))["state"] == "starting"


async def test_the_first_nodes_proxies_reach_every_node(server: Server) -> None:
    first, second, _, attempt = await two_nodes(server)
    proxies = [{"control_host": "n1", "control_port": 5000, "proxy_id": i} for i in range(2)]
    await first.report(attempt, "proxies", proxies=proxies)
    assert (await first.assignments())[0]["proxy"] == proxies[0]
    assert (await second.assignments())[0]["proxy"] == proxies[1]


async def test_only_nodes_whose_orders_change_are_woken(server: Server) -> None:
    first, second, _, attempt = await two_nodes(server)
    proxies = [{"control_host": "n1", "control_port": 5000, "proxy_id": i} for i in range(2)]

    async def wakes_second(agent: FakeAgent, event: str, **more: Any) -> bool:
        signals, node_id = server.services.signals, 2
        before = signals.revision(node_id)
        await agent.report(attempt, event, **more)
        return signals.revision(node_id) != before

    assert not await wakes_second(first, "ready")
    assert await wakes_second(second, "ready")
    assert await wakes_second(first, "proxies", proxies=proxies)
    assert not await wakes_second(first, "running")
    await second.report(attempt, "running")
    assert not await wakes_second(first, "ended", reason="completed")
    assert await wakes_second(second, "ended", reason="completed")
    assert not await wakes_second(first, "clean")
    assert await wakes_second(second, "clean")
    assert await second.assignments() == []


async def test_it_runs_once_all_ranks_run_and_succeeds_once_all_rows_came(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for agent in (first, second):
        await agent.report(attempt, "ready")
    await first.report(attempt, "running")
    assert (await server.job(job_id))["state"] == "starting"
    await second.report(attempt, "running")
    assert (await server.job(job_id))["state"] == "running"
    await first.records(attempt, measurement(ranks=4), measurement(in_place=True, ranks=4))
    await first.report(attempt, "ended", reason="completed")
    assert (await server.job(job_id))["state"] == "running"
    await second.report(attempt, "ended", reason="completed")
    assert (await server.job(job_id))["state"] == "stopping"
    await first.report(attempt, "clean", last_sequence=2)
    await second.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("succeeded", "completed")
    assert job["progress"] == {"done": 2, "total": 2}
    events = (await server.admin.get(f"/api/v1/jobs/{job_id}/events")).json()["items"]
    assert [event["after"] for event in events] == ["queued", "starting", "running", "stopping", "succeeded"]


async def test_the_mark_of_its_processes_is_kept_until_no_node_has_any(server: Server) -> None:
    first, second, _, attempt = await two_nodes(server)

    async def mark() -> str | None:
        async with server.services.database.read() as session:
            return await session.scalar(select(Attempt.token).where(Attempt.id == attempt))

    async def forget() -> None:
        async with server.services.database.write() as session:
            await gangs.forget_marks(session)

    for agent in (first, second):
        await agent.report(attempt, "refused", message="no")
    await first.report(attempt, "clean")
    await forget()
    assert await mark() == (await second.assignments())[0]["token"]
    await second.report(attempt, "clean")
    assert await mark() == ""
    async with server.services.database.write() as session:
        await session.execute(update(Attempt).values(token="of an earlier version"))
    await forget()
    assert await mark() == ""


async def test_clean_counts_only_once_the_records_have_arrived(server: Server) -> None:
    first, _, _, attempt = await two_nodes(server)
    refused = await first.report(attempt, "clean", last_sequence=3)
    assert (refused.status_code, refused.json()["code"]) == (412, "records_missing")


@pytest.mark.parametrize(
    ("rows", "state", "reason"),
    [
        ([measurement(), measurement(in_place=True, wrong=7)], "failed", "verification_failed"),
        ([measurement()], "failed", "results_missing"),
        ([measurement(), measurement()], "failed", "results_missing"),  # the one in place is missing
        ([measurement(), measurement(in_place=True)] * 2, "failed", "results_missing"),
        ([measurement(), measurement(in_place=True, wrong=None)], "failed", "results_missing"),
        ([measurement(wrong=-5), measurement(in_place=True, wrong=5)], "failed", "verification_failed"),
        ([measurement(), measurement(in_place=True, wrong=-5)], "failed", "results_missing"),
        ([measurement("naive"), measurement("naive", in_place=True)], "failed", "results_missing"),
        ([measurement(cycle=1), measurement(in_place=True, cycle=1)], "failed", "results_missing"),
        ([measurement(), measurement(in_place=True)], "succeeded", "completed"),
    ],
)
async def test_rows_decide_whether_it_succeeded(server: Server, rows: list[dict], state: str, reason: str) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, *rows)
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=len(rows))
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == (state, reason)


async def test_sizes_that_had_no_room_in_memory_are_not_awaited(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(benchmark=ONE_SIZE["benchmark"] | {"max_bytes": 1 << 36}, placement=ONE_SIZE["placement"])
    attempt = await agent.start_next()
    rows = [measurement(in_place=place, lowered_max_bytes=1024) for place in (False, True)]
    await agent.records(attempt, *rows)
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=len(rows))
    ended = await server.job(job["id"])
    assert (ended["state"], ended["progress"]) == ("succeeded", {"done": 2, "total": 2})
    assert ended["summary"]["lowered_max_bytes"] == 1024
    (row, _) = (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]
    assert row["lowered_max_bytes"] == 1024


async def test_after_its_end_an_attempt_is_sealed(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    rows = [measurement(), measurement(in_place=True)]
    await agent.records(attempt, *rows)
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=len(rows))
    before = await server.job(job["id"])
    await agent.records(attempt, measurement(wrong=7), steps())
    after = await server.job(job["id"])
    assert (after["state"], after["summary"], after["progress"]) == ("succeeded", before["summary"], before["progress"])
    found = (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]
    assert len(found) == 2


async def test_slots_are_taken_until_proven_free(server: Server) -> None:
    agent = await server.node(slots=2)
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    waiting = await server.submit(**ONE_SIZE)
    await server.one_pass()
    pending = (await server.job(waiting["id"]))["pending"]
    assert pending["sentence"] == "Waits for slots: it needs 2, 0 are free now."
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await server.one_pass()
    assert (await server.job(waiting["id"]))["state"] == "queued"
    await agent.report(attempt, "clean")
    await server.one_pass()
    started = await server.job(waiting["id"])
    assert (started["state"], started["pending"]) == ("starting", None)


async def test_a_lost_node_ends_the_attempt_but_keeps_its_slots(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server, max_attempts=1)
    for agent in (first, second):
        await agent.report(attempt, "ready")
        await agent.report(attempt, "running")
    clock.advance(10)
    await first.assignments()
    clock.advance(10)
    await server.one_pass()
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "node_lost")
    assert job["message"].startswith("Node n2 with rank")
    await first.report(attempt, "clean")
    assert (await server.job(job_id))["state"] == "failed"
    lost = (await server.admin.get("/api/v1/nodes/n2")).json()
    assert (lost["observed"], lost["slots_busy"]) == ("lost", 2)
    assert (await second.assignments())[0]["desired"] == "stop"
    await second.report(attempt, "clean")
    back = (await server.admin.get("/api/v1/nodes/n2")).json()
    assert (back["observed"], back["slots_busy"]) == ("ready", 0)


@pytest.mark.parametrize("event", ["ready", "running", "ended"])
async def test_reports_of_all_nodes_at_once_are_counted_as_if_one_came_after_another(
    server: Server, event: str
) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for earlier in ("ready", "running"):
        if earlier == event:
            break
        for agent in (first, second):
            await agent.report(attempt, earlier)
    await asyncio.gather(*(agent.report(attempt, event, reason="completed") for agent in (first, second)))
    (assignment,) = await first.assignments()
    assert assignment["desired"] == ("stop" if event == "ended" else "launch")
    state = {"ready": "starting", "running": "running", "ended": "stopping"}[event]
    assert (await server.job(job_id))["state"] == state


async def test_a_cancel_that_meets_the_last_report_is_not_lost(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for agent in (first, second):
        await agent.report(attempt, "ready")
    await first.report(attempt, "running")
    cancel = server.admin.post(f"/api/v1/jobs/{job_id}/cancel")
    answers = await asyncio.gather(second.report(attempt, "running"), cancel)
    assert [answer.status_code for answer in answers] == [204, 200]
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "user_cancelled")


async def test_of_the_last_two_clean_reports_at_once_one_ends_the_job(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "ended", reason="rank_exit", message="x")
    await asyncio.gather(*(agent.report(attempt, "clean") for agent in (first, second)))
    assert (await server.job(job_id))["state"] == "failed"
    assert server.services.monitoring.finished["benchmark", "failed"] == 1


async def test_a_rank_that_stands_still_ends_the_attempt_and_its_node_is_to_blame(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for event in ("ready", "running"):
        for agent in (first, second):
            await agent.report(attempt, event)
    sentence = "Rank 3 on node n2 (pid 7) has been stopped for 4 s."
    for _ in range(2):  # a report may come twice
        await second.report(attempt, "stalled", rank=3, message=sentence)
    job = await server.job(job_id)
    assert (job["state"], job["reason"], job["message"]) == ("stopping", "hang_detected", sentence)
    for agent in (first, second):
        assert (await agent.assignments())[0]["desired"] == "stop"
        await agent.report(attempt, "clean")
    again = await server.job(job_id)
    assert (again["state"], again["excluded_nodes"]) == ("queued", ["n2"])
    ended = again["attempts"][0]
    assert (ended["reason"], ended["message"], ended["bad_node"]) == ("hang_detected", sentence, "n2")
    await second.report(attempt, "stalled", rank=3, message=sentence)
    assert (await server.job(job_id))["state"] == "queued"


async def test_each_node_shows_when_it_came_how_far_and_its_clock_then(server: Server, clock: Clock) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    clocks = {"n1": (0.5, 0.25), "n2": (-2.0, 0.125)}
    for agent in (first, second):
        offset, error = clocks[agent.name]
        await agent.post("poll", {"seen": -1, "clock_offset_seconds": offset, "clock_error_seconds": error})
    await server.one_pass()
    for event in ("ready", "running", "ended", "clean"):
        for agent in (first, second, first):  # the first one repeats itself
            clock.advance(1)
            await agent.report(attempt, event, reason="completed")
    members = (await server.job(job_id))["attempts"][0]["members"]
    assert [(row["node"], row["first_rank"], row["ranks"], row["phase"]) for row in members] == [
        ("n1", 0, 2, "clean"),
        ("n2", 2, 2, "clean"),
    ]
    times = [[row[f"{phase}_at"][-3:-1] for phase in ("ready", "running", "ended", "clean")] for row in members]
    assert times == [["01", "04", "07", "10"], ["02", "05", "08", "11"]]
    for row in members:
        assert (row["clock_offset_seconds"], row["clock_error_seconds"]) == clocks[row["node"]]


async def test_a_phase_that_a_node_never_came_to_has_no_time(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await first.report(attempt, "ready")
    await second.report(attempt, "refused", message="mpi4py is missing.")
    ready, refused = (await server.job(job_id))["attempts"][0]["members"]
    assert (ready["phase"], ready["ready_at"] is None, ready["running_at"]) == ("ready", False, None)
    assert (refused["phase"], refused["ready_at"], refused["ended_at"] is None) == ("ended", None, False)

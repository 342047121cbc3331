"""Attempts that end for something that is not the job's doing are followed by another one."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement

from ringscope_server.attempts import gangs
from ringscope_server.attempts.retries import Next, backoff_seconds, decide
from ringscope_server.db.models import Node
from ringscope_server.jobs.reasons import REASONS, Reason, reason_of


def test_the_wait_doubles_up_to_five_minutes() -> None:
    assert [backoff_seconds(tries) for tries in range(1, 9)] == [5, 10, 20, 40, 80, 160, 300, 300]


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.name)
@pytest.mark.parametrize("has_room", [True, False])
def test_the_class_of_the_reason_decides(reason: Reason, has_room: bool) -> None:
    following = [decide(reason, tries, 3, ("n2",), has_room) for tries in (1, 2, 3, 4)]
    twice = [Next(5, ("n2",)), Next(10, ("n2",)), None, None]
    expected: dict[str, list[Next | None]] = {
        "never": [None] * 4,
        "elsewhere": twice if has_room else [None] * 4,
        "again": twice,
        "always": [Next(0, ("n2",))] * 4,
    }
    assert following == expected[reason.retry]


def test_what_the_program_or_a_person_did_is_never_tried_again() -> None:
    final = {"completed", "user_cancelled", "time_limit", "rank_exit", "rank_signal", "oom", "verification_failed"}
    assert final < {reason.name for reason in REASONS if reason.retry == "never"}
    unknown = reason_of("struck_by_lightning")
    assert (unknown.end, unknown.retry) == ("failed", "never")


async def run_on(server: Server, *agents: FakeAgent) -> int:
    """Bring the newest attempt of all these nodes to running."""
    await server.one_pass()
    attempt: int = (await agents[0].assignments())[-1]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            await agent.report(attempt, event)
    return attempt


async def lose(server: Server, name: str) -> None:
    """The node falls silent: what the heartbeats' deadline does, without turning the clock for all others."""
    await server.services.heartbeats.flush(server.services.database)  # what is noted but not written would revive it
    long_ago = server.clock() - timedelta(hours=1)
    async with server.services.database.write() as session:
        silent = update(Node).where(Node.name == name).values(observed="lost", last_heartbeat_at=long_ago)
        await session.execute(silent)
    await server.one_pass()


async def test_a_lost_node_sends_the_job_back_into_the_queue_and_says_why_and_when(
    server: Server, clock: Clock
) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 4, "nodes": 2}})
    attempt = await run_on(server, first, second)
    await first.records(attempt, measurement(ranks=4))
    assert (await server.job(job["id"]))["progress"]["done"] == 1
    clock.advance(3)
    await lose(server, "n2")
    stopping = await server.job(job["id"])
    assert (stopping["state"], stopping["reason"], stopping["pending"]) == ("stopping", "node_lost", None)
    await first.report(attempt, "clean", last_sequence=1)
    again = await server.job(job["id"])
    assert (again["state"], again["reason"], again["message"], again["started_at"]) == ("queued", None, "", None)
    assert (again["not_before"], again["queued_at"]) == ("2026-01-01T00:00:08Z", "2026-01-01T00:00:03Z")
    assert again["excluded_nodes"] == ["n2"]
    assert (again["progress"]["done"], again["summary"]["best"]) == (0, [])
    assert again["pending"]["reason"] == "backoff"
    assert again["pending"]["sentence"] == (
        "Tries again at 00:00:08 UTC after attempt 1 of 3: "
        "Node n2 with ranks 2 to 3 is lost: its agent has stopped sending heartbeats."
    )
    (tried,) = again["attempts"]
    assert (tried["reason"], tried["bad_node"], tried["finished_at"]) == ("node_lost", "n2", "2026-01-01T00:00:03Z")
    events = (await server.admin.get(f"/api/v1/jobs/{job['id']}/events")).json()["items"]
    assert [e["action"] for e in events][-2:] == ["job.stopping", "job.requeued"]


async def test_rows_that_come_after_a_job_has_ended_change_nothing_of_it(server: Server) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "nodes": 2}})
    attempt = await run_on(server, first, second)
    await first.records(attempt, measurement())
    await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")
    await lose(server, "n2")
    await first.report(attempt, "clean", last_sequence=1)
    before = await server.job(job["id"])
    assert before["state"] == "cancelled" and before["progress"]["done"] == 1
    second.epoch = (await second.register()).json()["epoch"]
    await second.records(attempt, measurement(in_place=True, busbw_gb_per_s=99.0))
    after = await server.job(job["id"])
    assert (after["summary"], after["progress"]) == (before["summary"], before["progress"])
    rows = (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]
    assert len(rows) == 2, "what a rank measured is kept"


async def test_the_next_attempt_starts_anew_and_old_news_cannot_touch_it(server: Server, clock: Clock) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "nodes": 2}})
    old = await run_on(server, first, second)
    await lose(server, "n2")
    await first.report(old, "clean")
    third = await server.node("n3", 2)
    clock.advance(6)
    new = await run_on(server, first, third)
    assert new != old
    # n2 comes back: its old attempt is to be stopped, whatever its job does now.
    second.epoch = (await second.register()).json()["epoch"]
    assert [(a["attempt_id"], a["desired"]) for a in await second.assignments()] == [(old, "stop")]
    await second.report(old, "ended", reason="rank_signal", message="old news")
    in_place = measurement(in_place=True, busbw_gb_per_s=1.0)
    await second.records(old, measurement(busbw_gb_per_s=99.0), in_place)
    await second.report(old, "clean", last_sequence=2)
    running = await server.job(job["id"])
    assert (running["state"], running["progress"]["done"], running["summary"]["best"]) == ("running", 0, [])
    first.sequence = 0
    await first.records(new, measurement(busbw_gb_per_s=2.0), in_place)
    for agent in (first, third):
        await agent.report(new, "ended", reason="completed")
    await first.report(new, "clean", last_sequence=2)
    await third.report(new, "clean")
    done = await server.job(job["id"])
    assert (done["state"], [a["reason"] for a in done["attempts"]]) == ("succeeded", ["node_lost", "completed"])
    assert done["summary"]["best"][0]["busbw_gb_per_s"] == 2.0
    rows = f"/api/v1/jobs/{job['id']}/measurements"
    newest = (await server.admin.get(rows)).json()["items"]
    assert [row["busbw_gb_per_s"] for row in newest] == [2.0, 1.0]
    of_old = (await server.admin.get(rows, params={"attempt": 1})).json()["items"]
    assert [row["busbw_gb_per_s"] for row in of_old] == [99.0, 1.0]


def allow(server: Server, **policy: Any) -> None:
    server.services.settings = server.services.settings.model_copy(update=policy)


async def test_slots_of_a_lost_node_do_not_keep_their_user_from_the_next_attempt(server: Server, clock: Clock) -> None:
    allow(server, max_running_slots_per_user=2)
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    await server.submit(**ONE_SIZE)
    await run_on(server, first)
    await lose(server, "n1")
    clock.advance(6)
    await second.assignments()
    await server.one_pass()
    assert len(await second.assignments()) == 1


async def test_what_an_old_attempt_still_holds_is_no_reason_to_end_the_next_one(server: Server, clock: Clock) -> None:
    allow(server, allow_preemption=True)
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    retried = await server.submit(**ONE_SIZE, priority=10)
    await run_on(server, first)
    await lose(server, "n1")
    clock.advance(6)
    await run_on(server, second)
    first.epoch = (await first.register()).json()["epoch"]
    urgent = await server.submit(**ONE_SIZE, priority=90)
    await server.one_pass()
    assert [(await server.job(job["id"]))["state"] for job in (retried, urgent)] == ["running", "queued"]


@pytest.mark.parametrize("reason", ["rank_exit", "rank_signal", "launch_failed"])
async def test_ranks_that_ended_because_another_node_vanished_are_not_to_blame(server: Server, reason: str) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 4, "nodes": 2}})
    attempt = await run_on(server, first, second)
    await first.report(attempt, "ended", reason=reason, message="Rank 0 lost rank 2.")
    await first.report(attempt, "clean")
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "stopping"
    await lose(server, "n2")
    again = await server.job(job["id"])
    assert (again["state"], again["excluded_nodes"]) == ("queued", ["n2"])
    (tried,) = again["attempts"]
    assert (tried["reason"], tried["bad_node"]) == ("node_lost", "n2")
    assert tried["message"].endswith("Before that: Rank 0 lost rank 2.")


async def test_a_node_that_is_lost_with_rows_it_had_not_sent_is_to_blame_for_them(server: Server) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 4, "nodes": 2}})
    attempt = await run_on(server, first, second)
    for agent in (first, second):
        await agent.report(attempt, "ended", reason="completed")
    await second.report(attempt, "clean")
    await lose(server, "n1")  # its ranks are done, and the rows are still in its spool
    again = await server.job(job["id"])
    assert (again["state"], again["excluded_nodes"]) == ("queued", ["n1"])
    (tried,) = again["attempts"]
    assert (tried["reason"], tried["bad_node"]) == ("node_lost", "n1")
    assert tried["message"].endswith("2 of 2 rows of the sweep are missing.")


@pytest.mark.parametrize("reason", ["rank_exit", "oom"])
async def test_a_node_that_told_the_end_itself_and_is_lost_later_changes_nothing(server: Server, reason: str) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 4, "nodes": 2}})
    attempt = await run_on(server, first, second)
    teller = second if reason == "rank_exit" else first
    await teller.report(attempt, "ended", reason=reason, message="The program failed.")
    await first.report(attempt, "clean")
    await lose(server, "n2")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"], ended["message"]) == ("failed", reason, "The program failed.")


async def test_after_the_last_attempt_it_fails_with_the_last_reason(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=2)
    job = await server.submit(**ONE_SIZE, max_attempts=2)
    for expected in ("queued", "failed"):
        attempt = await agent.start_next()
        await agent.report(attempt, "ended", reason="agent_restarted", message="The agent of node n1 was stopped.")
        await agent.report(attempt, "clean")
        found = await server.job(job["id"])
        assert found["state"] == expected
        clock.advance(7)
        await agent.assignments()
    assert (found["reason"], found["message"]) == ("agent_restarted", "The agent of node n1 was stopped.")
    assert [(a["reason"], a["bad_node"]) for a in found["attempts"]] == [("agent_restarted", "n1")] * 2
    assert found["not_before"] is None


async def test_a_refused_launch_is_tried_only_where_there_is_room_without_the_node(server: Server) -> None:
    await server.node("n1", 2)
    job = await server.submit(**ONE_SIZE)
    job_of_one_node = await refuse(server, job)
    assert (job_of_one_node["state"], job_of_one_node["reason"]) == ("failed", "launch_failed")
    await server.node("n2", 2)
    elsewhere = await refuse(server, await server.submit(**ONE_SIZE))
    assert (elsewhere["state"], len(elsewhere["excluded_nodes"])) == ("queued", 1)
    assert elsewhere["attempts"][0]["bad_node"] == elsewhere["excluded_nodes"][0]


async def refuse(server: Server, job: dict[str, Any]) -> dict[str, Any]:
    await server.one_pass()
    (attempt,) = (await server.job(job["id"]))["attempts"]
    agent = FakeAgent(server, attempt["nodes"][0], 2, {}, epoch=1)
    await agent.report(attempt["id"], "refused", message="mpi4py is missing.")
    await agent.report(attempt["id"], "clean")
    return await server.job(job["id"])


async def test_what_had_to_make_room_waits_again_at_once_and_loses_no_attempt(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=2)
    job = await server.submit(**ONE_SIZE, max_attempts=1)
    for number in (1, 2):
        attempt = await agent.start_next()
        async with server.services.database.write() as session:
            await gangs.stop(session, job["id"], "preempted", "Job 7 has a higher priority.", clock())
        await agent.report(attempt, "clean")
        waiting = await server.job(job["id"])
        assert (waiting["state"], waiting["not_before"], waiting["excluded_nodes"]) == ("queued", None, [])
        sentence = f"Waits to be started again after attempt {number}: Job 7 has a higher priority."
        assert (waiting["pending"]["reason"], waiting["pending"]["sentence"]) == ("preempted", sentence)
    attempt = await agent.start_next()
    await agent.report(attempt, "ended", reason="agent_restarted", message="x")
    await agent.report(attempt, "clean")
    assert (await server.job(job["id"]))["state"] == "failed"


async def test_cancelling_does_not_make_a_wrong_result_a_wish(server: Server) -> None:
    agent = await server.node(slots=2)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.report(attempt, "ended", reason="verification_failed", message="7 wrong elements.")
    assert (await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")).status_code == 200
    await agent.report(attempt, "clean")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "verification_failed")


@pytest.mark.parametrize("reason", ["agent_restarted", "rank_exit"])
async def test_cancelling_while_it_stops_keeps_it_from_being_tried_again(server: Server, reason: str) -> None:
    agent = await server.node(slots=2)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.report(attempt, "ended", reason=reason, message="The agent of node n1 was stopped.")
    url = f"/api/v1/jobs/{job['id']}/cancel"
    assert [(await server.admin.post(url)).status_code for _ in range(2)] == [200, 200]
    await agent.report(attempt, "clean")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("cancelled", "user_cancelled")
    assert ended["message"] == "Cancelled by admin. It was stopping: The agent of node n1 was stopped."
    events = (await server.admin.get(f"/api/v1/jobs/{job['id']}/events")).json()["items"]
    assert [(e["action"], e["actor"]) for e in events if "retried" in e["action"]] == [
        ("job.not_to_be_retried", "admin")
    ]


async def test_a_node_that_is_behind_all_others_at_the_start_is_to_blame(server: Server, clock: Clock) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 4, "nodes": 2}})
    await server.one_pass()
    attempt = (await first.assignments())[-1]["attempt_id"]
    await first.report(attempt, "ready")
    for _ in range(8):
        clock.advance(8)
        for agent in (first, second):
            await agent.assignments()
    await server.one_pass()
    for agent in (first, second):
        await agent.report(attempt, "clean")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["attempts"][0]["bad_node"]) == ("queued", "n2"), "there is no other node"

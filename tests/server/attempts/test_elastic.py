"""An elastic job that loses a rank continues at once with fewer, and gets them back after an epoch."""

from typing import Any

import pytest
from tests.server.attempts.test_retries import lose, run_on
from tests.server.conftest import Clock, FakeAgent, Server
from tests.server.scheduler.test_quiet_nodes import report_load
from tests.server.training_jobs import end, get
from tests.server.training_records import TRAINING, epoch, training_steps

ELASTIC: dict[str, Any] = TRAINING | {"placement": {"ranks": 4, "min_ranks": 2}, "max_attempts": 2}
KILLED = "Rank 3 on node n1 was killed by SIGKILL."


async def started(server: Server, slots: int = 4) -> tuple[FakeAgent, int, int]:
    """Node, job and attempt of an elastic job that has made steps."""
    agent = await server.node(slots=slots)
    job = await server.submit(**ELASTIC)
    attempt = await agent.start_next()
    await agent.records(attempt, training_steps())
    return agent, job["id"], attempt


async def kill(agent: FakeAgent, attempt: int) -> None:
    await end(agent, attempt, "rank_signal", message=KILLED, rank=3)
    agent.sequence = 0


async def gang_of(agent: FakeAgent, attempt: int) -> tuple[int, int, int]:
    """Return the numbers of ranks and slots of an attempt in its node's assignment."""
    (given,) = [each for each in await agent.assignments() if each["attempt_id"] == attempt]
    return given["ranks"], given["gang"][0]["slots"], given["spec"]["placement"]["ranks"]


async def test_after_a_killed_rank_the_next_attempt_starts_at_once_on_what_is_left(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    assert await gang_of(agent, attempt) == (4, 4, 4)
    await kill(agent, attempt)
    job = await server.job(job_id)
    assert (job["state"], job["not_before"], job["pending"]["sentence"]) == (
        "queued",
        None,
        f"Waits to be started again after attempt 1: {KILLED}",
    )
    again = await agent.start_next()
    assert await gang_of(agent, again) == (3, 3, 3)
    job = await server.job(job_id)
    assert (job["ranks"], [[m["ranks"] for m in each["members"]] for each in job["attempts"]]) == (3, [[4], [3]])
    events = (await get(server, job_id, "events"))["items"]
    assert "Starts with 3 of 4 ranks." in [event["message"] for event in events if event["action"] == "job.starting"]


async def test_a_job_that_waits_for_quiet_nodes_continues_at_once_under_the_load_of_its_own_ranks(
    server: Server,
) -> None:
    agent = await server.node(slots=4)
    await server.submit(**ELASTIC | {"placement": {"ranks": 4, "min_ranks": 2, "quiet": True}})
    attempt = await agent.start_next()
    await agent.records(attempt, training_steps())
    await report_load(agent, 4.0)
    await kill(agent, attempt)
    assert await gang_of(agent, await agent.start_next()) == (3, 3, 3)


async def test_the_lost_ranks_of_attempts_with_steps_do_not_count(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    for first in range(4, 24, 4):
        await kill(agent, attempt)
        attempt = await agent.start_next()
        await agent.records(attempt, training_steps(first_step=first))
    assert [m["ranks"] for each in (await server.job(job_id))["attempts"] for m in each["members"]] == [
        4,
        3,
        2,
        2,
        2,
        2,
    ]


async def test_a_job_that_is_killed_before_its_first_step_ends_after_its_attempts(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await kill(agent, attempt)
    for state in ("queued", "failed"):
        attempt = await agent.start_next()
        await kill(agent, attempt)
        assert (await server.job(job_id))["state"] == state
        server.clock.advance(10)
    assert (await server.job(job_id))["reason"] == "rank_signal"


async def test_without_min_ranks_a_killed_rank_costs_an_attempt_and_a_wait(server: Server) -> None:
    agent = await server.node(slots=4)
    job = await server.submit(**TRAINING | {"placement": {"ranks": 4}})
    attempt = await agent.start_next()
    await agent.records(attempt, training_steps())
    await kill(agent, attempt)
    assert (await server.job(job["id"]))["not_before"] is not None


async def test_after_a_lost_node_the_job_continues_on_the_others(server: Server) -> None:
    first, second = await server.node("n1", 2), await server.node("n2", 2)
    spec = TRAINING["training"] | {"strategy": "multi_worker_mirrored"}
    job = await server.submit(**ELASTIC | {"training": spec})
    attempt = await run_on(server, first, second)
    await first.records(attempt, training_steps())
    await lose(server, "n2")
    await first.report(attempt, "clean", last_sequence=1)
    again = await first.start_next()
    assert await gang_of(first, again) == (2, 2, 2)
    assert (await server.job(job["id"]))["not_before"] is None


async def test_the_rate_is_that_of_the_ranks_that_each_attempt_had(server: Server) -> None:
    agent = await server.node(slots=2)
    job = await server.submit(**ELASTIC | {"placement": {"ranks": 2, "min_ranks": 1}})
    attempt = await agent.start_next()
    await agent.records(attempt, *(training_steps(rank, count=9) for rank in (0, 1)))
    await kill(agent, attempt)
    again = await agent.start_next()
    await agent.records(again, training_steps(first_step=9, count=9, samples=[64] * 9))
    summary = (await server.job(job["id"]))["summary"]
    assert summary["samples_per_second"] == pytest.approx(6_400), "64 samples in 10 ms, by two ranks and then by one"
    assert summary["step_seconds"] == pytest.approx(0.16), "the first step of each attempt is left out"


async def small(server: Server) -> tuple[FakeAgent, int, int]:
    """The same with three of four ranks, after a killed rank."""
    agent, job_id, attempt = await started(server)
    await kill(agent, attempt)
    again = await agent.start_next()
    await agent.records(again, training_steps(first_step=2))
    await server.one_pass()
    return agent, job_id, again


async def test_at_the_end_of_an_epoch_it_gets_its_ranks_back(server: Server, clock: Clock) -> None:
    agent, job_id, attempt = await small(server)
    clock.advance(11)
    await server.one_pass()
    assert (await server.job(job_id))["state"] == "running", "inside an epoch"
    await agent.records(attempt, epoch(1))
    await server.one_pass()
    job = await server.job(job_id)
    assert (job["state"], job["reason"], job["message"]) == (
        "stopping",
        "resized",
        "Ended after an epoch to continue with 4 instead of 3 ranks.",
    )
    await agent.report(attempt, "clean", last_sequence=agent.sequence)
    agent.sequence = 0
    again = await agent.start_next()
    assert await gang_of(agent, again) == (4, 4, 4)
    assert (await server.job(job_id))["ranks"] == 4


async def test_a_job_on_fewer_ranks_says_since_when_and_why_and_when_it_gets_more(server: Server, clock: Clock) -> None:
    agent, job_id, attempt = await started(server)
    assert (await server.job(job_id))["fewer_ranks"] == ""
    await kill(agent, attempt)
    assert (await server.job(job_id))["fewer_ranks"] == "", "it does not run"
    again = await agent.start_next()
    since = f"Runs on 3 of 4 ranks since {clock.now:%H:%M:%S} UTC. {KILLED}"
    assert (await server.job(job_id))["fewer_ranks"] == f"{since} It gets more at the end of epoch 1 if slots are free."
    await agent.records(again, training_steps(first_step=2), epoch(2))
    assert (await server.job(job_id))["fewer_ranks"] == since, "its last epoch has begun"


async def test_it_does_not_grow_just_after_its_start_nor_while_a_job_waits(server: Server, clock: Clock) -> None:
    agent, job_id, attempt = await small(server)
    await agent.records(attempt, epoch(1))
    await server.one_pass()
    assert (await server.job(job_id))["state"] == "running", "it has only just begun"
    clock.advance(11)
    await server.one_pass()
    assert (await server.job(job_id))["state"] == "running", "that epoch is over for long"
    await server.submit(**TRAINING | {"placement": {"ranks": 4}})
    await server.one_pass()
    await agent.records(attempt, epoch(2))
    await server.one_pass()
    assert (await server.job(job_id))["state"] == "running", "another job waits for slots"

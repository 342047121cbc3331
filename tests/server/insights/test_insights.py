"""Insights from what agents tell to what people see: the table, the routes, the live stream, events and metrics."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.server.agent_messages import PULSE_OF_RANK
from tests.server.attempts.test_gangs import two_nodes
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement, steps
from tests.server.monitoring.test_monitoring import key, samples
from tests.server.training_records import TRAINING, training_steps

from ringscope_server.background.detection import Insights
from ringscope_server.db.models import Pulse
from ringscope_server.insights import rows, store
from ringscope_server.insights.kinds import KINDS, MAX_ACTIVE, Finding
from ringscope_server.live.stream import Message
from ringscope_server.results.clocks import seats

THREE = ONE_SIZE | {"placement": {"ranks": 3}, "hang_seconds": 5, "max_attempts": 1}


class Cluster:
    """A node with a running job of three ranks, whose pulses a test makes, and the loop's looks."""

    def __init__(self, server: Server, agent: FakeAgent, job_id: int, attempt_id: int) -> None:
        self.server, self.agent, self.job_id, self.attempt_id = server, agent, job_id, attempt_id
        self.loop = Insights(server.services)
        self.seconds = 0

    async def pulse(self, stopped: float = 0.0, iterations: int = 10, **more: Any) -> None:
        """A second passes, in which rank 2 is stopped for this part of it; then the server looks."""
        self.seconds += 1
        self.server.clock.advance(1)
        body = {"attempt_id": self.attempt_id, "time_us": self.seconds * 1_000_000}
        ranks = [self._rank(rank, stopped if rank == 2 else 0.0, iterations) | more for rank in range(3)]
        response = await self.agent.post("pulses", body | {"ranks": ranks})
        assert response.status_code == 204, response.text
        await self.loop.look()

    def _rank(self, rank: int, stopped: float, iterations: int) -> dict[str, Any]:
        running = round(self.seconds * 1e6 * (1 - stopped))
        state = {"rank": rank, "state": "R", "step": 1, "iterations": 1 + iterations * self.seconds, "untimed": 5}
        waited = self.seconds * 900_000
        return state | {"size_bytes": 1024, "waited_us": waited, "running_us": running, "queued_us": 0}

    async def insights(self) -> list[dict[str, Any]]:
        response = await self.server.admin.get(f"/api/v1/jobs/{self.job_id}/insights")
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()["items"]
        return found

    async def kinds(self) -> list[tuple[str, int | None, bool]]:
        return [(one["kind"], one["rank"], one["until"] is None) for one in await self.insights()]

    async def end(self, **report: Any) -> None:
        await self.agent.report(self.attempt_id, "ended", **({"reason": "rank_exit", "message": "x"} | report))
        await self.clean()

    async def clean(self) -> None:
        await self.agent.report(self.attempt_id, "clean", last_sequence=self.agent.sequence)
        await self.loop.look()


@pytest.fixture
async def cluster(server: Server) -> Cluster:
    agent = await server.node()
    job = await server.submit(**THREE)
    attempt_id = await agent.start_next()
    made = Cluster(server, agent, job["id"], attempt_id)
    await made.loop.look()
    return made


async def test_a_slow_rank_is_named_with_its_node_and_closed_when_it_is_fast_again(cluster: Cluster) -> None:
    for _ in range(3):
        await cluster.pulse(stopped=0.4)
    (found,) = await cluster.insights()
    assert (found["kind"], found["rank"], found["node"], found["until"]) == ("straggler", 2, "n1", None)
    assert found["evidence"]["stopped_share"] == pytest.approx(0.4)
    (in_job,) = (await cluster.server.job(cluster.job_id))["insights"]
    assert in_job == {name: value for name, value in found.items() if name != "evidence"}
    before = cluster.seconds
    while (await cluster.insights())[0]["until"] is None:
        assert cluster.seconds < before + 8
        await cluster.pulse()


async def test_everything_is_closed_with_the_job_and_its_pulses_are_forgotten(cluster: Cluster) -> None:
    for _ in range(3):
        await cluster.pulse(stopped=0.4)
    await cluster.end()
    assert await cluster.kinds() == [("straggler", 2, False)]
    async with cluster.server.services.database.read() as session:
        assert await session.get(Pulse, (cluster.attempt_id, 1)) is None


async def test_events_tell_of_the_beginning_and_the_end(cluster: Cluster) -> None:
    for _ in range(3):
        await cluster.pulse(stopped=0.4)
    await cluster.end()
    events = (await cluster.server.admin.get(f"/api/v1/jobs/{cluster.job_id}/events")).json()["items"]
    told = [(event["action"], event["actor"], event["after"]) for event in events if "insight" in event["action"]]
    assert told == [("job.insight_opened", "system", "straggler"), ("job.insight_closed", "system", "straggler")]


async def test_the_live_stream_tells_at_once(cluster: Cluster) -> None:
    with cluster.server.services.stream.subscription(["jobs"], None) as messages:
        for _ in range(3):
            await cluster.pulse(stopped=0.4)
        await cluster.end()
        cluster.server.services.stream.close()
        told = [message async for message in messages]
    found = [
        (message.type, message.data["kind"], message.data["job_id"]) for message in told if "insight" in message.type
    ]
    assert found == [("insight_opened", "straggler", cluster.job_id), ("insight_closed", "straggler", cluster.job_id)]


async def insights_of_the_job(cluster: Cluster, messages: AsyncIterator[Message]) -> list[tuple[str, bool]]:
    """Return the kinds of insights in the live stream's last message about the job, and whether each still holds."""
    cluster.server.services.stream.close()
    told = [message.data["insights"] async for message in messages if message.type == "job"]
    return [(insight["kind"], insight["until"] is None) for insight in told[-1]]


async def test_the_job_of_an_open_page_has_its_insights(cluster: Cluster) -> None:
    with cluster.server.services.stream.subscription([f"job:{cluster.job_id}"], None) as messages:
        for _ in range(3):
            await cluster.pulse(stopped=0.4)
        assert await insights_of_the_job(cluster, messages) == [("straggler", True)]


async def test_metrics_count_every_kind_and_name_each(cluster: Cluster) -> None:
    found = await samples(cluster.server)
    assert {kind: found[key("insights", kind=kind)] for kind in KINDS} == dict.fromkeys(KINDS, 0)
    for _ in range(3):
        await cluster.pulse(stopped=0.4)
    found = await samples(cluster.server)
    series = key("job_insight", job_id=str(cluster.job_id), kind="straggler", rank="2", node="n1")
    assert (found[key("insights", kind="straggler")], found[series]) == (1, 1)
    await cluster.end()
    assert series not in await samples(cluster.server)


async def test_a_gang_that_comes_no_further_is_ended_and_its_stacks_are_kept(cluster: Cluster) -> None:
    for _ in range(7):
        await cluster.pulse(iterations=0)
    job = await cluster.server.job(cluster.job_id)
    assert (job["state"], job["reason"]) == ("stopping", "hang_detected")
    assert job["message"].startswith("The gang hangs: no rank has made progress for 5 s (limit 5 s).")
    (assignment,) = await cluster.agent.assignments()
    assert (assignment["desired"], assignment["take_evidence"]) == ("stop", True)
    stack = {"rank": 2, "state": "S", "source": "faulthandler", "stack": "in wait"}
    await cluster.agent.report(cluster.attempt_id, "evidence", evidence=[stack])
    await cluster.clean()
    (found,) = await cluster.insights()
    assert (found["kind"], found["until"] is None) == ("hang", False)
    assert found["evidence"]["stacks"] == [{"node": "n1"} | stack]
    assert {rank["iterations"] for rank in found["evidence"]["ranks"]} == {1}
    assert (await cluster.server.job(cluster.job_id))["state"] == "failed"


async def test_a_rank_that_its_node_sees_standing_still_is_an_insight_at_once(cluster: Cluster) -> None:
    await cluster.pulse()
    await cluster.agent.report(cluster.attempt_id, "stalled", rank=1, message="Rank 1 has been stopped for 4 s.")
    (found,) = await cluster.insights()
    assert (found["kind"], found["rank"], found["node"]) == ("hang", 1, "n1")
    assert [rank["rank"] for rank in found["evidence"]["ranks"]] == [0, 1, 2]


async def test_stacks_are_bounded_and_a_node_that_tells_again_replaces_its_own(cluster: Cluster) -> None:
    await cluster.agent.report(cluster.attempt_id, "stalled", rank=1, message="Rank 1 stands still.")
    for text in ("x", "y" * 4_000):
        stacks = [{"rank": rank, "state": "S", "source": "py-spy", "stack": text} for rank in range(100)]
        response = await cluster.agent.report(cluster.attempt_id, "evidence", evidence=stacks)
        assert response.status_code == 204, response.text
    (found,) = await cluster.insights()
    kept = found["evidence"]["stacks"]
    assert {len(stack["stack"]) for stack in kept} == {4_000}
    assert len(kept) == store.MAX_STACK_CHARACTERS // 4_000


async def test_a_wrong_result_names_the_rank_as_soon_as_it_is_told(cluster: Cluster) -> None:
    check = {"op": "all_reduce", "algorithm": "ring", "in_place": False, "size_bytes": 1024, "wrong": 3}
    check |= {"type": "check", "first_index": 7, "want": "1.0", "got": "2.0", "time_ns": 0}
    for rank in (1, 1, 2):
        response = await cluster.agent.records(cluster.attempt_id, check | {"rank": rank})
        assert response.status_code == 200, response.text
    found = await cluster.insights()
    assert [(one["kind"], one["rank"], one["node"]) for one in found] == [
        ("wrong_result", 1, "n1"),
        ("wrong_result", 2, "n1"),
    ]
    assert found[0]["evidence"]["wrong"] == 3
    assert "3 elements after all_reduce by ring (out of place) of 1 KiB; element 7 is 2.0" in found[0]["message"]


async def test_rows_below_what_good_runs_gave(server: Server) -> None:
    agent = await server.node()
    loop = Insights(server.services)
    for busbw in (10.0, 11.0, 12.0, 5.0):
        job = await server.submit(**ONE_SIZE | {"benchmark": ONE_SIZE["benchmark"] | {"cycles": 2}})
        attempt = await agent.start_next()
        agent.sequence = 0
        await loop.look()
        places = [{"cycle": cycle, "in_place": in_place} for in_place in (False, True) for cycle in range(2)]
        told = [measurement(busbw_gb_per_s=busbw, **place) for place in places]
        assert (await agent.records(attempt, *told)).status_code == 200
        await agent.report(attempt, "ended", reason="completed")
        await agent.report(attempt, "clean", last_sequence=len(told))
        await loop.look()
        assert (await server.job(job["id"]))["state"] == "succeeded"
        (*found,) = (await server.admin.get(f"/api/v1/jobs/{job['id']}/insights")).json()["items"]
        assert [one["kind"] for one in found] == ([] if busbw != 5.0 else ["low_bandwidth"])
    assert "ring at 1 KiB gives 5 GB/s, 0.45 of what 3 good runs gave (11 GB/s)" in found[0]["message"]
    assert found[0]["until"] is not None


def block(
    rank: int, late_us: float, compute_us: float, count: int = 100, waits_us: float = 0, first: int = 0
) -> dict[str, Any]:
    """A record of steps, 10 ms apart and 1 ms long, that this rank began so late, or in which it waited so long."""
    start_ns = [10**18 + number * 10_000_000 + round(late_us * 1e3) for number in range(first, first + count)]
    return steps(rank, first, count=count) | {
        "start_ns": start_ns,
        "duration_us": [1_000.0 + waits_us] * count,
        "compute_us": [compute_us] * count,
    }


@pytest.mark.parametrize(("late_us", "compute_us", "kind"), [(5_000, 0, "late_rank"), (0, 9_000, "straggler")])
async def test_steps_tell_who_comes_late_and_who_computes_long(
    cluster: Cluster, late_us: float, compute_us: float, kind: str
) -> None:
    for _ in range(2):
        await cluster.pulse()
    for first in (0, 100):  # computing is judged with the pulses of that time
        records = [
            block(rank, late_us * (rank == 1), 1_000 + compute_us * (rank == 1), 100, late_us * (rank != 1), first)
            for rank in range(3)
        ]
        assert (await cluster.agent.records(cluster.attempt_id, *records)).status_code == 200
        await cluster.loop.look()
        assert await cluster.kinds() == ([(kind, 1, True)] if first or kind == "late_rank" else [])
        for _ in range(2 if first == 0 else 0):
            await cluster.pulse()
    await cluster.loop.look()
    assert len(await cluster.insights()) == 1


async def test_of_many_steps_every_nth_of_each_rank_is_looked_at(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_STEP_ROWS", 100)
    records = [block(rank, 0, 0, count=300) for rank in range(3)]
    assert (await cluster.agent.records(cluster.attempt_id, *records)).status_code == 200
    async with cluster.server.services.database.read() as session:
        end = (await rows.ends(session, [cluster.attempt_id]))[cluster.attempt_id]
        found = await rows.steps(session, cluster.attempt_id, 0, end.step_id, await seats(session, cluster.attempt_id))
        assert await rows.steps(session, cluster.attempt_id, end.step_id, end.step_id, {}) == []
    assert {step.outside_us for _, _, step in found} == {9_000}
    assert [number for _, number, _ in found] == list(range(1, 300, 18)) * 3


async def test_a_server_that_takes_over_judges_what_comes_from_then_on(cluster: Cluster) -> None:
    records = [block(rank, 5_000 * (rank == 1), 0) for rank in range(3)]
    assert (await cluster.agent.records(cluster.attempt_id, *records)).status_code == 200
    cluster.loop = Insights(cluster.server.services)
    for _ in range(3):
        await cluster.pulse()
    assert await cluster.insights() == []


async def test_a_loss_that_rises_is_told_of_a_training_job(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**TRAINING)
    attempt = await agent.start_next()
    loop = Insights(server.services)
    await loop.look()
    await agent.records(attempt, *(training_steps(rank, 0, 200, loss=[1.0] * 100 + [9.0] * 100) for rank in range(2)))
    await loop.look()
    (found,) = (await server.job(job["id"]))["insights"]
    assert (found["kind"], found["rank"]) == ("diverged", None)
    assert found["message"].startswith("The loss rises: its mean is 9 in steps 140 to 159, after 1 in steps 0 to 19.")


async def test_a_simulation_has_no_ranks_that_could_hang(server: Server) -> None:
    agent = await server.node()
    benchmark = {"transport": "simulated", "topology": {"shape": "4"}, "algorithms": ["ring"]}
    job = await server.submit(benchmark=benchmark, hang_seconds=1)
    attempt_id = await agent.start_next()
    cluster = Cluster(server, agent, job["id"], attempt_id)
    for _ in range(4):
        await cluster.pulse(iterations=0)
    assert (await server.job(job["id"]))["state"] == "running"


async def test_a_job_has_so_many_at_once_and_no_more(cluster: Cluster) -> None:
    findings = [Finding("straggler", "It is slow.", rank, "n1") for rank in range(MAX_ACTIVE + 5)]
    now = cluster.server.clock()
    async with cluster.server.services.database.write() as session:
        await store.open_new(session, cluster.job_id, cluster.attempt_id, findings, now)
        assert await store.open_new(session, cluster.job_id, cluster.attempt_id, findings, now) == []
    assert len(await cluster.insights()) == MAX_ACTIVE


async def test_the_same_found_in_two_windows_of_one_look_is_one_insight(cluster: Cluster) -> None:
    findings = [Finding("straggler", message, 1, "n1") for message in ("It is slow.", "It is slower.")]
    async with cluster.server.services.database.write() as session:
        await store.open_new(session, cluster.job_id, cluster.attempt_id, findings, cluster.server.clock())
    assert [found["message"] for found in await cluster.insights()] == ["It is slower."]


async def test_only_the_server_that_schedules_judges(cluster: Cluster) -> None:
    cluster.server.services.lease.is_held = False
    for _ in range(4):
        await cluster.pulse(stopped=0.4)
    assert await cluster.insights() == []
    cluster.server.services.lease.is_held = True
    for _ in range(3):
        await cluster.pulse(stopped=0.4)
    assert await cluster.kinds() == [("straggler", 2, True)]


async def test_what_was_open_when_nobody_judged_is_closed(cluster: Cluster) -> None:
    for _ in range(3):
        await cluster.pulse(stopped=0.4)
    await cluster.agent.report(cluster.attempt_id, "ended", reason="rank_exit", message="x")
    await cluster.agent.report(cluster.attempt_id, "clean")
    with cluster.server.services.stream.subscription([f"job:{cluster.job_id}"], None) as messages:
        await Insights(cluster.server.services).look()
        assert await insights_of_the_job(cluster, messages) == [("straggler", False)]
    assert await cluster.kinds() == [("straggler", 2, False)]


async def test_pulses_of_attempts_that_are_not_a_nodes_own_are_passed_over(cluster: Cluster, clock: Clock) -> None:
    other = await cluster.server.node("n2")
    pulse = {"time_us": 1, "ranks": []}
    for attempt_id in (cluster.attempt_id, 4711):
        assert (await other.post("pulses", pulse | {"attempt_id": attempt_id})).status_code == 204
    assert (await cluster.agent.post("pulses", pulse | {"attempt_id": cluster.attempt_id})).status_code == 204
    await cluster.loop.look()
    async with cluster.server.services.database.read() as session:
        assert await session.get(Pulse, (cluster.attempt_id, 1)) is not None
        assert await session.get(Pulse, (cluster.attempt_id, 2)) is None


async def test_a_pulse_tells_of_its_nodes_own_ranks_only(server: Server) -> None:
    """Here each of two nodes has two ranks, and tells of all four."""
    first, second, _, attempt_id = await two_nodes(server)
    ranks = [PULSE_OF_RANK | {"rank": rank} for rank in (0, 1, 2, 3)]
    for agent in (first, second):
        await agent.post("pulses", {"attempt_id": attempt_id, "time_us": 1, "ranks": ranks})
    await Insights(server.services).look()
    async with server.services.database.read() as session:
        told = [await session.get_one(Pulse, (attempt_id, node_id)) for node_id in (1, 2)]
    assert [[rank["rank"] for rank in pulse.ranks] for pulse in told] == [[0, 1], [2, 3]]


async def test_a_pulse_of_an_impossible_attempt_takes_no_other_nodes_pulse_with_it(cluster: Cluster) -> None:
    other = await cluster.server.node("n2")
    for attempt_id in (2**63, 2**63 - 1):
        await other.post("pulses", {"attempt_id": attempt_id, "time_us": 1, "ranks": []})
    await cluster.pulse()
    async with cluster.server.services.database.read() as session:
        assert await session.get(Pulse, (cluster.attempt_id, 1)) is not None


async def test_a_stale_agent_cannot_tell_pulses(cluster: Cluster) -> None:
    cluster.agent.epoch -= 1
    response = await cluster.agent.post("pulses", {"attempt_id": cluster.attempt_id, "time_us": 1, "ranks": []})
    assert (response.status_code, response.json()["code"]) == (409, "stale_epoch")


async def test_an_unknown_job_has_no_insights(server: Server) -> None:
    response = await server.admin.get("/api/v1/jobs/4711/insights")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


async def test_what_the_ranks_do_is_told_by_what_loads_first(cluster: Cluster) -> None:
    path = f"/api/v1/jobs/{cluster.job_id}/activity"
    assert (await cluster.server.admin.get(path)).json() == {"items": []}, "no rank has told anything yet"
    began_ns = 1_767_225_600_000_000_000
    ranks = [cluster._rank(rank, 0.0, 0) for rank in range(3)]
    ranks[0] |= {"has_finished": True}
    ranks[2] |= {"stage": "importing torch", "stage_since_ns": began_ns}
    body = {"attempt_id": cluster.attempt_id, "time_us": 1, "ranks": ranks}
    assert (await cluster.agent.post("pulses", body)).status_code == 204
    await cluster.loop.look()
    found = (await cluster.server.admin.get(path)).json()["items"]
    assert [(one["doing"], one["is_loading"], one["ranks"], one["since"]) for one in found] == [
        ("importing torch", True, [2], "2026-01-01T00:00:00Z"),
        ("at its steps", False, [1], None),
        ("at the end of its program", False, [0], None),
    ]
    assert found[0]["nodes"] == ["n1"]
    assert (await cluster.server.admin.get("/api/v1/jobs/4711/activity")).status_code == 404

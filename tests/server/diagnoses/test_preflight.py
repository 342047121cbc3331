"""Jobs with placement.preflight: the attempt of a slow node does not count, and its links become a baseline."""

from typing import Any

from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server
from tests.server.diagnoses.test_get_diagnosis import RATE, VERDICT, blamed_events, pair
from tests.server.training_jobs import get

PLACEMENT = {"ranks": 2, "nodes": 2, "preflight": True}
FINDING = "The preflight found node n2 unfit: n2 reaches 50% of what others reach with n1."


async def agents(server: Server, count: int) -> list[FakeAgent]:
    return [await server.node(f"n{number + 1}", 1) for number in range(count)]


async def run(server: Server, on: list[FakeAgent]) -> tuple[int, list[FakeAgent]]:
    """Bring the newest attempt to running; return it with its agents in rank order."""
    await server.one_pass()
    given = [(agent, (await agent.assignments())[-1:]) for agent in on]
    attempt: int = max(each["attempt_id"] for _, found in given for each in found)
    mine = [(each["member"], agent) for agent, found in given for each in found if each["attempt_id"] == attempt]
    members = sorted(mine, key=lambda one: one[0])
    for event in ("ready", "running"):
        for _, agent in members:
            agent.sequence = 0
            await agent.report(attempt, event)
    return attempt, [agent for _, agent in members]


async def end(attempt: int, members: list[FakeAgent], reason: str, message: str = "") -> None:
    for agent in members:
        await agent.report(attempt, "ended", reason=reason, message=message)
    for agent in members:
        await agent.report(attempt, "clean", last_sequence=agent.sequence)


async def test_a_slow_node_is_left_out_and_the_attempt_does_not_count(server: Server, clock: Clock) -> None:
    nodes = await agents(server, 3)
    job = await server.submit(**ONE_SIZE | {"placement": PLACEMENT, "max_attempts": 1})
    attempt, members = await run(server, nodes)
    slow = members[1]
    await members[0].records(attempt, pair(0, 1), VERDICT)
    await slow.report(attempt, "ended", reason="preflight_failed", message=FINDING)
    for agent in members:
        await agent.report(attempt, "clean", last_sequence=agent.sequence)
    again = await server.job(job["id"])
    assert (again["state"], again["excluded_nodes"]) == ("queued", [slow.name])
    assert "attempt 1 does not count" in again["pending"]["sentence"] and "50%" in again["pending"]["sentence"]
    assert [after for after, _ in await blamed_events(server, job["id"])] == ["n3"]
    (first,) = again["attempts"]
    assert (first["reason"], first["bad_node"]) == ("preflight_failed", slow.name)
    clock.advance(10)
    _, others = await run(server, nodes)
    assert slow not in others


async def test_a_job_ends_if_no_other_node_is_left(server: Server) -> None:
    nodes = await agents(server, 2)
    job = await server.submit(**ONE_SIZE | {"placement": PLACEMENT})
    attempt, members = await run(server, nodes)
    await end(attempt, members[1:] + members[:1], "preflight_failed", FINDING)
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "preflight_failed")
    assert "`ringscope diagnose --job" in ended["advice"]


async def test_pairs_are_the_baseline_of_the_next_jobs_and_no_links(server: Server) -> None:
    nodes = await agents(server, 2)
    given: list[Any] = []
    for _ in range(4):
        job = await server.submit(kind="script", script={"file": "a.py"}, placement=PLACEMENT)
        await server.one_pass()
        given.append([(await agent.assignments())[-1].get("earlier") for agent in nodes])
        attempt, members = await run(server, nodes)
        await members[0].records(attempt, pair(0, 1), VERDICT | {"blamed": [], "sentences": ["Nothing is wrong."]})
        found = await get(server, job["id"], "diagnosis")
        assert [each["nodes"] for each in found["pairs"]] == [["n1", "n2"]]
        await end(attempt, members, "completed")
    firsts = [[each for each in one if each] for one in given]
    assert [[each["baselines"] for each in one] for one in firsts[:3]] == [[[]]] * 3
    (told,) = firsts[3]
    assert told["pairs"] == [] and len(told["baselines"]) == 2
    assert {(one["source"], one["destination"]) for one in told["baselines"]} == {("n1", "n2"), ("n2", "n1")}
    assert {one["high"] for one in told["baselines"]} == {1.02 * RATE}
    assert (await server.admin.get("/api/v1/links")).json()["items"] == []

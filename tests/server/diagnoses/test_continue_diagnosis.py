"""The next attempt of a diagnosis after a loss, and the baselines that earlier diagnoses give it."""

from typing import Any

import pytest
from tests.server.conftest import FakeAgent, Server
from tests.server.diagnoses.test_get_diagnosis import (
    BLAMED,
    HUNG,
    NODES,
    RATE,
    VERDICT,
    blamed_events,
    end,
    pair,
    started,
)
from tests.server.training_jobs import get

NOTHING = VERDICT | {"blamed": [], "cleared": [], "sentences": ["Nothing is wrong."]}


async def run_on(agents: list[FakeAgent], server: Server) -> dict[str, Any]:
    """Start the next attempt; return the assignment of its first member."""
    await server.one_pass()
    assignment = (await agents[0].assignments())[-1]
    for event in ("ready", "running"):
        for agent in agents:
            agent.sequence = 0
            await agent.report(assignment["attempt_id"], event)
    return assignment


async def next_job(agents: list[FakeAgent], server: Server, *told: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Run another diagnosis to its end; return the assignment of its first member."""
    await server.submit(kind="diagnosis", diagnosis=spec, placement={"node_names": NODES})
    assignment = await run_on(agents, server)
    await agents[0].records(assignment["attempt_id"], *told)
    await end(agents, assignment["attempt_id"])
    return assignment


@pytest.mark.parametrize("reason", ["rank_signal", "launcher_lost"])
async def test_a_lost_node_is_left_out_and_blamed_and_known_pairs_are_kept(server: Server, reason: str) -> None:
    agents, job_id, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 1), pair(0, 2, 1), pair(1, 2, 2, **HUNG))
    await agents[2].report(attempt, "ended", reason=reason, message="n3 is gone.", rank=2)
    await end(agents, attempt, reason)
    job = await server.job(job_id)
    assert job["state"] == "queued", (job["reason"], job["message"], job["attempts"][0]["bad_node"])
    again = await run_on(agents[:2], server)
    assert [member["node"] for member in again["gang"]] == ["n1", "n2"] and again["ranks"] == 2
    (kept,) = again["earlier"]["pairs"]
    assert (kept["nodes"], kept["round"], kept["there"]["low"]) == (["n1", "n2"], 0, 0.98 * RATE)
    await agents[0].records(again["attempt_id"], pair(0, 1, 1, time_ns=1_900_000_100 * 10**9), NOTHING)
    await end(agents[:2], again["attempt_id"])
    job = await server.job(job_id)
    assert job["state"] == "succeeded" and len(job["attempts"]) == 2
    found = await get(server, job_id, "diagnosis")
    assert found["nodes"] == ["n1", "n2", "n3"] and len(found["pairs"]) == 4
    assert [(each["names"], each["manner"], each["sentence"]) for each in found["blamed"]] == [
        (["n3"], "died", "n3 is gone.")
    ]
    assert found["sentence"] == "n3 is gone." == job["summary"]["verdict"]
    assert await blamed_events(server, job_id) == [("n3", "n3 is gone.")]


async def test_only_rank_0_gets_what_is_known(server: Server) -> None:
    agents, _, _ = await started(server)
    (other,) = await agents[1].assignments()
    assert other["earlier"] is None


async def test_three_earlier_measurements_of_the_same_kind_are_a_baseline(server: Server) -> None:
    agents, _, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 1), NOTHING)
    await end(agents, attempt)
    second = await next_job(agents, server, pair(0, 1, share=1.2), pair(0, 2), NOTHING)
    assert second["earlier"]["baselines"] == []
    await next_job(agents, server, pair(0, 1, share=0.8), NOTHING)
    fourth = await next_job(agents, server, NOTHING)
    found = {(each["source"], each["destination"]): each for each in fourth["earlier"]["baselines"]}
    assert found.keys() == {("n1", "n2"), ("n2", "n1")}
    assert (found["n1", "n2"]["low"], found["n2", "n1"]["low"]) == (0.98 * RATE, 0.97 * RATE)
    other = await next_job(agents, server, NOTHING, both_ways=True)
    assert other["earlier"]["baselines"] == []


async def test_what_was_measured_of_a_blamed_node_is_no_baseline(server: Server) -> None:
    agents, _, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 1), pair(0, 2, share=0.5), VERDICT)
    await end(agents, attempt)
    for _ in range(2):
        await next_job(agents, server, pair(0, 1), pair(0, 2, share=0.5), VERDICT)
    last = await next_job(agents, server, NOTHING)
    assert BLAMED["names"] == ["n3"]
    assert {each["source"] for each in last["earlier"]["baselines"]} == {"n1", "n2"}

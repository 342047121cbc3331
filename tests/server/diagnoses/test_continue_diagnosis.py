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

from ringscope.contracts.protocol import Assignment

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
    assert Assignment.model_validate(again).spec.placement.node_names == ["n1", "n2"]
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


async def test_of_nodes_that_do_not_reach_each_other_one_is_left_out_and_the_link_is_blamed(server: Server) -> None:
    names = [*NODES, "n4"]
    agents = [await server.node(name, slots=1) for name in names]
    job_id = (await server.submit(kind="diagnosis", placement={"node_names": names}))["id"]
    await server.one_pass()
    attempt = (await agents[0].assignments())[-1]["attempt_id"]
    for agent, silent in zip(agents, ([], ["n4"], [], ["n2"]), strict=True):
        assert (await agent.report(attempt, "ready", unreachable=silent)).status_code == 204
    assert [(await agent.assignments())[-1]["desired"] for agent in agents] == ["stop"] * 4
    for agent in agents:
        await agent.report(attempt, "clean", last_sequence=0)
    again = await run_on(agents[:3], server)
    assert [member["node"] for member in again["gang"]] == NODES and again["earlier"]["pairs"] == []
    await agents[0].records(again["attempt_id"], pair(0, 1), NOTHING)
    await end(agents[:3], again["attempt_id"])
    job = await server.job(job_id)
    assert (job["state"], job["attempts"][0]["reason"], job["attempts"][0]["bad_node"]) == (
        "succeeded",
        "links_cut",
        "n4",
    )
    found = await get(server, job_id, "diagnosis")
    (blamed,) = found["blamed"]
    assert (blamed["kind"], blamed["names"], blamed["manner"]) == ("link", ["n2", "n4"], "hung")
    assert "n4 is left out of the measurements." in found["sentences"]
    assert (found["pairs"][0]["nodes"], found["pairs"][0]["ending"]) == (["n2", "n4"], "hung")
    assert await blamed_events(server, job_id) == [("n2, n4", blamed["sentence"])]


async def test_two_nodes_that_do_not_reach_each_other_are_undecided(server: Server) -> None:
    agents = [await server.node(name, slots=1) for name in NODES[:2]]
    job_id = (await server.submit(kind="diagnosis", placement={"node_names": NODES[:2]}))["id"]
    await server.one_pass()
    attempt = (await agents[0].assignments())[-1]["attempt_id"]
    for agent, silent in zip(agents, ("n2", "n1"), strict=True):
        await agent.report(attempt, "ready", unreachable=[silent])
    for agent in agents:
        await agent.report(attempt, "clean", last_sequence=0)
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("failed", "links_cut")
    found = await get(server, job_id, "diagnosis")
    assert (
        found["decided"] is False and found["blamed"] == [] and "n1 and n2 do not reach each other" in found["sentence"]
    )


async def test_a_job_with_a_preflight_leaves_out_a_node_that_others_do_not_reach(server: Server) -> None:
    agents = [await server.node(name, slots=1) for name in NODES]
    placement = {"ranks": 2, "ranks_per_node": 1, "preflight": True}
    job_id = (await server.submit(placement=placement, max_attempts=1))["id"]
    await server.one_pass()
    gang = [agent for agent in agents if await agent.assignments()]
    attempt = (await gang[0].assignments())[-1]["attempt_id"]
    for agent, other in zip(gang, gang[::-1], strict=True):
        await agent.report(attempt, "ready", unreachable=[other.name])
    for agent in gang:
        await agent.report(attempt, "clean", last_sequence=0)
    job = await server.job(job_id)
    first = job["attempts"][0]
    assert (first["reason"], first["bad_node"]) == ("preflight_failed", gang[1].name)
    assert job["state"] == "queued" and "do not reach each other" in first["message"]


async def test_rank_0_gets_the_rates_of_the_cards_that_drivers_report(server: Server) -> None:
    agents = [await server.node(name, slots=1) for name in NODES]
    nics = [{"name": "eth0", "speed_mbit_per_s": 1000}, {"name": "eth1", "speed_mbit_per_s": 25_000}]
    inventory = agents[1].introduction()["inventory"] | {"nics": nics}
    await agents[1].register(inventory=inventory)
    await server.submit(kind="diagnosis", placement={"node_names": NODES})
    await server.one_pass()
    (assignment,) = await agents[0].assignments()
    assert assignment["earlier"]["cards"] == {"n2": pytest.approx(25e9 / 8)}


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
    told = (await get(server, fourth["job_id"], "diagnosis/baselines"))["items"]
    assert [(each["low"], each["measurements"]) for each in told] == [(0.98 * RATE, 3), (0.97 * RATE, 3)]
    assert told[0]["since"] == "2030-03-17T17:46:40Z"
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

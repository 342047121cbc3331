"""A diagnosis per rail: its rows, the links, their history, the baselines, and a node that it goes on without."""

from typing import Any

import pytest
from tests.server.conftest import FakeAgent, Server
from tests.server.diagnoses.test_continue_diagnosis import NOTHING, run_on
from tests.server.diagnoses.test_get_diagnosis import BLAMED, NODES, RATE, VERDICT, blamed_events, end, links, pair
from tests.server.training_jobs import get

# ranks 0 and 1 are on n1, 2 and 3 on n2, 4 and 5 on n3
PLACEMENT = {"node_names": NODES, "ranks_per_node": 2}
LATER = 1_900_000_100 * 10**9


async def run(server: Server, agents: list[FakeAgent], **more: Any) -> tuple[int, dict[str, Any]]:
    """Start a diagnosis; return its job and the assignment of its first member."""
    job = await server.submit(kind="diagnosis", **{"diagnosis": {"per": "rail"}, "placement": PLACEMENT} | more)
    return job["id"], await run_on(agents, server)


async def history(server: Server, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await server.admin.get("/api/v1/links/n2/n1", params=query)).json()
    return found


@pytest.mark.both_databases
async def test_a_pair_counts_with_its_slowest_rail_and_its_history_has_no_other_values(server: Server) -> None:
    agents = [await server.node(name, slots=2) for name in NODES]
    whole, assignment = await run(server, agents, diagnosis={}, placement={"node_names": NODES})
    await agents[0].records(assignment["attempt_id"], pair(0, 1), pair(0, 2), NOTHING)
    await end(agents, assignment["attempt_id"])
    assert [(link["rail"], link["rails"]) for link in await links(server)] == [(None, [])] * 2

    job_id, assignment = await run(server, agents, diagnosis={"measure": "links", "per": "rail"})
    attempt = assignment["attempt_id"]
    assert (assignment["ranks"], (await server.job(job_id))["name"]) == (6, "links of 3 nodes with 2 rails")
    assert assignment["spec"]["diagnosis"]["per"] == "rail"
    await agents[0].records(attempt, pair(0, 2, 0), pair(1, 3, 1, share=0.5, time_ns=LATER), pair(2, 4, 2))
    told = await get(server, job_id, "diagnosis")
    assert (told["per"], told["nodes"], told["rounds"]) == ("rail", NODES, 3)
    assert [(each["nodes"], each["rail"]) for each in told["pairs"]] == [
        (["n1", "n2"], 0),
        (["n1", "n2"], 1),
        (["n2", "n3"], 0),
    ]
    found = {"".join(link["nodes"]): link for link in await links(server)}
    slow = found["n1n2"]
    assert (slow["rail"], slow["job_id"]) == (1, job_id) and slow["busbw_gb_per_s"] == 0.5 * RATE / 1e9 * 0.995
    assert [(each["rail"], each["busbw_gb_per_s"]) for each in slow["rails"]] == [
        (0, RATE / 1e9 * 0.995),
        (1, slow["busbw_gb_per_s"]),
    ]
    assert slow["rails"][1]["ways"] == slow["ways"] and slow["rails"][0]["latency_us"] == 80.0
    assert (found["n1n3"]["rail"], found["n1n3"]["job_id"], found["n2n3"]["rail"]) == (None, whole, 0)
    assert [link["rail"] for link in await links(server, job=job_id)] == [1, 0]
    assert [link["rail"] for link in await links(server, slowest_nodes=2)] == [1]
    (racks,) = (await server.admin.get("/api/v1/links/racks")).json()["items"]
    assert (racks["measured"], racks["slowest_nodes"]) == (3, ["n2", "n1"])
    (older,) = await links(server, between=["n1", "n2"], until="2030-03-17T17:47:00Z")
    assert older["rail"] == 0

    of_nodes = await history(server)
    assert [(link["job_id"], link["rail"]) for link in of_nodes["items"]] == [(whole, None)]
    assert of_nodes["rails"] == [0, 1]
    of_rail = (await history(server, rail=1))["items"]
    assert [(link["job_id"], link["rail"]) for link in of_rail] == [(job_id, 1)]
    await agents[0].records(attempt, NOTHING)
    await end(agents, attempt)
    newest, assignment = await run(server, agents, diagnosis={}, placement={"node_names": NODES})
    await agents[0].records(assignment["attempt_id"], pair(0, 1))
    assert [(link["rail"], link["job_id"]) for link in await links(server, between=["n1", "n2"])] == [(None, newest)]


async def test_a_blamed_rail_is_named_in_the_event_and_the_verdict_keeps_it(server: Server) -> None:
    agents = [await server.node(name, slots=2) for name in NODES]
    job_id, assignment = await run(server, agents)
    sentence = "n3 rail 1 reaches 50% of what others reach with n1 rail 1."
    blamed = BLAMED | {"rail": 1, "sentence": sentence, "evidence": [BLAMED["evidence"][0] | {"rail": 1}]}  # type: ignore[index, operator]
    other = blamed | {"rail": 0}
    await agents[0].records(assignment["attempt_id"], VERDICT | {"blamed": [blamed, other], "sentences": [sentence]})
    await end(agents, assignment["attempt_id"])
    told = await get(server, job_id, "diagnosis")
    assert [(each["names"], each["rail"]) for each in told["blamed"]] == [(["n3"], 1), (["n3"], 0)]
    assert told["blamed"][0]["evidence"][0]["rail"] == 1
    assert {name for name, _ in await blamed_events(server, job_id)} == {"n3 rail 0", "n3 rail 1"}


async def test_a_rail_has_its_own_baseline_and_the_next_attempt_has_all_ranks_of_the_nodes_left(server: Server) -> None:
    agents = [await server.node(name, slots=2) for name in NODES]
    for _ in range(3):
        _, assignment = await run(server, agents)
        await agents[0].records(assignment["attempt_id"], pair(0, 2), pair(1, 3, 1, share=0.5), NOTHING)
        await end(agents, assignment["attempt_id"])
    job_id, assignment = await run(server, agents)
    known = {(each["source"], each["rail"]): each["low"] for each in assignment["earlier"]["baselines"]}
    low, back = 0.98 * RATE, 0.97 * RATE
    assert known == {("n1", 0): low, ("n2", 0): back, ("n1", 1): 0.5 * low, ("n2", 1): 0.5 * back}
    await agents[0].records(assignment["attempt_id"], pair(1, 3, 0))
    await agents[2].report(assignment["attempt_id"], "ended", reason="rank_signal", message="n3 is gone.", rank=4)
    await end(agents, assignment["attempt_id"], "rank_signal")
    assert (await server.job(job_id))["state"] == "queued"
    await server.one_pass()
    again = (await agents[0].assignments())[-1]
    assert (again["ranks"], [member["slots"] for member in again["gang"]]) == (4, [2, 2])
    assert [(each["nodes"], each["rail"]) for each in again["earlier"]["pairs"]] == [(["n1", "n2"], 1)]
    assert await next_of_nodes(server, agents[:2], again["attempt_id"]) == []


async def next_of_nodes(server: Server, agents: list[FakeAgent], attempt: int) -> list[Any]:
    """End the attempt; return the baselines of a diagnosis of the nodes as wholes."""
    for event in ("ready", "running"):
        for agent in agents:
            agent.sequence = 0
            await agent.report(attempt, event)
    await agents[0].records(attempt, NOTHING)
    await end(agents, attempt)
    names = [agent.name for agent in agents]
    _, assignment = await run(server, agents, diagnosis={}, placement={"node_names": names})
    baselines: list[Any] = assignment["earlier"]["baselines"]
    return baselines


async def test_fewer_ranks_than_two_on_a_node_and_fewer_slots_are_refused_by_their_field(server: Server) -> None:
    await server.node("n1", slots=2)
    await server.node("n2", slots=1)

    async def refused(**placement: Any) -> tuple[str, str]:
        body = {
            "kind": "diagnosis",
            "diagnosis": {"per": "rail"},
            "placement": {"node_names": ["n1", "n2"]} | placement,
        }
        answer = await server.admin.post("/api/v1/jobs", json=body)
        assert answer.status_code == 422
        (error,) = answer.json()["errors"]
        return error["pointer"], error["detail"]

    field = "/placement/ranks_per_node"
    for few in ({}, {"ranks_per_node": 1}):
        pointer, detail = await refused(**few)
        assert pointer == field and "at least 2 ranks on each node" in detail and "give the number of rails" in detail
    pointer, detail = await refused(ranks_per_node=2)
    assert (pointer, "4 ranks" in detail) == ("/placement/ranks", True), detail

"""GET /jobs/{id}/diagnosis: what an attempt tells, the verdict, a node that is lost, and the pairs in GET /links."""

from typing import Any

import pytest
from tests.server.conftest import FakeAgent, Server
from tests.server.training_jobs import get

RATE = 25e6
NODES = ["n1", "n2", "n3"]


def pair(first: int, second: int, number: int = 0, share: float = 1.0, **more: Any) -> dict[str, Any]:
    rate = {"low": 0.98 * share * RATE, "high": 1.02 * share * RATE, "spread": 0.01, "messages": 12}
    told = {
        "type": "pair_measured",
        "round": number,
        "first": first,
        "second": second,
        "time_ns": 1_900_000_000 * 10**9,
    }
    return told | {"there": rate, "back": rate | {"low": 0.97 * share * RATE}, "latency_us": 80.0} | more


HUNG = {"ending": "hung", "there": None, "back": None, "latency_us": None}
BLAMED = {
    "kind": "node",
    "names": ["n3"],
    "manner": "slow",
    "confidence": 0.99,
    "sentence": "n3 reaches 50% of what others reach with n1 and n2, which are fine with others.",
    "evidence": [{"nodes": ["n1", "n3"], "there": {"low": 1e7, "high": 1.1e7}, "back": {"low": 1e7, "high": 1.1e7}}],
}
VERDICT = {
    "type": "diagnosis_verdict",
    "decided": True,
    "rounds": 3,
    "blamed": [BLAMED],
    "cleared": ["n1"],
    "sentences": [BLAMED["sentence"], "n1 is good: it is fine with n2."],
    "undecided": [],
}


async def started(server: Server, **spec: Any) -> tuple[list[FakeAgent], int, int]:
    agents = [await server.node(name, slots=1) for name in NODES]
    job = await server.submit(kind="diagnosis", diagnosis=spec, placement={"node_names": NODES})
    await server.one_pass()
    attempt: int = (await agents[0].assignments())[-1]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            await agent.report(attempt, event)
    return agents, job["id"], attempt


async def end(agents: list[FakeAgent], attempt: int, reason: str = "completed", **more: Any) -> None:
    for agent in agents:
        await agent.report(attempt, "ended", reason=reason, **more)
    for agent in agents:
        await agent.report(attempt, "clean", last_sequence=agent.sequence)


async def blamed_events(server: Server, job_id: int) -> list[tuple[str, str]]:
    events = (await get(server, job_id, "events"))["items"]
    return [(event["after"], event["message"]) for event in events if event["action"] == "diagnosis.blamed"]


async def test_the_agents_get_the_racks_and_the_job_is_one_rank_on_each_node(server: Server) -> None:
    agents, job_id, _ = await started(server, measure="links")
    (assignment,) = await agents[0].assignments()
    assert [(member["node"], member["slots"]) for member in assignment["gang"]] == [(name, 1) for name in NODES]
    job = await server.job(job_id)
    assert job["name"] == "links of 3 nodes"
    assert job["spec"]["time_limit_seconds"] == 420 and job["spec"]["max_attempts"] == 1


async def test_pairs_are_shown_as_they_come_and_the_verdict_at_the_end(server: Server) -> None:
    agents, job_id, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 1), pair(2, 1, 1, share=0.5))
    found = await get(server, job_id, "diagnosis")
    assert (found["decided"], found["sentence"]) == (None, "The diagnosis has no verdict yet.")
    assert [(each["nodes"], each["round"]) for each in found["pairs"]] == [(["n1", "n2"], 0), (["n2", "n3"], 1)]
    # the second pair was told from n3 to n2, and is stored from n2 to n3
    assert found["pairs"][1]["there"]["low"] == 0.97 * 0.5 * RATE
    assert (await server.job(job_id))["progress"]["done"] == 2
    await agents[0].records(attempt, VERDICT)
    await end(agents, attempt)
    found = await get(server, job_id, "diagnosis")
    assert found["decided"] and found["sentence"] == BLAMED["sentence"] and found["cleared"] == ["n1"]
    job = await server.job(job_id)
    assert job["state"] == "succeeded" and job["summary"]["verdict"] == BLAMED["sentence"]
    assert await blamed_events(server, job_id) == [("n3", BLAMED["sentence"])]


async def test_a_diagnosis_with_a_verdict_has_completed_however_its_ranks_ended(server: Server) -> None:
    agents, job_id, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 1), pair(0, 2, 1, **HUNG), VERDICT)
    await end(agents, attempt, "rank_exit", message="Rank 0 ended with exit code 1.")
    assert (await server.job(job_id))["state"] == "succeeded"
    assert (await get(server, job_id, "diagnosis"))["pairs"][1]["ending"] == "hung"


async def test_without_a_verdict_a_diagnosis_has_failed(server: Server) -> None:
    agents, job_id, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 1))
    await end(agents, attempt)
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("failed", "results_missing") and "without a verdict" in job["message"]


async def test_of_two_nodes_a_lost_one_is_blamed_by_the_server(server: Server) -> None:
    agents = [await server.node(name, slots=1) for name in NODES[:2]]
    job = await server.submit(kind="diagnosis", placement={"node_names": NODES[:2]})
    await server.one_pass()
    attempt: int = (await agents[0].assignments())[-1]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            await agent.report(attempt, event)
    await agents[0].records(attempt, pair(0, 1))
    await agents[0].report(attempt, "stalled", message="n1 hangs.")
    await end(agents, attempt, "rank_signal")
    found = await get(server, job["id"], "diagnosis")
    (blamed,) = found["blamed"]
    assert (blamed["kind"], blamed["names"], blamed["sentence"]) == ("node", ["n1"], "n1 hangs.")
    assert found["decided"] and "not judged" in found["undecided"][0]
    assert await blamed_events(server, job["id"]) == [("n1", "n1 hangs.")]


async def test_records_of_other_ranks_and_other_kinds_are_refused(server: Server) -> None:
    agents, job_id, attempt = await started(server)
    await agents[0].records(attempt, pair(0, 7), pair(1, 1), pair(0, 1, there=None))
    assert (await get(server, job_id, "diagnosis"))["pairs"] == []
    job = await server.submit(kind="training", placement={"ranks": 1})
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/diagnosis")
    assert answer.status_code == 409 and answer.json()["code"] == "no_diagnosis"


async def test_what_cannot_be_measured_is_refused_in_one_sentence(server: Server) -> None:
    await server.node("n1")

    async def refused(**more: Any) -> dict[str, Any]:
        answer = await server.admin.post("/api/v1/jobs", json={"kind": "diagnosis"} | more)
        assert answer.status_code == 422, answer.text
        found: dict[str, Any] = answer.json()["errors"][0]
        return found

    error = await refused(placement={"node_names": ["n1"]})
    assert error["pointer"] == "/placement/ranks" and "at least 2 nodes" in error["detail"]
    assert (await refused(placement={"ranks": 4, "ranks_per_node": 2}))["pointer"] == "/placement/ranks_per_node"
    assert (await refused(time_limit_seconds=10))["pointer"] == "/time_limit_seconds"


async def links(server: Server, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await server.admin.get("/api/v1/links", params=query)).json()["items"]
    return found


async def test_the_links_between_nodes_are_those_of_the_newest_diagnosis_and_older_ones_are_kept(
    server: Server,
) -> None:
    agents, _, attempt = await started(server, measure="links")
    later = 1_900_000_100 * 10**9
    await agents[0].records(attempt, pair(0, 1), pair(1, 0, 1, share=0.5, time_ns=later), pair(0, 2, **HUNG))
    await agents[0].records(attempt, pair(1, 2, share=0.2, is_loaded=True))
    (link,) = await links(server)
    assert link["nodes"] == ["n1", "n2"] and link["busbw_gb_per_s"] == 0.5 * RATE / 1e9 * 0.995
    assert [(way["source"], way["destination"], way["messages"]) for way in link["ways"]] == [
        ("n1", "n2", 12),
        ("n2", "n1", 12),
    ]
    assert (link["latency_us"], link["both_ways"], link["iterations"]) == (80.0, False, 12)
    (older,) = await links(server, until="2030-03-17T17:47:00Z")
    assert older["ways"][0]["low_gb_per_s"] == 0.98 * RATE / 1e9
    assert await links(server, until="2029-01-01T00:00:00Z") == []


async def test_pages_of_links_and_of_pairs_follow_each_other(server: Server) -> None:
    agents, job_id, attempt = await started(server, measure="links")
    await agents[0].records(attempt, pair(0, 1), pair(0, 2), pair(1, 2), pair(0, 1, 1, **HUNG))
    seen, cursor = [], None
    while True:
        query = {"limit": 1} | ({"cursor": cursor} if cursor else {})
        page = (await server.admin.get("/api/v1/links", params=query)).json()
        seen += [link["nodes"] for link in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [["n1", "n2"], ["n1", "n3"], ["n2", "n3"]]
    whole = await get(server, job_id, "diagnosis")
    first = await get(server, job_id, "diagnosis", limit=3)
    rest = await get(server, job_id, "diagnosis", limit=3, cursor=first["next"])
    assert (len(first["pairs"]), len(rest["pairs"]), rest["next"]) == (3, 1, None)
    assert first | {"pairs": [*first["pairs"], *rest["pairs"]], "next": None} == whole
    assert (await get(server, job_id, "diagnosis", cursor=first["next"])) == rest
    (hung,) = (await get(server, job_id, "diagnosis", limit=3, without_measured=True))["pairs"]
    assert [hung] == rest["pairs"]


async def racks(server: Server, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await server.admin.get("/api/v1/links/racks", params=query)).json()["items"]
    return found


@pytest.mark.both_databases
async def test_links_between_racks_are_told_in_a_few_numbers_and_listed_by_rack_or_node(server: Server) -> None:
    assert await racks(server) == []
    agents, job_id, attempt = await started(server, measure="links")
    for name in ("n1", "n2"):
        await server.admin.patch(f"/api/v1/nodes/{name}", json={"labels": {"rack": "r1"}})
    later = 1_900_000_100 * 10**9
    await agents[0].records(attempt, pair(0, 1), pair(0, 2, share=0.4), pair(1, 2, 1))
    await agents[0].records(attempt, pair(0, 2, 2, share=0.5, time_ns=later), pair(0, 1, 3, **HUNG))
    without, within = await racks(server)
    assert (within["racks"], within["pairs"], within["measured"]) == (["r1", "r1"], 1, 1)
    assert (without["racks"], without["pairs"], without["measured"]) == ([None, "r1"], 2, 2)
    assert without["slowest_nodes"] == ["n3", "n1"]
    low, high = 0.97 * 0.5 * RATE / 1e9, 1.02 * 0.5 * RATE / 1e9
    assert (without["slowest_low_gb_per_s"], without["slowest_high_gb_per_s"]) == pytest.approx((low, high))
    assert without["slowest_gb_per_s"] == pytest.approx((low + high) / 2)
    assert without["median_gb_per_s"] == pytest.approx((0.5 * 1.0 + 0.995) / 2 * RATE / 1e9)
    assert without["newest_at"] == "2030-03-17T17:48:20Z" and within["newest_at"] == "2030-03-17T17:46:40Z"
    assert await racks(server, job=job_id) == [without, within] and await racks(server, job=job_id + 1) == []

    async def listed(**query: Any) -> list[list[str]]:
        return [link["nodes"] for link in await links(server, **query)]

    assert await listed(rack="r1") == [["n1", "n2"]] and await listed(rack="") == []
    assert await listed(rack=["r1", ""]) == [["n1", "n2"], ["n1", "n3"], ["n2", "n3"]] == await listed(job=job_id)
    assert await listed(node="n3") == [["n1", "n3"], ["n2", "n3"]] and await listed(job=job_id + 1) == []
    assert await listed(between=["n2", "n3"]) == [["n2", "n3"]]
    assert await listed(slowest_nodes=2) == [["n1", "n3"]] == await listed(slowest_nodes=2, limit=5)
    told = await get(server, job_id, "diagnosis", without_measured=True)
    assert [(each["nodes"], each["ending"]) for each in told["pairs"]] == [(["n1", "n2"], "hung")]
    await agents[0].records(attempt, pair(0, 1, 4))
    told = await get(server, job_id, "diagnosis", without_measured=True)
    assert (told["pairs"], told["rounds"]) == ([], 5)


async def test_the_history_of_a_link_has_all_its_measurements_newest_first(server: Server) -> None:
    agents, job_id, attempt = await started(server, measure="links")
    later = 1_900_000_100 * 10**9
    await agents[0].records(attempt, pair(0, 1), pair(1, 0, 1, share=0.5, time_ns=later), pair(1, 2))
    await agents[0].records(attempt, pair(0, 1, 2, **HUNG), pair(0, 1, 3, share=0.2, is_loaded=True))
    items = (await server.admin.get("/api/v1/links/n2/n1")).json()["items"]
    assert [(link["nodes"], link["job_id"], link["ways"][0]["source"]) for link in items] == [
        (["n1", "n2"], job_id, "n1")
    ] * 2
    assert [link["busbw_gb_per_s"] for link in items] == [share * RATE / 1e9 * 0.995 for share in (0.5, 1.0)]
    assert (await server.admin.get("/api/v1/links/n1/gone")).status_code == 404

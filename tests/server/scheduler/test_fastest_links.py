"""Jobs that ask for the nodes with the fastest links."""

from tests.server.conftest import ONE_SIZE, Server
from tests.server.results.test_list_links import run_pair

FASTEST = {"ranks": 2, "nodes": 2, "arrangement": "fastest"}


async def why_it_started(server: Server, job_id: int) -> list[str]:
    events = (await server.admin.get(f"/api/v1/jobs/{job_id}/events")).json()["items"]
    return [event["message"] for event in events if event["action"] == "job.starting"]


async def test_a_gang_gets_the_nodes_with_the_fastest_link_and_its_events_say_why(server: Server) -> None:
    agents = {name: await server.node(name, slots=1) for name in ("n1", "n2", "n3")}
    for pair, busbw in (("n1 n2", 2.0), ("n1 n3", 2.5), ("n2 n3", 9.0)):
        await run_pair(server, [agents[name] for name in pair.split()], busbw)
    spec = {**ONE_SIZE, "placement": FASTEST}
    planned = (await server.admin.post("/api/v1/plan/queue", json=spec)).json()
    assert [share["node"] for share in planned["shares"]] == ["n2", "n3"]
    why = "The slowest measured link among n2 and n3 reaches 9 GB/s. No other free nodes have a faster slowest link."
    assert planned["placed_because"] == why

    job = await server.submit(placement=FASTEST)
    await server.one_pass()
    started = await server.job(job["id"])
    assert [member["node"] for member in started["attempts"][-1]["members"]] == ["n2", "n3"]
    assert await why_it_started(server, job["id"]) == [why]


async def test_without_measured_links_it_starts_and_says_so(server: Server) -> None:
    for name in ("n1", "n2"):
        await server.node(name, slots=1)
    job = await server.submit(placement=FASTEST)
    await server.one_pass()
    assert await why_it_started(server, job["id"]) == [
        "No link among n1 and n2 was measured, so that they were chosen as by arrangement pack."
    ]

"""GET /jobs/{id}/steps and /arrivals: ranks of several nodes on one clock."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Clock, Server, steps

START_NS = 1_767_225_600_000_000_000  # as the test's clock and steps() begin
TWO_NODES = {**ONE_SIZE, "placement": {"ranks": 2, "nodes": 2}}
LATE_NS = 3_000_000


async def a_job_of_two_nodes(server: Server, *offsets: float | None, error_seconds: float = 0.001) -> int:
    """Rank 1 begins each of three steps 3 ms after rank 0; the nodes' clocks are off by ``offsets``."""
    agents = [await server.node(f"n{number}", 1) for number in range(2)]
    for agent, offset in zip(agents, offsets, strict=True):
        clock = {} if offset is None else {"clock_offset_seconds": offset, "clock_error_seconds": error_seconds}
        assert (await agent.post("poll", {"seen": -1} | clock)).status_code == 200
    job = await server.submit(**TWO_NODES)
    await server.one_pass()
    attempt = (await agents[0].assignments())[0]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            await agent.report(attempt, event)
    for rank, (agent, offset) in enumerate(zip(agents, offsets, strict=True)):
        shift_ns = rank * LATE_NS + round((offset or 0) * 1e9)
        record = steps(rank)
        record["start_ns"] = [time_ns + shift_ns for time_ns in record["start_ns"]]
        await agent.records(attempt, record)
    return int(job["id"])


async def items(server: Server, job_id: int, what: str, **query: Any) -> list[dict[str, Any]]:
    answer = await server.admin.get(f"/api/v1/jobs/{job_id}/{what}", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_steps_are_also_told_by_the_servers_clock(server: Server) -> None:
    job_id = await a_job_of_two_nodes(server, 2.5, None)
    first, *_, last = await items(server, job_id, "steps")
    assert (first["rank"], first["started_at_ns"] - first["server_time_ns"]) == (0, 2_500_000_000)
    assert first["server_time_ns"] == START_NS
    assert first["clock_error_us"] == pytest.approx(1000)
    assert (last["rank"], last["server_time_ns"], last["clock_error_us"]) == (1, None, None)


async def test_the_error_grows_with_the_time_since_the_clock_was_known(server: Server, clock: Clock) -> None:
    clock.advance(-100)
    job_id = await a_job_of_two_nodes(server, 0.0, 0.0)
    assert (await items(server, job_id, "steps"))[0]["clock_error_us"] == pytest.approx(1000 + 100 * 15)


async def test_who_comes_last_is_told_although_the_clocks_differ_by_far_more(server: Server) -> None:
    job_id = await a_job_of_two_nodes(server, 7.0, -3600.0)
    found = await items(server, job_id, "arrivals")
    assert [row["step"] for row in found] == [0, 1, 2]
    for row in found:
        assert (row["last_rank"], row["last_node"], row["is_real"]) == (1, "n1", True)
        assert (row["algorithm"], row["bytes"], row["in_place"]) == ("ring", 1024, False)
        assert row["late_us"] == row["spread_us"] == LATE_NS / 1000
        assert row["error_us"] == pytest.approx(2000, rel=1e-3)


@pytest.mark.parametrize(("offsets", "error_us"), [((0.0, 0.0), 4000), ((0.0, None), None)])
async def test_a_skew_within_the_error_is_not_called_real(
    server: Server, offsets: tuple[float | None, ...], error_us: float | None
) -> None:
    job_id = await a_job_of_two_nodes(server, *offsets, error_seconds=0.002)
    for row in await items(server, job_id, "arrivals"):
        assert row["is_real"] is False
        assert row["error_us"] == (error_us and pytest.approx(error_us, rel=1e-3))


async def test_pages_follow_each_other_and_a_step_that_a_rank_has_not_told_of_waits(server: Server) -> None:
    job_id = await a_job_of_two_nodes(server, 0.0, 0.0)
    agent = await server.node("n0", 1)
    attempt = (await agent.assignments())[0]["attempt_id"]
    agent.sequence = 1
    await agent.records(attempt, steps(0, first_step=3))
    path, seen, cursor = f"/api/v1/jobs/{job_id}/arrivals", [], None
    while True:
        page = (await server.admin.get(path, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [row["step"] for row in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [0, 1, 2]


async def test_a_job_without_an_attempt_has_no_arrival(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    assert await items(server, job["id"], "arrivals") == []

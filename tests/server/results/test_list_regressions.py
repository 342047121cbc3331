"""GET /comparison/regressions: what became slower since the day before."""

from typing import Any

from tests.server.conftest import Clock, FakeAgent, Server, measurement
from tests.server.metrics_page import run_sweep

SWEEP: dict[str, Any] = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024}
DAY = 24 * 3600


async def a_run(server: Server, agent: FakeAgent, time_us: float, **benchmark: Any) -> int:
    rounds_us = [time_us + i / 100 for i in range(20)]
    rows = [
        measurement("ring", time_us=time_us, in_place=place, iterations=20, rounds_us=rounds_us)
        for place in (False, True)
    ]
    return await run_sweep(server, agent, rows, benchmark=SWEEP | benchmark, placement={"ranks": 2})


async def found(server: Server) -> tuple[int, list[dict[str, Any]]]:
    answer = (await server.admin.get("/api/v1/comparison/regressions")).json()
    return answer["pairs"], answer["items"]


async def test_a_benchmark_that_became_slower_is_named_with_the_job_of_the_day_before(
    server: Server, clock: Clock
) -> None:
    agent = await server.node("n1")
    before = await a_run(server, agent, 10.0)
    clock.advance(DAY)
    agent = await server.node("n1")
    await a_run(server, agent, 20.0)
    slow = await a_run(server, agent, 30.0)
    pairs, [one] = await found(server)
    assert (pairs, one["job_id"], one["base_job_id"]) == (1, slow, before), "the newest of each day"
    assert (one["collective"], one["algorithm"], one["size_bytes"], one["nodes"]) == (
        "all_reduce",
        "ring",
        1024,
        ["n1"],
    )
    assert one["ratio_low"] < one["ratio"] < one["ratio_high"] and round(one["ratio"]) == 3
    clock.advance(DAY)
    assert await found(server) == (0, []), "nothing ran since"


async def test_only_the_same_benchmark_on_the_same_nodes_is_compared(server: Server, clock: Clock) -> None:
    agent = await server.node("n1")
    await a_run(server, agent, 10.0)
    clock.advance(DAY)
    agent = await server.node("n1")
    await a_run(server, agent, 30.0, aggregate=2)
    assert await found(server) == (0, [])
    await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "repair"})
    await a_run(server, await server.node("n2"), 30.0)
    assert await found(server) == (0, [])

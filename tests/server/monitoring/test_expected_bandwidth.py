"""The metrics give the bandwidth that a running benchmark should reach, and the last result of each shape."""

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import Clock, Server, measurement
from tests.server.metrics_page import Samples, key, run_sweep, samples

from ringscope_server.db.models import Attempt
from ringscope_server.monitoring import expected_bandwidth
from ringscope_server.monitoring.expected_bandwidth import expected, measured
from ringscope_server.results.baseline import Baseline, Expected, Shape

SIZES = {"benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 2048}, "placement": {"ranks": 2}}
IN_TWO = {"benchmark": {**SIZES["benchmark"], "channels": 2}, "placement": {"ranks": 2, "nodes": 1}}


def rows(*gb_per_s: float, **more: object) -> list[dict[str, object]]:
    """A sweep over two sizes: the bus bandwidth of each, the same in place."""
    return [
        measurement(size_bytes=1024 << index, in_place=in_place, busbw_gb_per_s=rate, **more)
        for index, rate in enumerate(gb_per_s)
        for in_place in (False, True)
    ]


def expectation(found: Samples, job_id: int) -> float | None:
    return found.get(key("job_expected_bus_bandwidth_bytes_per_second", job_id=str(job_id), op="all_reduce"))


def share(found: Samples, job_id: int) -> float | None:
    return found.get(key("job_bus_bandwidth_of_expected_ratio", job_id=str(job_id), op="all_reduce"))


def shape(size_bytes: int, in_place: bool = False) -> Shape:
    return Shape("all_reduce", "ring", "mpi", in_place, size_bytes, "float32", "sum", 1, False)


def test_all_bytes_over_all_time_are_expected() -> None:
    small, large = (shape(size) for size in (1_000_000, 3_000_000))
    known = {small: Expected(1.0, 1.0, 3), large: Expected(3.0, 3.0, 3)}  # a millisecond each
    assert expected([small, large], known) == 2e9
    assert expected([], known) is None
    assert expected([small, shape(1_000_000, in_place=True)], known) is None, "nobody knows"
    assert expected([small], {small: Expected(0.0, 0.0, 3)}) is None, "one rank alone has no bus"


def test_the_measured_rate_is_all_bytes_over_all_time_too() -> None:
    assert measured([(1_000_000, 1.0), (3_000_000, 3.0)]) == 2e9
    assert measured([]) is None
    assert measured([(8, 0.0)]) is None, "one rank alone has no bus"


async def test_the_median_of_the_last_good_runs_alike_is_expected(server: Server, clock: Clock) -> None:
    agent = await server.node()
    for rate in (100.0, 100.0, 2.0, 3.0, 1.0, 5.0, 4.0):  # of which the last five count
        await run_sweep(server, agent, rows(rate, rate), **SIZES)
    job = await server.submit(**SIZES)
    attempt = await agent.start_next()
    agent.sequence = 0
    await server.one_pass()
    assert expectation(await samples(server), job["id"]) is None, "it has measured nothing yet"
    await agent.records(attempt, *rows(0.1))
    await server.one_pass()
    found = await samples(server)
    assert expectation(found, job["id"]) == 3e9
    assert share(found, job["id"]) == pytest.approx(0.1 / 3), "the rows of this job are slower"
    clock.advance(60)
    await agent.report(attempt, "running")
    await server.one_pass()
    assert expectation(await samples(server), job["id"]) is None, "and nothing in the last minute"


async def test_many_that_start_at_once_are_looked_at_over_several_passes(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node(slots=4)
    for _ in range(2):
        await server.submit(**SIZES)
    looked_up: list[int] = []

    async def of(_: AsyncSession, attempt: Attempt) -> Baseline:
        looked_up.append(attempt.id)
        return {}

    monkeypatch.setattr(expected_bandwidth, "baseline", of)
    monkeypatch.setattr(expected_bandwidth, "AT_ONCE", 1)
    await server.one_pass()
    first, second = [assignment["attempt_id"] for assignment in await agent.assignments()]
    assert looked_up == [first]
    await agent.records(second, *rows(1.0))  # of one that is not looked up yet
    await server.one_pass()
    assert looked_up == [first, second]


async def test_other_jobs_say_nothing(server: Server) -> None:
    agent = await server.node()
    for _ in range(3):
        # Of one rank nothing goes over the bus.
        alone, doubles = rows(0.0, 0.0, ranks=1, time_us=10.0), rows(1.0, 1.0, dtype="float64")
        await run_sweep(server, agent, alone, **SIZES | {"placement": {"ranks": 1}})
        await run_sweep(server, agent, doubles, **SIZES | {"benchmark": {**SIZES["benchmark"], "dtype": "float64"}})
        await run_sweep(server, agent, rows(1.0, 1.0, channels=2), **IN_TWO)
    for _ in range(2):
        await run_sweep(server, agent, rows(1.0, 1.0), **SIZES)
    job = await server.submit(**SIZES)
    attempt = await agent.start_next()
    agent.sequence = 0
    await server.one_pass()
    await agent.records(attempt, *rows(1.0))
    await server.one_pass()
    assert expectation(await samples(server), job["id"]) is None, "two runs are no history"


async def test_the_last_result_of_a_shape_outlives_its_job(server: Server, clock: Clock) -> None:
    agent = await server.node()
    await server.one_pass()
    await run_sweep(server, agent, rows(1.0, 2.0), **SIZES)
    clock.advance(10)
    second = [row for rate in (4.0, 5.0) for row in rows(rate, rate) if row["in_place"] is (rate == 5.0)]
    await run_sweep(server, agent, second, **SIZES)
    await run_sweep(server, agent, rows(0.5, 0.5, cores=1), **SIZES)
    simulated = rows(99.0, 99.0, transport="simulated", wrong=None)
    cluster = {"transport": "simulated", "topology": {"shape": "2"}}
    await run_sweep(server, agent, simulated, benchmark=SIZES["benchmark"] | cluster)
    await run_sweep(server, agent, rows(77.0, 77.0), **IN_TWO)  # what goes in no channels, too
    rotated = {"benchmark": {**SIZES["benchmark"], "rotate": True}, "placement": {"ranks": 2}}
    await run_sweep(server, agent, rows(66.0, 66.0), **rotated)
    for _ in range(2):
        clock.advance(50)
        await server.one_pass()
    found = await samples(server)
    numbers = {"dtype": "float32", "redop": "sum", "crowded": "false"}
    run = numbers | {"op": "all_reduce", "world_size": "2", "nodes": "1", "backend": "ring/shared_memory"}
    for size in ("1024", "2048"):
        shape = run | {"message_bytes": size}
        assert found[key("benchmark_bus_bandwidth_bytes_per_second", **shape)] == 4e9, "out of place"
    crowded = [key("benchmark_bus_bandwidth_bytes_per_second", **run | {"crowded": "true", "message_bytes": size})]
    assert found[crowded[0]] == 0.5e9, "ranks without a core each are on a gauge of their own"
    assert found[key("benchmark_last_run_timestamp_seconds", **run)] == clock().timestamp() - 100
    assert not [labels for name, labels in found if ("backend", "ring/simulated") in labels]
    assert not [labels for name, labels in found if any(label == "job_id" for label, _ in labels)]

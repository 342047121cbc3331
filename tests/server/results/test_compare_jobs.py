"""GET /comparison: benchmarks beside a baseline."""

import threading
from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, FakeAgent, Server, measurement
from tests.server.metrics_page import run_sweep

from ringscope.contracts.job import JobSpec
from ringscope_server.results import comparison

BOTH = {
    "benchmark": {"algorithms": ["ring", "direct"], "min_bytes": 1024, "max_bytes": 1024},
    "placement": {"ranks": 2},
}


def rows(**time_us: float) -> list[dict[str, Any]]:
    """Each algorithm's time, whose iterations scatter by a tenth."""
    return [
        measurement(name, time_us=us, in_place=place, cv_percent=10.0)
        for name, us in time_us.items()
        for place in (False, True)
    ]


async def a_run(server: Server, agent: FakeAgent, spec: dict[str, Any] = BOTH, **time_us: float) -> int:
    return await run_sweep(server, agent, rows(**time_us), **spec)


async def compare(server: Server, *jobs: int, **query: Any) -> dict[str, Any]:
    answer = await server.admin.get("/api/v1/comparison", params={"job": jobs, **query})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def out_of_place(job: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["algorithm"]: row for row in job["rows"] if not row["in_place"]}


async def test_rows_are_marked_by_the_rule_of_diff(server: Server) -> None:
    agent = await server.node()
    slow = await a_run(server, agent, ring=10.0, direct=20.0)
    fast = await a_run(server, agent, ring=9.0, direct=5.0)
    found = await compare(server, slow, fast)
    assert found["base"] == slow
    base, other = found["jobs"]
    assert [row["against"] for row in base["rows"]] == [None] * 6
    ring, direct, fastest = (out_of_place(other)[name] for name in ("ring", "direct", "fastest"))
    assert ring["against"]["ratio"] == pytest.approx(0.9) and not ring["against"]["is_clear"]
    assert ring["against"]["ratio_low"] is None
    assert ring["against"]["noise"] == pytest.approx((1.0**2 + 0.9**2) ** 0.5 / 10)
    assert direct["against"]["ratio"] == pytest.approx(0.25) and not direct["against"]["is_clear"]
    assert (fastest["time_us"], fastest["against"]["ratio"]) == (5.0, pytest.approx(0.5)), "direct beside ring"
    again = await compare(server, slow, fast, base=fast)
    assert out_of_place(again["jobs"][0])["ring"]["against"]["ratio"] == pytest.approx(10 / 9)


async def test_jobs_without_a_common_size_are_interpolated_over_the_range_of_both(server: Server) -> None:
    agent = await server.node()
    sweep = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 4096, "step_factor": 4}
    ring = [
        measurement("ring", size, time_us=us, in_place=place)
        for size, us in ((1024, 10.0), (4096, 20.0))
        for place in (False, True)
    ]
    wide = await run_sweep(server, agent, ring, benchmark=sweep, placement={"ranks": 2})
    inside, outside = [
        await run_sweep(
            server,
            agent,
            [measurement("ring", size, time_us=20.0, in_place=place) for place in (False, True)],
            benchmark=sweep | {"min_bytes": size, "max_bytes": size},
            placement={"ranks": 2},
        )
        for size in (2048, 8192)
    ]
    base, between, beyond = (await compare(server, wide, inside, outside))["jobs"]
    assert base["interpolated"] == []
    found = {(one["algorithm"], one["in_place"]): one for one in between["interpolated"]}
    assert set(found) == {(name, place) for name in ("ring", "fastest") for place in (False, True)}
    one = found["ring", False]
    assert (one["min_bytes"], one["max_bytes"], one["base_min_bytes"], one["base_max_bytes"]) == (
        2048,
        2048,
        1024,
        4096,
    )
    assert one["ratio_least"] == one["ratio_most"] == pytest.approx(2**0.5)
    assert f"job {inside} takes 1.41 times as long as job {wide} at 2 KiB" in one["sentence"]
    other = beyond["interpolated"][0]
    assert (other["min_bytes"], other["ratio_least"]) == (None, None)
    assert "these sizes do not overlap" in other["sentence"]
    assert (await compare(server, wide, wide))["jobs"][-1]["interpolated"] == []


async def test_rows_tell_their_median_their_spread_and_which_are_unstable(server: Server) -> None:
    agent = await server.node()
    benchmark = ONE_SIZE["benchmark"] | {"cycles": 2}
    cycles = [
        measurement(
            cycle=cycle,
            in_place=place,
            p5_us=8.0 + cycle,
            p50_us=9.0 + cycle,
            p95_us=12.0 + cycle,
            cv_percent=cv,
            rounds_us=[9.0 + cycle] * 20,
        )
        for cycle, cv in enumerate((5.0, 25.0))
        for place in (False, True)
    ]
    both = await run_sweep(server, agent, cycles, **(ONE_SIZE | {"benchmark": benchmark}))
    earlier = await run_sweep(server, agent, [measurement(in_place=place) for place in (False, True)], **ONE_SIZE)
    found = await compare(server, both, earlier)
    fields = "median_us", "p5_us", "p50_us", "p95_us", "is_unstable"
    [told, old] = (
        [[value and round(value, 9) for value in map(row.get, fields)] for row in job["rows"]] for job in found["jobs"]
    )
    assert told == [[9.5, 9.0, 9.5, 10.0, True]] * 4, "the spread is of the rounds; one unstable cycle is enough"
    assert old == [[None, None, 10.0, 11.0, False]] * 4, "an earlier version had no rounds"


async def test_long_sweeps_are_read_in_parts_and_summed_up_beside_the_event_loop(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node()
    jobs = [await a_run(server, agent, ring=us, direct=20.0) for us in (10.0, 5.0)]
    whole = await compare(server, *jobs)
    threads, timed = set(), comparison.timed

    def noted(*args: Any) -> Any:
        threads.add(threading.get_ident())
        return timed(*args)

    monkeypatch.setattr(comparison, "timed", noted)
    monkeypatch.setattr(comparison, "ROWS_AT_ONCE", 2)
    assert await compare(server, *jobs) == whole
    assert threads and threading.get_ident() not in threads


OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"placement": {"ranks": 3}}, "ranks is 3, and 2 in the base job."),
    ({"benchmark": BOTH["benchmark"] | {"dtype": "float64"}}, "dtype is float64"),
    ({"benchmark": BOTH["benchmark"] | {"average": "max"}}, "average, whose time counts, is max"),
    ({"benchmark": BOTH["benchmark"] | {"aggregate": 8}}, "aggregate, operations in one iteration, is 8"),
    ({"placement": {"ranks": 2, "nodes": 2}}, "as 2x1 (nodes x ranks), and as 1x2 in the base job."),
]


async def test_what_does_not_measure_the_same_is_flagged(server: Server) -> None:
    agent = await server.node(slots=8)
    await server.node("n2", slots=8)
    first = await a_run(server, agent, ring=10.0, direct=20.0)
    for change, word in OTHERS:
        job = await server.submit(**(BOTH | change))
        await server.one_pass()
        [base, other] = (await compare(server, first, job["id"]))["jobs"]
        assert base["obstacles"] == []
        assert len(other["obstacles"]) == 1 and word in other["obstacles"][0]


async def test_a_simulation_beside_a_measurement_is_flagged(server: Server) -> None:
    agent = await server.node()
    first = await a_run(server, agent, ring=10.0, direct=20.0)
    cluster = {"transport": "simulated", "topology": {"shape": "2"}}
    job = await server.submit(benchmark=BOTH["benchmark"] | cluster)
    [_, other] = (await compare(server, first, job["id"]))["jobs"]
    assert other["obstacles"] == ["One of them is simulated: modelled times cannot be compared with measured ones."]
    assert other["rows"] == []


def sure(error: float = 0.01, **fields: Any) -> list[dict[str, Any]]:
    """Rows of both places that tell how sure they are."""
    us = fields.pop("time_us")
    interval = {"time_low_us": us * (1 - error), "time_high_us": us * (1 + error)}
    return [measurement(time_us=us, in_place=place, **interval, **fields) for place in (False, True)]


async def standings(server: Server, *jobs: int, **query: Any) -> list[dict[str, Any]]:
    answer = await server.admin.get("/api/v1/comparison/standings", params={"job": jobs, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["jobs"]
    return found


async def test_one_figure_is_a_ratio_with_its_interval(server: Server) -> None:
    agent = await server.node()
    first, second = [await run_sweep(server, agent, sure(time_us=us), **ONE_SIZE) for us in (10.0, 8.0)]
    base, other = await standings(server, first, second)
    assert (base["ratio"], base["obstacles"]) == (None, [])
    assert (other["algorithm"], other["size_bytes"], other["ratio"]) == ("ring", 1024, pytest.approx(0.8))
    assert other["ratio_low"] == pytest.approx(0.789, abs=1e-3) and other["ratio_high"] == pytest.approx(
        0.811, abs=1e-3
    )


async def test_what_should_not_be_compared_has_no_figure(server: Server) -> None:
    agent = await server.node()
    base = await run_sweep(server, agent, sure(time_us=10.0), **ONE_SIZE)
    crowded = await run_sweep(server, agent, sure(time_us=5.0, cores=1), **ONE_SIZE)
    waiting = (await server.submit(**ONE_SIZE))["id"]
    found = await standings(server, crowded, waiting, base, base=base)
    assert [one["ratio"] for one in found] == [None, None, None]
    assert [one["obstacles"] for one in found] == [
        ["It had 2 ranks on 1 core, and the base job a core for each rank."],
        [f"Job {waiting} has not succeeded."],
        [],
    ]
    [_, other] = (await compare(server, base, crowded))["jobs"]
    assert other["obstacles"] == found[0]["obstacles"], "the page of two jobs says the same"


async def failed_run(server: Server, agent: FakeAgent, reason: str, *told: dict[str, Any]) -> int:
    """A job that ends otherwise than well."""
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    agent.sequence = 0
    await agent.records(attempt, *told)
    await agent.report(attempt, "ended", reason=reason)
    await agent.report(attempt, "clean", last_sequence=len(told))
    assert (await server.job(job["id"]))["state"] == "failed"
    return int(job["id"])


async def test_a_failed_job_is_flagged_and_what_was_wrong_is_left_out(server: Server) -> None:
    agent = await server.node()
    base = await run_sweep(server, agent, sure(time_us=10.0), **ONE_SIZE)
    right, wrong = sure(time_us=5.0)[0], sure(time_us=1.0)[1] | {"wrong": 7}
    failed = await failed_run(server, agent, "completed", right, wrong)
    sentence = f"Job {failed} has not succeeded."
    [_, other] = (await compare(server, base, failed))["jobs"]
    assert other["obstacles"] == [sentence]
    assert {(row["algorithm"], row["in_place"]) for row in other["rows"]} == {("ring", False), ("fastest", False)}
    [as_base, held] = (await compare(server, failed, base, base=failed))["jobs"]
    assert (as_base["obstacles"], held["obstacles"]) == ([sentence], [sentence])


async def test_a_job_that_still_runs_is_held_against_the_baseline_as_far_as_it_has_come(server: Server) -> None:
    agent = await server.node()
    base = await run_sweep(server, agent, sure(time_us=10.0), **ONE_SIZE)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    agent.sequence = 0
    await agent.records(attempt, sure(time_us=5.0)[0])
    [_, other] = (await compare(server, base, job["id"]))["jobs"]
    assert other["obstacles"] == [] and out_of_place(other)["ring"]["against"]["ratio"] == pytest.approx(0.5)


async def test_bad_questions_are_told(server: Server) -> None:
    agent = await server.node()
    job_id = await a_run(server, agent, ONE_SIZE, ring=10.0)
    training = await server.submit(kind="training", placement={"ranks": 2})
    for query, status, word in (
        ({}, 422, "job"),
        ({"job": [*range(1, 8)]}, 422, "job"),
        ({"job": [job_id], "base": 77}, 422, "base: job 77 is not among the compared jobs"),
        ({"job": [job_id, 77]}, 404, "77"),
        ({"job": [job_id, training["id"]]}, 409, "leave it out"),
    ):
        answer = await server.admin.get("/api/v1/comparison", params=query)
        assert answer.status_code == status and word in answer.json()["detail"], answer.text


def test_a_disturbance_is_a_caveat_and_no_obstacle() -> None:
    spec = JobSpec.model_validate({"name": "x"} | ONE_SIZE)
    runs = {one: comparison._Run(one, "1x2", why) for one, why in ((1, None), (2, "It shared node n1 with job 3."))}
    found = comparison.Measured(1, {1: spec, 2: spec}, runs, {1: "", 2: ""}, {1: [], 2: []}, ()).compared()
    assert [(job.obstacles, len(job.caveats)) for job in found.jobs] == [([], 0), ([], 1)]
    assert found.jobs[1].caveats[0].startswith("This job was disturbed")

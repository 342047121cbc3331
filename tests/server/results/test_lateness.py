"""GET /jobs/{id}/latencies and /lateness: what the single iterations come to."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Server, steps
from tests.server.results.test_arrivals import LATE_NS, TWO_NODES, a_job_of_two_nodes

from ringscope.bench.timing import percentile
from ringscope_server.results.latencies import shares

START_NS = 1_767_225_600_000_000_000


async def figures(server: Server, job_id: int, what: str, **query: Any) -> dict[str, Any]:
    answer = await server.admin.get(f"/api/v1/jobs/{job_id}/{what}", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def a_job(server: Server, *records: dict[str, Any], **spec: Any) -> int:
    agent = await server.node()
    job = await server.submit(**(ONE_SIZE | spec))
    attempt = await agent.start_next()
    await agent.records(attempt, *records)
    return int(job["id"])


def told(
    rank: int, durations_us: list[float], late_us: list[float] | None = None, first_step: int = 0, **more: Any
) -> dict[str, Any]:
    """One block: an iteration each millisecond, to which the rank comes so late."""
    count = len(durations_us)
    late = late_us or [0.0] * count
    starts = [START_NS + i * 1_000_000 + round(us * 1e3) for i, us in enumerate(late)]
    record = steps(rank, first_step, count)
    return record | {"start_ns": starts, "duration_us": durations_us} | more


async def test_the_curve_has_the_percentiles_of_the_row(server: Server) -> None:
    fast, slow = [float(i % 37) for i in range(200)], [float(i * 7 % 200) for i in range(200)]
    job_id = await a_job(server, told(0, fast), told(1, slow))
    found = await figures(server, job_id, "latencies", algorithm="ring", size_bytes=1024)
    ordered = sorted(map(max, fast, slow))
    assert (found["count"], found["ranks"]) == (200, 2)
    by_share = {point["share"]: point["time_us"] for point in found["points"]}
    for percent in (50, 75, 90, 95, 99):
        assert by_share[percent / 100] == percentile(ordered, percent)
    assert (by_share[0.0], by_share[1.0]) == (ordered[0], ordered[-1])
    assert 0.999 not in by_share, "200 iterations cannot tell"
    assert [*by_share] == sorted(by_share) and [*by_share.values()] == sorted(by_share.values())


async def test_round_shares_are_told_of_any_number_of_iterations(server: Server) -> None:
    job_id = await a_job(server, told(0, [float(i) for i in range(150)]), told(1, [0.0] * 150))
    found = await figures(server, job_id, "latencies", algorithm="ring", size_bytes=1024)
    assert {0.5, 0.75, 0.9, 0.95, 0.99, 1.0} <= {point["share"] for point in found["points"]}


async def test_other_rows_and_steps_that_a_rank_has_not_told_of_do_not_count(server: Server) -> None:
    other = told(0, [99.0] * 3, first_step=3, algorithm="direct")
    job_id = await a_job(server, told(0, [1.0, 2.0, 3.0]), told(1, [1.0, 1.0]), other)
    found = await figures(server, job_id, "latencies", algorithm="ring", size_bytes=1024)
    assert found["count"] == 2 and found["points"][-1] == {"share": 1.0, "time_us": 2.0}
    for query in (
        {"algorithm": "ring", "size_bytes": 2048},
        {"algorithm": "ring", "size_bytes": 1024, "in_place": True},
    ):
        assert (await figures(server, job_id, "latencies", **query))["points"] == []


async def test_skipped_iterations_and_aggregates_are_as_in_the_row(server: Server) -> None:
    sweep = ONE_SIZE["benchmark"] | {"iterations": 4, "skip_iterations": 1, "aggregate": 10, "cycles": 2}
    blocks = [told(rank, [900.0, 10.0, 20.0, 30.0] * 2, bytes=10_240) for rank in (0, 1)]
    job_id = await a_job(server, *blocks, benchmark=sweep)
    found = await figures(server, job_id, "latencies", algorithm="ring", size_bytes=1024)
    assert (found["count"], found["points"][0]["time_us"], found["points"][-1]["time_us"]) == (6, 1.0, 3.0)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 999, 250_000])
def test_no_share_is_told_that_so_many_cannot_tell(count: int) -> None:
    found = shares(count)
    assert found[-1] == 1 and found == sorted(set(found))
    assert all((1 - share) * count >= 1 - 1e-6 for share in found[:-1])
    assert len(found) < 70


async def test_who_is_late_and_how_long_the_rest_takes(server: Server) -> None:
    late = [0.0, 50.0, 400.0, 30.0]
    job_id = await a_job(server, told(0, [100.0] * 4), told(1, [10.0, 20.0, 30.0, 40.0], late))
    found = await figures(server, job_id, "lateness", columns=2)
    assert (found["first_step"], found["steps"], found["steps_per_column"]) == (0, 4, 2)
    first, second = found["ranks"]
    assert (first["rank"], first["mean_late_us"], first["last_steps"]) == (1, 120.0, 4)
    assert first["late_us"] == [50.0, 400.0], "the largest of each column"
    assert (second["rank"], second["late_us"], second["last_steps"]) == (0, [0.0, 0.0], 0)
    assert (first["error_us"], first["last_steps_beyond_error"]) == (0.0, 3), "by one clock; once it was not late"
    # From the last arrival to the last end: 100, 50 and 40, 30 and 70.
    assert found["after_us"] == [100.0, 70.0]
    # Rank 0 is the median one, and came to the first step of each column then.
    assert found["started_at_ns"] == [START_NS, START_NS + 2_000_000]


async def test_columns_count_the_iterations_of_the_row_alone_as_algorithms_take_turns(server: Server) -> None:
    turns = [
        told(rank, [10.0], [10.0 * step * rank], first_step=step, algorithm="ring" if step % 3 == 0 else "direct")
        for step in range(12)
        for rank in (0, 1)
    ]
    job_id = await a_job(server, *turns)
    found = await figures(server, job_id, "lateness", algorithm="ring", size_bytes=1024, columns=2)
    assert (found["steps"], found["steps_per_column"]) == (4, 2)
    assert found["ranks"][0]["late_us"] == [30.0, 90.0], "of steps 0 and 3, then of 6 and 9"


async def test_late_is_after_the_median_rank(server: Server) -> None:
    blocks = [told(rank, [10.0], [late]) for rank, late in enumerate((0.0, 5.0, 100.0))]
    job_id = await a_job(server, *blocks, placement={"ranks": 3})
    found = await figures(server, job_id, "lateness")
    assert {row["rank"]: row["mean_late_us"] for row in found["ranks"]} == {2: 95.0, 1: 0.0, 0: -5.0}
    assert [row["rank"] for row in found["ranks"]] == [2, 1, 0]


async def test_clocks_of_nodes_are_put_right_and_their_error_is_told(server: Server) -> None:
    job_id = await a_job_of_two_nodes(server, 7.0, -3600.0)
    found = await figures(server, job_id, "lateness")
    assert (found["ranks"][0]["rank"], found["ranks"][0]["node"]) == (1, "n1")
    assert found["ranks"][0]["mean_late_us"] == LATE_NS / 1000
    assert found["ranks"][0]["error_us"] == pytest.approx(2000, rel=1e-3)
    assert found["ranks"][0]["last_steps_beyond_error"] == 3
    offsets_s = {rank["rank"]: rank["clock_offset_ns"] / 1e9 for rank in found["ranks"]}
    assert offsets_s == {0: 7.0, 1: -3600.0}, "so that a step is found in the log of its node"


@pytest.mark.parametrize(("offsets", "error_us"), [((0.0, 0.0), 4000), ((0.0, None), None)])
async def test_lateness_within_the_error_is_not_called_real(
    server: Server, offsets: tuple[float | None, ...], error_us: float | None
) -> None:
    job_id = await a_job_of_two_nodes(server, *offsets, error_seconds=0.002)
    late = (await figures(server, job_id, "lateness"))["ranks"][0]
    assert late["error_us"] == (error_us and pytest.approx(error_us, rel=1e-3))
    assert (late["last_steps"], late["last_steps_beyond_error"]) == (3, 0)


async def test_of_one_rank_or_before_the_first_step_nobody_is_late(server: Server) -> None:
    job_id = await a_job(server, told(0, [1.0]), placement={"ranks": 1})
    assert (await figures(server, job_id, "lateness"))["ranks"] == []
    assert TWO_NODES["placement"]["ranks"] == 2  # type: ignore[index]
    waits = await server.submit(**ONE_SIZE)
    assert (await figures(server, waits["id"], "lateness"))["steps"] == 0
    assert (await figures(server, waits["id"], "latencies", algorithm="ring", size_bytes=8))["points"] == []


async def test_training_has_no_rows_to_look_at(server: Server) -> None:
    await server.node()
    job = await server.submit(kind="training", placement={"ranks": 2})
    for path in ("lateness", "latencies?algorithm=ring&size_bytes=8"):
        answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (409, "no_benchmark")

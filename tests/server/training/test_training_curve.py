"""GET /jobs/{id}/training and /epochs: as many points as asked for, of all attempts."""

import pytest
from tests.server.conftest import Server
from tests.server.training_jobs import again, get, started
from tests.server.training_records import TRAINING, epoch, training_steps

KEPT_EPOCHS: list[tuple[int, list[int]]] = [
    (1, [9]),
    (2, [9]),
    (4, [3, 6, 9]),
    (5, [2, 4, 6, 9]),
    (8, [2, 4, 6, 9]),
    (9, list(range(1, 10))),
]


async def test_the_curve_has_no_more_epochs_than_points_and_always_the_last(server: Server) -> None:
    agent, job_id, attempt = await started(server, training=TRAINING["training"] | {"epochs": 9})
    await agent.records(attempt, training_steps(0, 0, 36), training_steps(1, 0, 36), *map(epoch, range(1, 10)))
    for points, expected in KEPT_EPOCHS:
        curve = await get(server, job_id, "training", points=points)
        assert [row["epoch"] for row in curve["epochs"]] == expected
        rows = (await get(server, job_id, "epochs"))["items"]
        assert [row for row in rows if row["epoch"] in expected] == curve["epochs"]


async def test_the_newest_epochs_are_given_in_order_and_without_a_next_page(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0, 0, 12), training_steps(1, 0, 12), *map(epoch, (1, 2, 3)))
    page = await get(server, job_id, "epochs", newest=True, limit=2)
    assert ([row["epoch"] for row in page["items"]], page["next"]) == ([2, 3], None)


async def test_the_curve_has_no_more_points_than_asked_for(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    slow = {"duration_us": [30_000.0] * 10, "samples": [96] * 10, "loss": [1.0] * 10}
    await agent.records(attempt, training_steps(0, 0, 10, loss=[2.0] * 10), training_steps(1, 0, 10, **slow))
    curve = await get(server, job_id, "training", points=3)
    assert curve["steps_per_point"] == 4
    assert [(point["first_step"], point["last_step"]) for point in curve["points"]] == [(0, 3), (4, 7), (8, 9)]
    for point in curve["points"]:
        assert point["loss"] == pytest.approx((2.0 * 32 + 1.0 * 96) / 128)
        assert point["samples_per_second"] == pytest.approx(128 / 0.02)
        assert point["duration_us"] == pytest.approx(20_000.0)
        assert (point["compute_us"], point["communication_us"], point["exposed_us"]) == (8_000.0, 4_000.0, 2_000.0)


async def test_a_point_has_the_waiting_for_samples_and_the_largest_memory(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    waits = {"input_us": [1_000.0] * 4, "compute_us": [7_000.0] * 4}
    told = training_steps(0, memory_bytes=5 << 20, **waits), training_steps(1, memory_bytes=7 << 20, **waits)
    await agent.records(attempt, *told, training_steps(0, 4), training_steps(1, 4))
    first, second = (await get(server, job_id, "training", points=2))["points"]
    assert (first["input_us"], first["compute_us"], first["memory_bytes"]) == (1_000.0, 7_000.0, 7 << 20)
    assert (second["input_us"], second["memory_bytes"]) == (None, None), "an earlier version does not measure them"
    items = (await get(server, job_id, "steps", limit=5))["items"]
    assert [(item["input_us"], item["memory_bytes"]) for item in items] == [
        *[(1_000.0, None)] * 3,
        (1_000.0, 5 << 20),
        (1_000.0, None),
    ]
    newest = (await get(server, job_id, "steps/newest"))["items"]
    assert [(item["input_us"], item["memory_bytes"]) for item in newest] == [(None, 5 << 20), (None, 7 << 20)]
    assert (await server.job(job_id))["summary"]["input_seconds"] == pytest.approx(0.003)  # without the first step


async def test_a_point_over_two_attempts_counts_each_rank_once(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0), training_steps(1))
    second = await again(server, agent, attempt)
    await agent.records(second, training_steps(0, 2), training_steps(1, 2))
    (point,) = (await get(server, job_id, "training", points=1))["points"]
    assert (point["first_step"], point["last_step"]) == (0, 5)
    assert point["samples_per_second"] == pytest.approx(6_400)


async def test_other_jobs_have_neither_curve_nor_epochs(server: Server) -> None:
    await server.node()
    job = await server.submit(placement={"ranks": 2})
    assert await get(server, job["id"], "training") == {
        "points": [],
        "steps_per_point": 1,
        "attempts": [],
        "epochs": [],
    }
    assert (await get(server, job["id"], "epochs"))["items"] == []
    assert (await get(server, job["id"], "buckets"))["items"] == []
    for what in ("training", "epochs", "buckets"):
        missing = await server.admin.get(f"/api/v1/jobs/77/{what}")
        assert missing.status_code == 404

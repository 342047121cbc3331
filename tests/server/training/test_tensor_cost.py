"""GET /jobs/{id}/tensor: whether dividing the layers pays for the sums of activations."""

from typing import Any

import pytest
from tests.server.conftest import Server
from tests.server.training_jobs import end, get, started
from tests.server.training_records import TRAINING, buckets, epoch, training_steps

MODEL = {"model": "mlp", "model_arguments": {"hidden": 64, "layers": 1}}
DIVIDED = TRAINING | {"training": TRAINING["training"] | MODEL | {"strategy": "tensor"}}


def steps(rank: int, compute_us: float, sum_us: float, count: int = 4) -> dict[str, Any]:
    columns = {"compute_us": compute_us, "communication_us": sum_us, "exposed_us": sum_us}
    columns["duration_us"] = compute_us + sum_us
    return training_steps(rank, count=count, **{name: [value] * count for name, value in columns.items()})


async def test_sums_that_take_longer_than_the_division_saves_do_not_pay(server: Server) -> None:
    agent, job_id, attempt = await started(server, **DIVIDED)
    first = await get(server, job_id, "tensor")
    assert (first["step_us"], first["pays"], first["sentence"]) == (None, None, None)
    assert (first["sums"], first["sum_bytes"], first["divided_share"]) == (1, 64 * 10 * 4, 1.0)
    await agent.records(attempt, steps(0, 7_000.0, 20_000.0), steps(1, 9_000.0, 18_000.0))
    found = await get(server, job_id, "tensor")
    assert [found[name] for name in ("step_us", "sum_us", "compute_us", "alone_us")] == pytest.approx(
        [27e3, 19e3, 8e3, 16e3]
    )
    assert found["pays"] is False and found["baseline_job_id"] is None
    assert found["sentence"] == (
        "Dividing the layers does not pay here: a step takes 27 ms, 19 ms of it in sums, and one rank alone would take "
        "about 16 ms."
    )
    assert found["reason"] == (
        "A step has 1 sum of activations, together 2.5 KiB, which no computing hides. Dividing 100% of the "
        "multiplications saves 8 ms."
    )


async def test_it_is_compared_with_the_newest_job_of_one_rank_that_trained_the_same(server: Server) -> None:
    agent = await server.node()
    alone = DIVIDED | {
        "training": DIVIDED["training"] | {"strategy": "mirrored", "epochs": 1},
        "placement": {"ranks": 1},
    }
    job = await server.submit(**alone)
    attempt = await agent.start_next()
    await agent.records(attempt, training_steps(samples=[64] * 4, duration_us=[30_000.0] * 4), epoch(1))
    await end(agent, attempt)
    agent.sequence = 0
    divided = await server.submit(**DIVIDED)
    attempt = await agent.start_next()
    await agent.records(attempt, steps(0, 7_000.0, 20_000.0), steps(1, 9_000.0, 18_000.0))
    found = await get(server, divided["id"], "tensor")
    assert (found["baseline_job_id"], found["pays"]) == (job["id"], True)
    assert found["alone_us"] == pytest.approx(30_000.0)
    assert f"19 ms of it in sums, and one rank alone took 30 ms (job {job['id']})." in found["sentence"]


async def test_one_rank_has_nothing_to_divide(server: Server) -> None:
    agent, job_id, attempt = await started(server, **DIVIDED | {"placement": {"ranks": 1}})
    await agent.records(attempt, steps(0, 7_000.0, 0.0))
    found = await get(server, job_id, "tensor")
    assert (found["step_us"], found["pays"], found["sentence"]) == (7_000.0, None, None)


async def test_another_strategy_divides_nothing(server: Server) -> None:
    _, job_id, _ = await started(server)
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/tensor")
    assert response.status_code == 409
    assert "does not train with strategy tensor" in response.json()["detail"]


async def test_each_sum_has_its_layer_and_its_direction(server: Server) -> None:
    agent, job_id, attempt = await started(server, **DIVIDED)
    named = {"layer": ["3", "1"], "direction": ["forward", "backward"]}
    await agent.records(attempt, buckets() | named, buckets(1))
    first, second = (await get(server, job_id, "buckets"))["items"]
    assert [(each["layer"], each["direction"]) for each in first["buckets"]] == [("3", "forward"), ("1", "backward")]
    assert all("layer" not in each and "direction" not in each for each in second["buckets"])

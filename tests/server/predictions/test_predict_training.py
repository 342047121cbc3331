"""POST /jobs/prediction/training."""

from typing import Any

import pytest
from tests.server.conftest import Server
from tests.server.results.test_tuning import SIZE, search_job, search_records

from ringscope.choice.prediction import predict
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.tuning import Table
from ringscope_server.db.models import Job
from ringscope_server.jobs.views import TrainingSummary

TRAINING: dict[str, Any] = {
    "kind": "training",
    "training": {"model": "mlp", "all_reduce": "ring", "epochs": 3},
    "placement": {"ranks": 2},
}
PARAMETERS = (64 + 1) * 256 + (256 + 1) * 256 + (256 + 1) * 10
STEPS = 3 * (1437 // 64)


def varied(**training: Any) -> dict[str, Any]:
    return TRAINING | {"training": TRAINING["training"] | training}


async def ask(server: Server, spec: dict[str, Any]) -> dict[str, Any]:
    response = await server.admin.post("/api/v1/jobs/prediction/training", json=spec)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_the_gradient_and_its_sum_are_told_and_nothing_is_submitted(server: Server) -> None:
    await server.node(slots=2)
    found = await ask(server, TRAINING)
    size = 4 * PARAMETERS
    assert (found["parameters"], found["gradient_bytes"], found["steps_total"]) == (PARAMETERS, size, STEPS)
    sweep = BenchmarkSpec(algorithms=["ring"], min_bytes=size, max_bytes=size)
    (row,) = predict(sweep, [2], Table()).rows
    assert (found["gradient_sum"]["algorithm"], found["gradient_sum"]["time_us"]) == ("ring", row.time_us)
    assert found["nodes"] == [{"node": "n1", "ranks": 2}]
    assert (await server.admin.get("/api/v1/jobs")).json()["items"] == []


async def test_who_lacks_what_a_strategy_needs_is_named_with_the_remedy(server: Server) -> None:
    await (await server.node(slots=2)).register(versions={"torch": "2.13.0"})
    assert (await ask(server, TRAINING))["warnings"] == []
    (sentence,) = (await ask(server, varied(strategy="tf_mirrored", all_reduce="auto")))["warnings"]
    assert sentence == (
        "Node n1 had no tensorflow when its agent started, and tf_mirrored needs it: "
        "pip install 'ringscope[tensorflow]' there."
    )


async def test_a_cluster_without_pytorch_is_named_before_the_job_is_submitted(server: Server) -> None:
    await (await server.node(slots=2)).register(versions={"python": "3.12.1"})
    (sentence,) = (await ask(server, TRAINING))["warnings"]
    assert sentence.startswith("This cluster could not run it: no node runs jobs of kind training; pip")


async def test_a_gradient_in_pieces_takes_the_sum_of_theirs(server: Server) -> None:
    await server.node(slots=2)
    found = await ask(server, varied(bucket_bytes=PARAMETERS * 4 // 2))
    whole = await ask(server, TRAINING)
    assert (found["gradient_sum"]["pieces"], whole["gradient_sum"]["pieces"]) == (2, 1)
    assert found["gradient_sum"]["time_us"] > whole["gradient_sum"]["time_us"]


async def test_an_average_of_parameters_is_predicted_with_its_interval(server: Server) -> None:
    await server.node(slots=2)
    every_step = (await ask(server, TRAINING))["gradient_sum"]
    average = (await ask(server, varied(strategy="local_sgd", sync_every=32)))["gradient_sum"]
    assert (every_step["every_steps"], average["every_steps"]) == (1, 32)
    assert average["time_us"] == every_step["time_us"]


async def test_the_idle_share_of_a_pipeline_is_predicted(server: Server) -> None:
    await server.node(slots=2)
    found = await ask(server, varied(strategy="pipeline", micro_batches=4))
    assert found["ideal_bubble"] == pytest.approx(0.2) and found["gradient_sum"] is None
    assert (await ask(server, TRAINING))["ideal_bubble"] is None


async def test_no_sum_is_told_of_what_the_model_does_not_know(server: Server) -> None:
    await server.node(slots=2)
    for spec in (
        TRAINING | {"placement": {"ranks": 1}},
        varied(compression="fp16"),
        varied(strategy="torch_ddp", all_reduce="auto"),
    ):
        assert (await ask(server, spec))["gradient_sum"] is None


async def test_the_newest_job_alike_tells_how_fast_it_will_be(server: Server) -> None:
    await server.node(slots=2)
    for spec, rate in ((TRAINING, 500.0), (varied(epochs=9), 2000.0), (varied(global_batch_size=32), 9.0)):
        job_id = (await server.submit(**spec))["id"]
        async with server.services.database.write() as session:
            job = await session.get_one(Job, job_id)
            job.state, job.summary = "succeeded", TrainingSummary(samples_per_second=rate).model_dump(mode="json")
    found = await ask(server, TRAINING)
    assert found["usual"] == found["baseline"], "its earlier name"
    assert found["baseline"] == {"job_id": 2, "samples_per_second": 2000.0, "steps_seconds": STEPS * 64 / 2000}
    assert (await ask(server, varied(model_arguments={"hidden": 9})))["baseline"] is None


async def test_a_job_with_another_interval_or_of_an_earlier_version_is_judged_by_its_fields(server: Server) -> None:
    await server.node(slots=2)
    for spec, rate in ((TRAINING, 500.0), (varied(strategy="local_sgd", sync_every=32), 900.0)):
        job_id = (await server.submit(**spec))["id"]
        async with server.services.database.write() as session:
            job = await session.get_one(Job, job_id)
            job.state, job.summary = "succeeded", TrainingSummary(samples_per_second=rate).model_dump(mode="json")
            old = {name: value for name, value in job.spec["training"].items() if name != "sync_every"}
            job.spec = job.spec if rate == 900.0 else job.spec | {"training": old}
    assert (await ask(server, TRAINING))["baseline"]["job_id"] == 1
    assert (await ask(server, varied(strategy="local_sgd")))["baseline"] is None
    assert (await ask(server, varied(strategy="local_sgd", sync_every=32)))["baseline"]["job_id"] == 2


async def test_only_training_is_predicted_here(server: Server) -> None:
    response = await server.admin.post("/api/v1/jobs/prediction/training", json={"placement": {"ranks": 2}})
    assert response.status_code == 422
    assert response.json()["detail"] == "kind: only training is predicted here, not benchmark; give kind training."


async def test_the_sums_of_activations_are_predicted_for_tensor(server: Server) -> None:
    await server.node(slots=2)
    found = (await ask(server, varied(strategy="tensor", global_batch_size=32)))["gradient_sum"]
    sweep = BenchmarkSpec(algorithms=["ring"], min_bytes=32 * 256 * 4, max_bytes=32 * 256 * 4)
    (row,) = predict(sweep, [2], Table()).rows
    assert (found["of"], found["pieces"], found["time_us"]) == ("activations", 1, row.time_us)
    assert (await ask(server, TRAINING))["gradient_sum"]["of"] == "gradients"


async def test_a_finished_search_tells_how_fast_its_candidates_were_and_how_long_their_sums_take(
    server: Server,
) -> None:
    node = await server.node(slots=2)
    await node.register(inventory=node.introduction()["inventory"] | {"allow_env": ["NCCL_ALGO"]})
    job_id = await search_job(server, node, *search_records(ring=200.0, direct=100.0))
    common = {"epochs": 3, "bucket_bytes": 25 << 20}
    ring = await ask(server, varied(**common))
    rate = ring["baseline"]["samples_per_second"]
    assert ring["baseline"]["job_id"] == job_id and rate == pytest.approx(64 / 2e-3, rel=0.01)
    assert ring["baseline"]["steps_seconds"] == pytest.approx(STEPS * 64 / rate)
    for other in (varied(overlap=False), varied(all_reduce="halving_doubling"), varied(global_batch_size=32)):
        assert (await ask(server, other))["baseline"] is None
    assert (await ask(server, TRAINING | {"env": {"NCCL_ALGO": "Ring"}}))["baseline"] is None
    # The sums of a model of nearly that size; those of the mlp are far smaller.
    near = {"hidden": 475, "layers": 2}
    bytes_near = (await ask(server, varied(model_arguments=near)))["gradient_bytes"]
    assert bytes_near == pytest.approx(SIZE, rel=0.25)
    found = (await ask(server, varied(model_arguments=near)))["gradient_sum"]
    assert found["time_us"] == pytest.approx(201.0 * bytes_near / SIZE) and found["source"].startswith("Measured by")
    chosen = (await ask(server, varied(model_arguments=near, all_reduce="auto")))["gradient_sum"]
    assert chosen["algorithm"] == "direct" and chosen["time_us"] == pytest.approx(101.0 * bytes_near / SIZE)
    assert (await ask(server, TRAINING))["gradient_sum"]["source"].startswith("The cost model")


async def test_the_newest_of_trainings_and_searches_counts(server: Server) -> None:
    node = await server.node(slots=2)
    search_id = await search_job(server, node, *search_records(ring=200.0, direct=100.0))
    assert (await ask(server, TRAINING))["baseline"]["job_id"] == search_id
    job_id = (await server.submit(**TRAINING))["id"]
    async with server.services.database.write() as session:
        job = await session.get_one(Job, job_id)
        job.state, job.summary = "succeeded", TrainingSummary(samples_per_second=9.0).model_dump(mode="json")
    assert (await ask(server, TRAINING))["baseline"]["job_id"] == job_id

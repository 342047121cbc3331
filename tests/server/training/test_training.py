"""Training jobs: what their ranks tell, as it is stored and summed up beside the job."""

import json
from typing import Any

import pytest
from tests.server.agent_messages import RECORDS
from tests.server.conftest import Server, measurement
from tests.server.statements import asked
from tests.server.training_jobs import end, get, started
from tests.server.training_records import TRAINING, buckets, epoch, pipeline_step, training_steps

from ringscope.contracts import record
from ringscope.contracts.protocol import Load

INFINITY = float("inf")


def as_a_rank_sends_it(told: dict[str, Any]) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(record.RECORD.validate_python(told).model_dump_json())
    return sent


async def test_steps_epochs_and_buckets_become_rows(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    lagging = training_steps(rank=1, lag=[0, 1, 2, 0])
    await agent.records(attempt, training_steps(), lagging, buckets(1, step=1), buckets(1), buckets(0), epoch(1))
    steps = (await get(server, job_id, "steps", rank=1))["items"]
    assert [(row["step"], row["samples"], row["lag"]) for row in steps] == [
        (0, 32, 0),
        (1, 32, 1),
        (2, 32, 2),
        (3, 32, 0),
    ]
    (row,) = (await get(server, job_id, "epochs"))["items"]
    expected = {name: value for name, value in epoch(1).items() if name not in ("type", "time_ns")}
    assert row == expected | {"id": row["id"], "attempt": 1, "ended_at": "2026-01-01T00:00:00.044000Z"}
    first, second = (await get(server, job_id, "buckets"))["items"]
    assert (first["rank"], second["rank"], second["step"], second["backward_us"]) == (0, 1, 3, 7000.0)
    assert second["buckets"][1] == {"bytes": 1024, "ready_us": 7000.0, "start_us": 7100.0, "end_us": 9000.0}


async def test_the_newest_step_of_a_pipeline_has_its_bubble(server: Server) -> None:
    training = TRAINING | {"training": TRAINING["training"] | {"strategy": "pipeline", "micro_batches": 2}}
    agent, job_id, attempt = await started(server, **training)
    assert await get(server, job_id, "pipeline") == {"items": [], "bubble": None, "ideal_bubble": pytest.approx(1 / 3)}
    await agent.records(attempt, pipeline_step(0, step=1), pipeline_step(1, step=1), pipeline_step(0))
    assert (await get(server, job_id, "pipeline"))["bubble"] is None  # the second stage has not told of that step yet
    await agent.records(attempt, pipeline_step(1))
    found = await get(server, job_id, "pipeline")
    assert found["bubble"] == pytest.approx(1 - 12 / 18)
    assert [{"type": "pipeline_step"} | item for item in found["items"]] == [pipeline_step(0), pipeline_step(1)]


async def test_what_is_sent_twice_counts_once(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    body = {"attempt_id": attempt, "first_sequence": 1, "records": [training_steps(), training_steps(1), epoch(1)]}
    for _ in range(2):
        assert (await agent.post("records", body)).json() == {"last_sequence": 3}
    assert len((await get(server, job_id, "epochs"))["items"]) == 1
    summary = (await server.job(job_id))["summary"]
    assert summary["step_seconds"] == pytest.approx(0.03)


async def test_a_loss_that_is_no_number_is_null_and_stops_nothing(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    losses = [float("nan"), INFINITY, -INFINITY]
    epochs = [epoch(number, training_loss=loss, validation_loss=loss) for number, loss in enumerate(losses, 1)]
    await agent.records(attempt, *map(as_a_rank_sends_it, [training_steps(loss=[1.5, *losses]), *epochs]))
    assert server.services.monitoring.rejected["malformed"] == 0
    assert [row["loss"] for row in (await get(server, job_id, "steps"))["items"]] == [1.5, None, None, None]
    rows = (await get(server, job_id, "epochs"))["items"]
    assert [(row["training_loss"], row["validation_loss"]) for row in rows] == [(None, None)] * 3
    assert [row["validation_accuracy"] for row in rows] == pytest.approx([0.7, 0.9, 0.95])
    assert [point["loss"] for point in (await get(server, job_id, "training"))["points"]] == [1.5, None, None, None]
    assert (await server.job(job_id))["summary"]["loss"] is None
    assert server.services.monitoring.losses[job_id] is None


async def test_before_the_first_epoch_the_number_of_steps_is_known_from_the_specification(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    total = 3 * (1437 // 64)
    assert (await server.job(job_id))["progress"] == {"done": 0, "total": total}
    await agent.records(attempt, training_steps(count=2), training_steps(1, count=2))
    job = await server.job(job_id)
    assert job["progress"] == {"done": 2, "total": total}
    assert job["summary"]["loss"] == pytest.approx(1.9)
    await agent.records(attempt, training_steps(first_step=2, count=2), epoch(1))
    assert (await server.job(job_id))["progress"] == {"done": 4, "total": 12}


async def test_before_the_first_epoch_the_number_of_steps_of_a_text_is_not_known(server: Server) -> None:
    text = {"model": "gpt", "dataset": {"name": "text", "path": "/data"}, "global_batch_size": 64}
    await server.node()
    job = await server.submit(**TRAINING | {"training": text})
    assert job["progress"] == {"done": 0, "total": None}


async def test_the_summary_of_a_finished_job(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    for number in (1, 2, 3):
        first = 4 * (number - 1)
        await agent.records(attempt, training_steps(0, first), training_steps(1, first), epoch(number))
    await end(agent, attempt)
    job = await server.job(job_id)
    assert (job["state"], job["progress"]) == ("succeeded", {"done": 12, "total": 12})
    summary = job["summary"]
    assert {name: summary[name] for name in ("kind", "epochs_done", "steps_done", "steps_total")} == {
        "kind": "training",
        "epochs_done": 3,
        "steps_done": 12,
        "steps_total": 12,
    }
    assert (summary["loss"], summary["validation_accuracy"]) == (pytest.approx(2 / 3), 0.95)
    assert summary["samples_per_second"] == pytest.approx(6_400)  # two ranks, 32 samples in 10 ms each
    assert summary["step_seconds"] == pytest.approx(0.11)  # without the first step
    assert (summary["timed_steps"], summary["compute_seconds"]) == (11, pytest.approx(0.088))
    step_seconds = summary["step_seconds"] / summary["timed_steps"]
    assert summary["samples_per_second"] * step_seconds == pytest.approx(64), "the samples of a step"
    assert summary["communication_seconds"] == pytest.approx(0.044)
    assert summary["exposed_communication_seconds"] == pytest.approx(0.022)
    assert summary["input_seconds"] is None  # an earlier version of the agent does not report it
    assert summary["seconds_to_target"] == pytest.approx(0.088)  # 0.9 was reached in the second epoch
    assert (summary["scaling_efficiency"], summary["scaling_baseline_job_id"]) == (None, None)


async def test_steps_read_neither_epochs_nor_other_jobs(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0), training_steps(1), epoch(1))
    before = (await server.job(job_id))["summary"]
    with asked(server.services.database) as statements:
        await agent.records(attempt, training_steps(0, 4), training_steps(1, 4))
    assert not [statement for statement in statements if "FROM epochs" in statement or "jobs.state = " in statement]
    after = (await server.job(job_id))["summary"]
    times = ("step_seconds", "timed_steps", "compute_seconds", "communication_seconds", "exposed_communication_seconds")
    assert after == before | {"steps_done": 8} | {name: after[name] for name in times}


async def test_a_first_step_that_warms_up_does_not_spoil_the_rates(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    slow = {"duration_us": [4e6, 10_000.0, 10_000.0, 10_000.0]}
    await agent.records(attempt, training_steps(**slow), training_steps(1, **slow))
    assert (await server.job(job_id))["summary"]["samples_per_second"] == pytest.approx(6_400)


async def test_scaling_is_told_against_the_newest_job_of_one_rank_that_trained_the_same(server: Server) -> None:
    agent = await server.node()
    alone = []
    for more in ({}, {}, {"model": "cnn"}):
        spec = TRAINING | {"training": TRAINING["training"] | {"epochs": 1} | more, "placement": {"ranks": 1}}
        job = await server.submit(**spec)
        alone.append(job["id"])
        attempt = await agent.start_next()
        agent.sequence = 0
        await agent.records(attempt, training_steps(samples=[40] * 4), epoch(1))  # 4000 samples/s
        await end(agent, attempt)
    for strategy, baseline in (("mirrored", alone[1]), ("parameter_server", alone[1]), ("torch_ddp", None)):
        job = await server.submit(**TRAINING | {"training": TRAINING["training"] | {"strategy": strategy}})
        attempt = await agent.start_next()
        agent.sequence = 0
        await agent.records(attempt, training_steps(), training_steps(1), epoch(1))
        summary = (await server.job(job["id"]))["summary"]
        assert summary["scaling_baseline_job_id"] == baseline
        expected = None if baseline is None else pytest.approx(6_400 / (2 * 4_000))
        assert summary["scaling_efficiency"] == expected
        await end(agent, attempt, "rank_exit")


async def test_a_later_job_of_one_rank_is_the_baseline_of_those_that_trained_the_same_before_it(server: Server) -> None:
    agent = await server.node()

    async def trained(ranks: int, rate: int, reason: str = "completed", own_seconds: float = 20, **more: Any) -> int:
        spec = TRAINING | {"training": TRAINING["training"] | {"epochs": 1} | more, "placement": {"ranks": ranks}}
        job = await server.submit(**spec)
        attempt = await agent.start_next()
        agent.sequence = 0
        steps = (training_steps(rank, samples=[rate // 100] * 4) for rank in range(ranks))
        await agent.records(attempt, *steps, epoch(1))
        load = Load(machine="", processors=2, seconds=10, busy_seconds=20, own_seconds=own_seconds).model_dump()
        await end(agent, attempt, reason, load=load)
        return int(job["id"])

    async def scaling(job_id: int) -> tuple[Any, Any]:
        summary = (await server.job(job_id))["summary"]
        return summary["scaling_baseline_job_id"], summary["scaling_efficiency"]

    two, other = await trained(2, 3000), await trained(2, 3000, model="cnn")
    await trained(1, 4000, "rank_exit")
    assert await scaling(two) == (None, None)
    disturbed = await trained(1, 2000, own_seconds=0)
    assert await scaling(two) == (disturbed, pytest.approx(3000 / 2000))
    alone = await trained(1, 4000)
    assert await scaling(two) == (alone, pytest.approx(3000 / 4000))
    assert await scaling(other) == (None, None)
    fast = await trained(1, 5000, own_seconds=0)
    await trained(1, 5000)
    assert (await scaling(two))[0] == alone, "the first undisturbed one stays"
    last = await trained(1, 5000, own_seconds=0)
    assert (await scaling(await trained(2, 3000)))[1] == pytest.approx(3000 / 5000), (
        "disturbed ones are the last choice"
    )
    listed = (await server.admin.get("/api/v1/jobs", params={"sort": "-samples_per_second"})).json()["items"]
    assert [job["id"] for job in listed[-3:]] == [last, fast, disturbed], "nor is one of them among the best values"


async def test_training_whose_sums_nobody_sees_tells_no_waiting_for_them(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    unseen = {"communication_us": [0.0] * 4, "exposed_us": [0.0] * 4, "compute_us": [10_000.0] * 4}
    await agent.records(attempt, training_steps(**unseen), training_steps(1, **unseen))
    summary = (await server.job(job_id))["summary"]
    assert (summary["communication_seconds"], summary["exposed_communication_seconds"]) == (0.0, None)


async def test_a_row_of_a_sweep_says_nothing_of_a_training_job(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    trace = next(told for told in RECORDS if told["type"] == "trace")
    assert (await agent.records(attempt, measurement(), trace, epoch(1))).json() == {"last_sequence": 3}
    assert server.services.monitoring.rejected["malformed"] == 2
    assert (await get(server, job_id, "measurements"))["items"] == []
    assert len((await get(server, job_id, "epochs"))["items"]) == 1

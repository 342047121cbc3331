"""Training jobs: what their ranks tell, as it is stored, joined over attempts, and summed up beside the job."""

import json
from typing import Any

import pytest
from tests.server.conftest import Clock, FakeAgent, Server
from tests.server.statements import asked
from tests.server.training_records import TRAINING, buckets, epoch, training_steps

from ringscope.contracts import record
from ringscope_server.background.detection import Insights

INFINITY = float("inf")


async def started(server: Server, **more: Any) -> tuple[FakeAgent, int, int]:
    """Node, job and attempt of a training job that runs."""
    agent = await server.node()
    job = await server.submit(**TRAINING | more)
    return agent, job["id"], await agent.start_next()


async def get(server: Server, job_id: int, what: str, **query: Any) -> Any:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/{what}", params=query)
    assert response.status_code == 200, response.text
    return response.json()


async def end(agent: FakeAgent, attempt: int, reason: str = "completed", **more: Any) -> None:
    await agent.report(attempt, "ended", reason=reason, **more)
    await agent.report(attempt, "clean", last_sequence=agent.sequence)


async def test_training_whose_rank_was_killed_is_tried_again(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(), epoch(1))
    await end(agent, attempt, "rank_signal", message="Rank 1 on node n1 was killed by SIGKILL (9).", rank=1)
    job = await server.job(job_id)
    assert (job["state"], job["attempts"][0]["reason"], job["attempts"][0]["bad_rank"]) == ("queued", "rank_signal", 1)


async def test_a_retry_of_training_that_was_cut_short_resumes_and_its_curve_begins_with_the_others(
    server: Server,
) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0, 0, 6), training_steps(1, 0, 6), epoch(1))
    await end(agent, attempt, "rank_exit", message="Rank 0 ended.")
    retry = (await server.admin.post(f"/api/v1/jobs/{job_id}/retry")).json()
    assert retry["spec"]["training"]["resume_from"] == job_id
    agent.sequence = 0
    second = await agent.start_next()
    await agent.records(second, training_steps(0, 4), training_steps(1, 4), epoch(2))
    assert (await get(server, retry["id"], "training"))["attempts"] == [
        {"job_id": job_id, "attempt": 1, "first_step": 0, "last_step": 3},
        {"job_id": retry["id"], "attempt": 1, "first_step": 4, "last_step": 7},
    ]
    assert (await server.job(retry["id"]))["progress"] == {"done": 8, "total": 12}


@pytest.mark.parametrize("told", [[], [epoch(1), epoch(2), epoch(3)]])
async def test_a_retry_of_training_without_a_checkpoint_to_go_on_from_begins_anew(
    server: Server, told: list[dict[str, Any]]
) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, *told)
    await end(agent, attempt, "rank_exit", message="Rank 0 found no dataset.")
    retry = (await server.admin.post(f"/api/v1/jobs/{job_id}/retry")).json()
    assert retry["spec"]["training"]["resume_from"] is None


async def test_a_retry_of_training_that_keeps_no_checkpoints_begins_anew(server: Server) -> None:
    training = TRAINING["training"] | {"strategy": "tf_multi_worker_mirrored"}
    agent, job_id, attempt = await started(server, training=training)
    await agent.records(attempt, training_steps(0, 0, 6), training_steps(1, 0, 6), epoch(1))
    await end(agent, attempt, "rank_exit", message="Rank 0 ended.")
    retry = (await server.admin.post(f"/api/v1/jobs/{job_id}/retry")).json()
    assert retry["spec"]["training"]["resume_from"] is None


async def test_only_training_can_be_resumed(server: Server) -> None:
    await server.node()
    benchmark = await server.submit(placement={"ranks": 2})
    for number, found in ((benchmark["id"], "is of kind benchmark"), (99, "there is no such job")):
        spec = TRAINING | {"training": {"resume_from": number}}
        (error,) = (await server.admin.post("/api/v1/jobs", json=spec)).json()["errors"]
        assert error["pointer"] == "/training/resume_from"
        assert found in error["detail"] and error["detail"].endswith("name a training job, or leave it out.")


async def again(server: Server, agent: FakeAgent, attempt: int) -> int:
    """The attempt breaks down through no fault of its own, and the next one runs."""
    await end(agent, attempt, "agent_restarted", message="The agent of node n1 was stopped.")
    server.clock.advance(10)
    agent.sequence = 0
    return await agent.start_next()


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


async def test_before_the_first_epoch_the_number_of_steps_is_not_known(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    assert (await server.job(job_id))["progress"] == {"done": 0, "total": None}
    await agent.records(attempt, training_steps(count=2), training_steps(1, count=2))
    job = await server.job(job_id)
    assert job["progress"] == {"done": 2, "total": None}
    assert job["summary"]["loss"] == pytest.approx(1.9)
    await agent.records(attempt, training_steps(first_step=2, count=2), epoch(1))
    assert (await server.job(job_id))["progress"] == {"done": 4, "total": 12}


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
    assert summary["communication_seconds"] == pytest.approx(0.044)
    assert summary["exposed_communication_seconds"] == pytest.approx(0.022)
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
    assert after == before | {"steps_done": 8, "step_seconds": after["step_seconds"]} | {
        name: after[name] for name in ("communication_seconds", "exposed_communication_seconds")
    }


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


async def test_a_retry_goes_on_and_of_what_is_told_twice_the_later_attempt_counts(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0, 0, 7), training_steps(1, 0, 7), epoch(1))
    second = await again(server, agent, attempt)
    assert (await server.job(job_id))["progress"] == {"done": 7, "total": 12}
    later = [9.0, 8.0, 7.0, 6.0]
    await agent.records(second, *(training_steps(rank, 4, loss=later) for rank in (0, 1)), epoch(2), epoch(2))
    curve = await get(server, job_id, "training")
    assert curve["attempts"] == [
        {"job_id": job_id, "attempt": 1, "first_step": 0, "last_step": 3},
        {"job_id": job_id, "attempt": 2, "first_step": 4, "last_step": 7},
    ]
    assert [point["first_step"] for point in curve["points"]] == list(range(8))
    assert [point["loss"] for point in curve["points"]] == pytest.approx([2.0, 1.9, 1.8, 1.7, *later])
    assert [(row["epoch"], row["attempt"]) for row in (await get(server, job_id, "epochs"))["items"]] == [
        (1, 1),
        (2, 2),
    ]
    await agent.records(second, *(training_steps(rank, 8) for rank in (0, 1)), epoch(3))
    await end(agent, second)
    assert (await server.job(job_id))["state"] == "succeeded"


async def test_a_retry_from_the_last_checkpoint_has_no_epoch_of_its_own_to_tell(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0, 0, 12), training_steps(1, 0, 12), *map(epoch, (1, 2, 3)))
    await end(agent, await again(server, agent, attempt))
    assert (await server.job(job_id))["state"] == "succeeded"


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


async def test_a_point_over_two_attempts_counts_each_rank_once(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, training_steps(0), training_steps(1))
    second = await again(server, agent, attempt)
    await agent.records(second, training_steps(0, 2), training_steps(1, 2))
    (point,) = (await get(server, job_id, "training", points=1))["points"]
    assert (point["first_step"], point["last_step"]) == (0, 5)
    assert point["samples_per_second"] == pytest.approx(6_400)


@pytest.mark.parametrize(
    ("training", "told", "reason"),
    [
        ({}, [epoch(1), epoch(2)], "results_missing"),
        ({}, [epoch(1), epoch(2), epoch(3)], "completed"),
        ({"max_steps": 6}, [epoch(1)], "results_missing"),
        ({"max_steps": 6}, [epoch(1), epoch(2, step=6)], "completed"),
    ],
)
async def test_without_its_last_epoch_training_has_not_succeeded(
    server: Server, training: dict[str, Any], told: list[dict[str, Any]], reason: str
) -> None:
    agent, job_id, attempt = await started(server, training=TRAINING["training"] | training)
    await agent.records(attempt, training_steps(), training_steps(1), *told)
    await end(agent, attempt)
    job = await server.job(job_id)
    assert job["reason"] == reason
    if reason == "results_missing":
        assert job["message"] == f"The ranks ended, but only {len(told)} of 3 epochs were told."


async def test_replicas_that_differ_fail_the_job_for_good(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, *map(epoch, (1, 2, 3)))
    sentence = "The parameters of rank 1 differ from those of rank 0 after epoch 2."
    await end(agent, attempt, "verification_failed", message=sentence, rank=1)
    job = await server.job(job_id)
    assert (job["state"], job["reason"], job["message"]) == ("failed", "verification_failed", sentence)


async def test_mirrored_runs_on_one_node(server: Server) -> None:
    await server.node("n1", slots=2)
    await server.node("n2", slots=4)
    job = await server.submit(**TRAINING | {"placement": {"ranks": 4}})
    await server.one_pass()
    assert [attempt["nodes"] for attempt in (await server.job(job["id"]))["attempts"]] == [["n2"]]
    refused = await server.admin.post("/api/v1/jobs", json=TRAINING | {"placement": {"ranks": 4, "nodes": 2}})
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["pointer"] == "/placement/nodes"
    assert error["detail"] == (
        "placement.nodes: mirrored runs on one node; leave nodes out, or take multi_worker_mirrored for several."
    )
    too_many = await server.admin.post("/api/v1/jobs", json=TRAINING | {"placement": {"ranks": 6}})
    assert too_many.json()["errors"][0]["pointer"] == "/placement/nodes"


async def test_what_goes_on_from_a_checkpoint_is_placed_where_that_is(server: Server, clock: Clock) -> None:
    await server.node("n1")
    agent = await server.node("n2")
    await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "so that n2 it is"})
    job = await server.submit(**TRAINING)
    attempt = await agent.start_next()
    await server.admin.post("/api/v1/nodes/n1/resume")
    await end(agent, attempt, "rank_signal", message="Rank 1 was killed.")
    clock.advance(5)
    await server.one_pass()
    assert [tried["nodes"] for tried in (await server.job(job["id"]))["attempts"]] == [["n2"], ["n2"]]
    following = await server.submit(**TRAINING | {"training": {"resume_from": job["id"]}})
    other = await server.submit(**TRAINING)
    await server.one_pass()
    assert [tried["nodes"] for tried in (await server.job(following["id"]))["attempts"]] == [["n2"]]
    assert [tried["nodes"] for tried in (await server.job(other["id"]))["attempts"]] == [["n1"]]


async def test_training_whose_sums_nobody_sees_tells_no_waiting_for_them(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    unseen = {"communication_us": [0.0] * 4, "exposed_us": [0.0] * 4, "compute_us": [10_000.0] * 4}
    await agent.records(attempt, training_steps(**unseen), training_steps(1, **unseen))
    summary = (await server.job(job_id))["summary"]
    assert (summary["communication_seconds"], summary["exposed_communication_seconds"]) == (0.0, None)


async def test_a_script_succeeds_when_its_ranks_end_well(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(kind="script", script={"file": "train.py"})
    assert (job["progress"], job["summary"]["kind"]) == ({"done": 0, "total": None}, "script")
    attempt = await agent.start_next()
    await agent.records(attempt, training_steps(), training_steps(1))
    await end(agent, attempt)
    ended = await server.job(job["id"])
    assert (ended["state"], ended["progress"]["done"]) == ("succeeded", 4)
    assert ended["summary"]["samples_per_second"] == pytest.approx(6_400)


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


async def test_a_rank_that_computes_longer_than_the_others_is_named_while_it_trains(server: Server) -> None:
    agent, job_id, attempt = await started(server, placement={"ranks": 3})
    loop = Insights(server.services)
    await loop.look()
    for first in (0, 20, 40):
        slow = {"compute_us": [30_000.0] * 20}
        others = [training_steps(rank, first, 20) for rank in (0, 1)]
        await agent.records(attempt, *others, training_steps(2, first, 20, **slow))
        await loop.look()
    (found,) = (await get(server, job_id, "insights"))["items"]
    assert (found["kind"], found["rank"], found["evidence"]["measure"]) == ("straggler", 2, "compute_us")

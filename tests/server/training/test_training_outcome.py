"""A training job ends by its epochs and replicas, and insights are found while it runs."""

from typing import Any

import pytest
from tests.server.conftest import Server
from tests.server.training_jobs import end, get, started
from tests.server.training_records import TRAINING, epoch, training_steps

from ringscope_server.background.detection import Insights


@pytest.mark.parametrize(
    ("training", "told", "reason"),
    [
        ({}, [epoch(1), epoch(2)], "results_missing"),
        ({}, [epoch(1), epoch(2), epoch(3)], "completed"),
        ({"max_steps": 6}, [epoch(1)], "results_missing"),
        ({"max_steps": 6}, [epoch(1), epoch(2, step=6)], "completed"),
        ({"max_steps": 6}, [epoch(2, step=6)], "results_missing"),
        ({}, [epoch(3)], "results_missing"),
        ({}, [epoch(1), epoch(3)], "results_missing"),
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


@pytest.mark.parametrize("more", [{"epoch": 2**31 - 1, "step": 0}, {"epoch": 0}, {"epoch": -1}, {"rank": 9}])
async def test_an_epoch_that_nobody_asked_for_is_none(server: Server, more: dict[str, Any]) -> None:
    agent, job_id, attempt = await started(server)
    await agent.records(attempt, epoch(1), epoch(2), epoch(3, **more))
    assert (await server.job(job_id))["summary"]["epochs_done"] == 2
    await end(agent, attempt)
    assert (await server.job(job_id))["reason"] == "results_missing"


async def test_who_goes_on_from_another_jobs_checkpoint_tells_the_epochs_from_there(server: Server) -> None:
    agent, first, attempt = await started(server)
    await end(agent, attempt, "rank_exit", message="Rank 0 ended.")
    training = TRAINING["training"] | {"resume_from": first}
    for told, reason in (([epoch(2), epoch(3)], "completed"), ([epoch(2)], "results_missing")):
        job = await server.submit(**TRAINING | {"training": training})
        agent.sequence = 0
        attempt = await agent.start_next()
        await agent.records(attempt, *told)
        await end(agent, attempt)
        assert (await server.job(job["id"]))["reason"] == reason


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
        "placement.nodes: mirrored runs on one node; leave nodes out, or choose multi_worker_mirrored for several."
    )
    too_many = await server.admin.post("/api/v1/jobs", json=TRAINING | {"placement": {"ranks": 6}})
    assert too_many.json()["errors"][0]["pointer"] == "/placement/nodes"


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


async def test_steps_of_a_script_that_nobody_changed_count_without_samples_and_loss(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(kind="script", script={"file": "train.py"})
    attempt = await agent.start_next()
    await agent.records(attempt, training_steps(samples=None, loss=None), training_steps(1, samples=None, loss=None))
    await end(agent, attempt)
    ended = await server.job(job["id"])
    assert (ended["state"], ended["progress"]["done"]) == ("succeeded", 4)
    assert (ended["summary"]["samples_per_second"], ended["summary"]["loss"]) == (None, None)
    assert not ended["summary"]["is_diverged"]


async def test_a_script_whose_loss_is_not_finite_has_diverged(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(kind="script", script={"file": "train.py"})
    attempt = await agent.start_next()
    told = {"type": "diverged", "rank": 0, "step": 3, "what": "loss", "loss": "NaN"}
    await agent.records(attempt, training_steps(loss=None), told)
    await agent.records(attempt, training_steps(first_step=4, loss=None))
    assert (await server.job(job["id"]))["summary"]["is_diverged"]
    await agent.records(attempt, training_steps(first_step=8, loss=[0.5] * 4))
    assert not (await server.job(job["id"]))["summary"]["is_diverged"]


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


async def test_a_rank_whose_loader_is_slow_is_named_with_its_cause_after_one_report(server: Server) -> None:
    agent, job_id, attempt = await started(server, placement={"ranks": 3})
    loop = Insights(server.services)
    await loop.look()
    waits_us = {0: 5_000.0, 1: 6_000.0, 2: 20_000.0}
    told = [training_steps(rank, 0, 20, input_us=[wait_us] * 20) for rank, wait_us in waits_us.items()]
    await agent.records(attempt, *told)
    await loop.look()
    (found,) = (await get(server, job_id, "insights"))["items"]
    assert (found["kind"], found["rank"], found["evidence"]["cause"]) == ("straggler", 2, "input")
    assert "it waits 20.0 ms for the samples of a step, the median rank 6.0 ms" in found["message"]


async def test_training_that_diverged_names_the_first_rank_and_step_that_told_it(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    told = {"type": "diverged", "what": "loss", "loss": "NaN"}
    await agent.records(attempt, *map(epoch, (1, 2, 3)), told | {"rank": 1, "step": 7}, told | {"rank": 0, "step": 8})
    await agent.records(attempt, told | {"rank": 0, "step": 9})
    (found,) = (await get(server, job_id, "insights"))["items"]
    assert (found["kind"], found["rank"], found["node"]) == ("diverged", 1, "n1")
    assert found["message"] == "The training diverged: in step 7 the loss of rank 1 was nan."
    assert found["evidence"] == {"what": "loss", "step": 7, "loss": "NaN"}
    await end(agent, attempt, "diverged", message="The training diverged.", rank=1)
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("failed", "diverged")
    assert len((await get(server, job_id, "insights"))["items"]) == 1

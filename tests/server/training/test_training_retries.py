"""A retried training resumes from a checkpoint, or begins again if there is none."""

from typing import Any

import pytest
from tests.server.conftest import Clock, Server
from tests.server.training_jobs import again, end, get, started
from tests.server.training_records import TRAINING, epoch, training_steps


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

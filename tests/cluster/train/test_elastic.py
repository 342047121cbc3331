"""An elastic job continues at once with fewer ranks when one is killed, with real ranks, agent and server."""

import contextlib
import os
import random
import signal

import httpx
import pytest
from tests.cluster.lab import Lab, eventually

from ringscope.cli.connection import token
from ringscope.client import Job

TRAINING = {
    "dataset": {"name": "synthetic", "samples": 2048},
    "model_arguments": {"hidden": 8, "layers": 2},
    "global_batch_size": 64,
    "all_reduce": "direct",
    "optimizer": "adam",
    "learning_rate": 0.001,
}
KILLS = 20


def submitted(lab: Lab, ranks: int, min_ranks: int | None = None, **training: object) -> int:
    placement = {"ranks": ranks} | ({} if min_ranks is None else {"min_ranks": min_ranks})
    body = {"kind": "training", "training": TRAINING | training, "placement": placement, "time_limit_seconds": 3600}
    with lab.client() as client:
        return client.submit(body).id


def rank_pids(lab: Lab, job_id: int) -> list[int]:
    """Return the pids that the ranks reported, in the order of the ranks; a rank may be a fork of another process."""
    headers = {"Authorization": f"Bearer {token(lab.data_dir)}"}
    answer = httpx.get(f"{lab.url}/api/v1/jobs/{job_id}/environment", headers=headers, timeout=60)
    ranks = answer.raise_for_status().json()["items"][-1]["ranks"]
    return [rank["pid"] for rank in sorted(ranks, key=lambda rank: rank["rank"])]


def at_steps(lab: Lab, job_id: int, attempt: int | None = None) -> Job:
    """The job once this attempt, or whichever is the newest, has made steps."""

    def look() -> Job | None:
        with lab.client() as client:
            job = client.job(job_id)
            assert not job.is_finished, job.message
            is_there = attempt in (None, len(job.attempts)) and job.state == "running"
            return job if is_there and client.first_step(job_id, rank=0) else None

    return eventually(look, f"steps of attempt {attempt or 'any'}")


def ended(lab: Lab, job_id: int) -> Job:
    job = eventually(lambda: job if (job := lab.job(job_id)).is_finished else None, "its end", within_seconds=600)
    assert (job.state, job.reason) == ("succeeded", "completed"), job.message
    return job


def ranks_of(job: Job) -> list[int]:
    """The ranks of each attempt."""
    return [sum(member.ranks for member in attempt.members) for attempt in job.attempts]


@pytest.mark.long  # the gate kills virtual ranks in tests/train/test_memory.py
def test_after_a_kill_two_of_three_ranks_go_on(lab: Lab) -> None:
    job_id = submitted(lab, 3, 2, epochs=100_000)
    at_steps(lab, job_id, 1)
    os.kill(rank_pids(lab, job_id)[1], signal.SIGKILL)
    job = at_steps(lab, job_id, 2)
    assert (ranks_of(job), job.attempts[0].reason) == ([3, 2], "rank_signal")
    with lab.client() as client:
        client.cancel(job_id)
        lost, left = client.training_curve(job_id, points=10).attempts
    assert 0 < left.first_step == lost.last_step + 1, "it continued at a state of the first attempt"


@pytest.mark.long
@pytest.mark.parametrize("strategy", ["mirrored", "sharded"])
def test_twenty_kills_lose_no_sample_and_end_at_the_loss_of_an_undisturbed_run(lab: Lab, strategy: str) -> None:
    job_id = submitted(lab, 4, 2, strategy=strategy, epochs=100_000)
    chosen = random.Random(5)
    kills = 0
    while kills < KILLS:
        at_steps(lab, job_id)
        with contextlib.suppress(ProcessLookupError):  # it has just ended to grow
            os.kill(chosen.choice(rank_pids(lab, job_id)), signal.SIGKILL)
        eventually(lambda: lab.job(job_id).state != "running", "the end of the attempt")
        eventually(lambda: lab.job(job_id).state == "running", "another attempt")
        kills = [attempt.reason for attempt in lab.job(job_id).attempts].count("rank_signal")
    before = len(lab.everything(job_id, "epochs"))
    eventually(lambda: len(lab.everything(job_id, "epochs")) > before, "an epoch after the last kill")
    with lab.client() as client:
        client.cancel(job_id)
    job = eventually(lambda: job if (job := lab.job(job_id)).is_finished else None, "its end")
    assert min(ranks_of(job)) == 2 and all(2 <= ranks <= 4 for ranks in ranks_of(job))

    disturbed = {epoch["epoch"]: epoch for epoch in lab.everything(job_id, "epochs")}  # the last one of each number
    whole = lab.everything(ended(lab, submitted(lab, 4, strategy=strategy, epochs=max(disturbed))).id, "epochs")
    assert sorted(disturbed) == [expected["epoch"] for expected in whole]
    for expected in whole:
        epoch = disturbed[expected["epoch"]]
        assert (epoch["step"], epoch["samples"]) == (expected["step"], expected["samples"])
        for loss in ("training_loss", "validation_loss"):
            assert epoch[loss] == pytest.approx(expected[loss], rel=1e-2), f"{loss} of epoch {expected['epoch']}"

"""Training jobs through the server: `ringscope train`, a real agent, real ranks, rows and curve."""

import json

import psutil
import pytest
from tests.cluster.lab import SLOTS, Lab, eventually, program_name

from ringscope.engine.cores import cores_each

pytestmark = pytest.mark.long

EPOCHS = 30
HANG_SECONDS = 10.0
JOB = ("mlp", "--dataset", "digits", "--ranks", "2", "--epochs", str(EPOCHS), "--set", "max_attempts=2")


def submitted(lab: Lab, *words: str) -> int:
    done = lab.run("train", *words, "--json")
    assert done.returncode == 0, done.stderr
    number: int = json.loads(done.stdout)["id"]
    return number


def rank_programs(lab: Lab) -> list[psutil.Process]:
    """Return the processes of both ranks in the order of the ranks."""
    # mpiexec and its proxy name the module as well, but run no Python
    ranks = [process for process in lab.ranks() if "python" in program_name(process)]
    assert len(ranks) == 2
    return sorted(ranks, key=lambda process: int(process.environ()["PMI_RANK"]))


def test_a_killed_rank_costs_the_steps_since_the_last_checkpoint(lab: Lab) -> None:
    job_id = submitted(lab, *JOB)
    eventually(lambda: lab.job(job_id).summary.epochs_done >= 2, "two epochs")
    ranks = rank_programs(lab)
    assert {rank.environ()["OMP_NUM_THREADS"] for rank in ranks} == {str(cores_each(SLOTS))}
    ranks[-1].kill()
    eventually(lambda: len(lab.job(job_id).attempts) == 2, "another try")
    job = eventually(lambda: job if (job := lab.job(job_id)).is_finished else None, "its end")
    assert (job.state, job.reason, job.summary.epochs_done) == ("succeeded", "completed", EPOCHS)
    assert job.summary.validation_accuracy is not None and job.summary.validation_accuracy > 0.95
    epochs = lab.everything(job_id, "epochs")
    per_epoch = epochs[0]["step"]
    with lab.client() as client:
        curve = client.training_curve(job_id, points=1000)
    first, second = curve.attempts
    assert second.first_step % per_epoch == 0 and second.first_step >= 2 * per_epoch
    assert (first.first_step, first.last_step) == (0, second.first_step - 1)
    assert second.last_step == EPOCHS * per_epoch - 1
    assert [point.first_step for point in curve.points] == list(range(EPOCHS * per_epoch))
    kept = {epoch["epoch"]: epoch["attempt"] for epoch in epochs}
    assert sorted(kept) == list(range(1, EPOCHS + 1)) and set(kept.values()) == {1, 2}
    log = [line["text"] for line in lab.everything(job_id, "log")]
    resumed = f"resumed after step {second.first_step}, in epoch {second.first_step // per_epoch + 1}"
    assert resumed in log


def test_a_stopped_rank_is_named_and_the_training_goes_on_without_it(lab: Lab) -> None:
    job_id = submitted(lab, *JOB)
    eventually(lambda: lab.job(job_id).summary.epochs_done >= 1, "an epoch")
    rank_programs(lab)[-1].suspend()
    with lab.client() as client:
        (hang,) = eventually(lambda: client.insights(job_id), "an insight", HANG_SECONDS)
    assert (hang.kind, hang.rank) == ("hang", 1)
    eventually(lambda: len(lab.job(job_id).attempts) == 2, "another try")
    job = eventually(lambda: job if (job := lab.job(job_id)).is_finished else None, "its end")
    assert (job.state, job.attempts[0].reason, job.summary.epochs_done) == ("succeeded", "hang_detected", EPOCHS)

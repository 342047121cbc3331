"""A killed job resumes from its checkpoint and has the same result as an unbroken one."""

import json
import shutil
import sys
from pathlib import Path

import pytest
import torch
from tests.cluster.train.jobs import SMALL, run_training
from tests.ranks import run_ranks

from ringscope.contracts.rank_process import CHECKPOINTS_VARIABLE, RESUME_VARIABLE, SPEC_VARIABLE
from ringscope.contracts.record import Steps
from ringscope.contracts.training.record import Epoch
from ringscope.train.checkpoint import load, steps

pytestmark = pytest.mark.long

TRAINING = {"epochs": 4, "checkpoint_every_steps": 5, "optimizer": "adam", "learning_rate": 1e-3}
LAST = 48
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def whole(folder):
    """The run that nothing happens to."""
    return training(2, folder / "whole")


@pytest.fixture(scope="module")
def killed(folder):
    """Run a training whose rank 1 is killed in the 28th step, and return the folder of its checkpoints."""
    spec = folder / "spec.json"
    job = {"kind": "training", "training": SMALL | TRAINING, "placement": {"ranks": 2}}
    spec.write_text(json.dumps(job))
    program = str(Path(__file__).with_name("killed_main.py"))
    environment = {SPEC_VARIABLE: str(spec), CHECKPOINTS_VARIABLE: str(folder / "killed")}
    done = run_ranks(2, [sys.executable, program], environment, 100)
    assert done.returncode != 0
    assert steps(folder / "killed")[-1] == 25
    return folder / "killed"


def training(ranks, checkpoints, resume=None, **changes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHECKPOINTS_VARIABLE, str(checkpoints))
        patch.setenv(RESUME_VARIABLE, str(resume or ""))
        run, records = run_training(ranks, **TRAINING | changes)
    assert run.exit_code == 0, run.reason
    return run, records


def losses(records, rank):
    """Return a rank's losses by step."""
    return {
        block.first_step + place: loss
        for block in records
        if isinstance(block, Steps) and block.rank == rank
        for place, loss in enumerate(block.loss)
    }


def parameters(folder):
    return load(folder, LAST).model


def test_after_a_kill_the_parameters_are_bitwise_those_of_an_unbroken_run(folder, whole, killed):
    again = folder / "again"
    shutil.copytree(killed, again)
    run, records = training(2, again)
    assert "resumed after step 25, in epoch 3" in run.output
    for rank in range(2):
        joined, unbroken = losses(records, rank), losses(whole[1], rank)
        assert joined == {step: unbroken[step] for step in range(25, LAST)}
    epochs = [[r for r in told if isinstance(r, Epoch)] for told in (records, whole[1])]
    assert [(e.epoch, e.samples) for e in epochs[0]] == [(3, 384), (4, 384)]
    again_us = sum(sum(r.duration_us) for r in records if isinstance(r, Steps) and r.rank == 0 and r.first_step < 36)
    assert epochs[0][0].duration_us > again_us  # the step before the checkpoint counts too
    for one, other in zip(epochs[0], epochs[1][2:], strict=True):
        assert one.training_loss == pytest.approx(other.training_loss, rel=1e-12)
        assert one.validation_loss == other.validation_loss
    expected = parameters(folder / "whole")
    for name, tensor in parameters(again).items():
        assert torch.equal(tensor, expected[name])


def test_another_job_on_another_number_of_ranks_starts_from_its_checkpoint(folder, whole, killed):
    run, records = training(3, folder / "other", resume=killed, resume_from=7)
    assert "resumed after step 25, in epoch 3" in run.output
    assert min(losses(records, 2)) == 25
    expected = parameters(folder / "whole")
    for name, tensor in parameters(folder / "other").items():
        assert (tensor - expected[name]).abs().max() < TOLERANCE


def test_a_broken_checkpoint_is_passed_over(folder, whole, killed):
    broken = folder / "broken"
    shutil.copytree(killed, broken)
    newest = max(broken.rglob("*25*"), key=lambda path: path.stat().st_size if path.is_file() else 0)
    newest.write_bytes(newest.read_bytes()[:100])
    run, _ = training(2, broken, max_steps=30)
    assert "resumed after step 24, in epoch 3" in run.output  # the end of the second epoch


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"model_arguments": {"hidden": 9, "layers": 2}},
            "resume_from: the checkpoint is of another model or optimizer",
        ),
        ({"epochs": 2}, "epochs: job 7 has done 2 already; give more than that."),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_in_a_sentence(killed, monkeypatch, changes, sentence):
    monkeypatch.setenv(RESUME_VARIABLE, str(killed))
    run, _ = run_training(2, **TRAINING | {"resume_from": 7} | changes)
    assert run.exit_code == 1
    assert sentence in run.reason
    assert "Traceback" not in run.output


def test_an_earlier_job_without_a_checkpoint_is_refused_in_a_sentence():
    run, _ = run_training(2, resume_from=7)
    assert run.exit_code == 1
    assert "resume_from: none of this job's nodes has a checkpoint of job 7" in run.reason


def test_the_newest_of_all_nodes_is_taken(gang, tmp_path):
    found = gang(3, "newest_main.py", str(tmp_path))
    assert {name: result["steps"] for name, result in found.items()} == {
        "nobody has one": [-1, -1, -1],
        "the last node has the newest": [3, 3, 3],
        "the newest is broken": [2, 2, 2],
        "two have it, one of them is broken": [4, 4, 4],
    }


def test_state_that_belongs_to_a_rank_is_kept_too(gang, tmp_path):
    found = gang(2, "own_state_main.py", str(tmp_path))
    assert set(found) == {"top_k", "powersgd", "local_sgd"}
    for digests in found.values():
        assert digests["unbroken"] == digests["broken"]

"""Killed, broken or refused processes leave no process behind, lose no row, and have a named reason."""

import json
import signal
from itertools import product
from pathlib import Path

import pytest
from tests.cluster.lab import DEADLINE_SECONDS, Lab, agent_apart, eventually, running, running_lab


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 0, marks=pytest.mark.long),
        (signal.SIGTERM, 0),
        pytest.param(signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_nothing_survives_the_end_of_up(data_dir: Path, number: signal.Signals, code: int) -> None:
    with running_lab(data_dir) as (lab, up):
        lab.start_endless_job(2)
        up.send_signal(number)
        assert up.wait(DEADLINE_SECONDS) == code
        if number == signal.SIGKILL:
            eventually(lambda: not lab.processes(), "the end of every process", within_seconds=10)
        assert lab.processes() == []


@pytest.mark.long
@pytest.mark.parametrize("role", ["server", "agent"])
def test_up_ends_and_says_which_when_one_of_both_dies(data_dir: Path, role: str) -> None:
    with running_lab(data_dir) as (lab, up):
        [process] = [found for found in lab.processes(f"ringscope_{role}") if found.ppid() == up.pid]
        process.kill()
        assert up.wait(DEADLINE_SECONDS) == 1
        assert f"The {role} ended with signal SIGKILL" in lab.said(up)


@pytest.mark.long  # the gate has each half: the agent tells so, and the server takes it
def test_wrong_results_fail_the_job(data_dir: Path) -> None:
    with running_lab(data_dir, RINGSCOPE_FAULT="wrong_element") as (lab, _):
        done = lab.run("submit", "--wait", "--json", "--ranks", "2", "-e", "64", "-n", "2")
        job = json.loads(done.stdout)
        assert (done.returncode, job["state"], job["reason"]) == (1, "failed", "verification_failed")
        assert any(row["wrong"] > 0 for row in lab.everything(job["id"], "measurements"))


@pytest.mark.long
def test_a_job_survives_its_agents_death_and_no_step_is_lost_or_double(data_dir: Path) -> None:
    lab = Lab(data_dir)
    sweep = ("-b", "64K", "-e", "4M", "-n", "600", "-w", "1", "--ranks", "2", "--algorithm", "ring,mpi")
    with running(lab.start("server", "--port", "0")):
        with running(agent_apart(lab)) as first:
            lab.wait_for_node()
            job_id = json.loads(lab.run("submit", "--json", *sweep).stdout)["id"]
            eventually(lambda: lab.job(job_id).progress.done > 0, "the first row")
            ranks = {rank.pid for rank in lab.ranks()}
            first.kill()
            first.wait()
        with running(agent_apart(lab)):
            assert {rank.pid for rank in lab.ranks()} & ranks, "the job ended before its agent did"
            lab.wait_for_state(job_id, "succeeded")
            rows = lab.everything(job_id, "measurements")
            assert len(rows) == 2 * 7 * 2
            steps = sorted((step["rank"], step["step"]) for step in lab.everything(job_id, "steps"))
            assert steps == list(product(range(2), range(len(rows) * 600)))
    assert lab.processes() == []


@pytest.mark.long
def test_an_agent_with_a_wrong_token_is_refused_and_says_so(data_dir: Path) -> None:
    lab = Lab(data_dir)
    (data_dir / "wrong-token").write_text("wrong\n")
    with running(lab.start("server", "--port", "0")):
        eventually(lambda: (data_dir / "join-token").exists(), "the server's tokens")
        with running(agent_apart(lab, "--token-file", str(data_dir / "wrong-token"))) as refused:
            assert refused.wait(DEADLINE_SECONDS) == 2
            err = lab.said(refused)
    assert "The server refused this node's token" in err.splitlines()[-1]
    assert "Traceback" not in err

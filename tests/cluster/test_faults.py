"""What is killed, broken or refused, and what is left of it: no process, no lost row, a named reason."""

import json
import signal
import subprocess
from itertools import product
from pathlib import Path

import pytest
from tests.cluster.lab import DEADLINE_SECONDS, SLOTS, Lab, eventually, free_port, running, running_lab


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


def test_a_job_survives_the_servers_death_and_no_row_is_lost(data_dir: Path) -> None:
    lab = Lab(data_dir)
    iterations = 100
    sweep = ("-b", "8K", "-e", "8M", "-f", "32", "-n", str(iterations), "-w", "1", "--ranks", "2")
    server_command = ("server", "--port", str(free_port()))
    with running(lab.start(*server_command)) as first, running(agent(lab)):
        lab.wait_for_node()
        done = lab.run_here("submit", "--json", *sweep, "--algorithm", "ring,mpi")
        job_id = json.loads(done.stdout)["id"]
        eventually(lambda: lab.job(job_id).progress.done > 0, "the first row")
        first.kill()
        first.wait()
        assert lab.ranks(), "the job ended before its server did"
        with running(lab.start(*server_command)):
            lab.wait_for_node()
            lab.wait_for_state(job_id, "succeeded")
            rows = lab.everything(job_id, "measurements")
            sizes = [8 << 10, 256 << 10, 8 << 20]
            keys = [(row["size_bytes"], row["algorithm"], row["in_place"]) for row in rows]
            assert sorted(keys) == sorted(product(sizes, ("mpi", "ring"), (False, True)))
            steps = sorted((step["rank"], step["step"]) for step in lab.everything(job_id, "steps"))
            assert steps == list(product(range(2), range(len(rows) * iterations)))
    assert lab.processes() == []


@pytest.mark.long
def test_a_job_survives_its_agents_death_and_no_step_is_lost_or_double(data_dir: Path) -> None:
    lab = Lab(data_dir)
    sweep = ("-b", "64K", "-e", "4M", "-n", "600", "-w", "1", "--ranks", "2", "--algorithm", "ring,mpi")
    with running(lab.start("server", "--port", "0")):
        with running(agent(lab)) as first:
            lab.wait_for_node()
            job_id = json.loads(lab.run("submit", "--json", *sweep).stdout)["id"]
            eventually(lambda: lab.job(job_id).progress.done > 0, "the first row")
            ranks = {rank.pid for rank in lab.ranks()}
            first.kill()
            first.wait()
        with running(agent(lab)):
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
        eventually(lambda: (data_dir / "agent-token").exists(), "the server's tokens")
        with running(agent(lab, "--token-file", str(data_dir / "wrong-token"))) as refused:
            assert refused.wait(DEADLINE_SECONDS) == 2
            err = lab.said(refused)
    assert "The server refused this agent's token" in err.splitlines()[-1]
    assert "Traceback" not in err


def agent(lab: Lab, *more: str) -> subprocess.Popen[str]:
    """An agent apart from its server."""
    data_dir = str(lab.data_dir / "agent")
    token_file = more or ("--token-file", str(lab.data_dir / "agent-token"))
    eventually(lambda: (lab.data_dir / "agent-token").exists(), "the server's tokens")
    flags = ("--server", lab.url, "--name", "apart", "--slots", str(SLOTS), "--metrics-port", "0")
    return lab.start("agent", *flags, "--data-dir", data_dir, *token_file)

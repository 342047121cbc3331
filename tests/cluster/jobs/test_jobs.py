"""A job's whole way: command line, server, agent, MPI ranks, telemetry, rows."""

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.cluster.lab import Lab, agent_apart, eventually, free_port, kill_in_a_call, running

from ringscope.bench.simulation import simulated_records
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Measurement
from ringscope.engine.cores import own_cores

ALGORITHMS = ("ring", "direct", "mpi")
SIZES = (8, 128, 2048, 32768)
RANKS, ITERATIONS = 3, 6
SECRET = "hf_do_not_show_4711"
ENVIRONMENT = {"HF_TOKEN": SECRET, "NCCL_ALGO": "Ring", "OMP_NUM_THREADS": "3"}
SWEEP = ("-b", "8", "-e", "32K", "-f", "16", "-n", str(ITERATIONS), "-w", "1", "--ranks", str(RANKS))


class Pair(Lab):
    """A server, and an agent apart from it; the server may be killed, and is there again afterwards."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self._command = ("server", "--port", str(free_port()))
        self.server = self.start(*self._command)

    @contextmanager
    def server_killed(self) -> Iterator[None]:
        """Kill the server, run the block without one, and start it again."""
        self.server.kill()
        self.server.communicate()
        try:
            yield
        finally:
            self.server = self.start(*self._command)
            self.wait_for_node()

    def close(self) -> None:
        with running(self.server):
            pass


@pytest.fixture(scope="module")
def lab() -> Iterator[Pair]:
    """Yield a server and an agent with four slots; not `ringscope up`, which ends with its server."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path:
        pair = Pair(Path(path))
        with closing(pair), running(agent_apart(pair)):
            pair.wait_for_node()
            yield pair
        assert pair.processes() == []


def test_a_job_succeeds_and_every_row_is_there_once(lab: Lab) -> None:
    done = lab.run_here(
        "submit", "--name", "whole way", "--wait", "--json", "--algorithm", ",".join(ALGORITHMS), *SWEEP
    )
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert (job["state"], job["reason"]) == ("succeeded", "completed")
    placements = len(SIZES) * len(ALGORITHMS) * 2
    assert job["progress"] == {"done": placements, "total": placements}

    rows = lab.everything(job["id"], "measurements")
    keys = [(row["size_bytes"], row["algorithm"], row["in_place"]) for row in rows]
    assert sorted(keys) == sorted(product(SIZES, ALGORITHMS, (False, True)))
    for row in rows:
        assert (row["wrong"], row["ranks"], row["iterations"]) == (0, RANKS, ITERATIONS)
        assert row["cores"] == min(RANKS, own_cores().at_once)
        assert row["count"] * 4 == row["size_bytes"]
        assert 0 < row["min_us"] <= row["p50_us"] <= row["p99_us"] <= row["max_us"]
        algbw = row["size_bytes"] / row["time_us"] / 1e3
        assert abs(row["algbw_gb_per_s"] - algbw) <= 1e-6 * algbw
        assert abs(row["busbw_gb_per_s"] - algbw * 2 * (RANKS - 1) / RANKS) <= 1e-6 * algbw

    steps = lab.everything(job["id"], "steps")
    numbers = sorted((step["rank"], step["step"]) for step in steps)
    assert numbers == list(product(range(RANKS), range(placements * ITERATIONS)))
    assert lab.ranks() == []


def test_a_job_survives_the_servers_death_and_no_row_is_lost(lab: Pair) -> None:
    iterations = 600  # of 8 MiB take seconds after the first row, on a fast machine too
    sweep = ("-b", "8K", "-e", "8M", "-f", "1024", "-n", str(iterations), "-w", "1", "--ranks", "2")
    done = lab.run_here("submit", "--json", *sweep, "--algorithm", "ring,mpi")
    job_id = json.loads(done.stdout)["id"]
    eventually(lambda: lab.job(job_id).progress.done > 0, "the first row")
    with lab.server_killed():
        assert lab.ranks(), "the job ended before its server did"
    lab.wait_for_state(job_id, "succeeded")
    rows = lab.everything(job_id, "measurements")
    sizes = [8 << 10, 8 << 20]
    keys = [(row["size_bytes"], row["algorithm"], row["in_place"]) for row in rows]
    assert sorted(keys) == sorted(product(sizes, ("mpi", "ring"), (False, True)))
    steps = sorted((step["rank"], step["step"]) for step in lab.everything(job_id, "steps"))
    assert steps == list(product(range(2), range(len(rows) * iterations)))


@pytest.mark.long
def test_auto_goes_by_what_an_earlier_job_measured(lab: Lab) -> None:
    sweep = ("-b", "1K", "-e", "1K", "-n", "4", "-w", "1", "--ranks", "3", "--collective", "reduce")
    unknown = submitted(lab, "auto", *sweep)
    assert all(row["chosen_because"].startswith("tried here: ") for row in unknown)
    before = submitted(lab, "tree,ring,naive,mpi", *sweep)  # all that there are: nothing is left to try
    assert {row["chosen_algorithm"] for row in before} == {None}
    # What auto took in the first job counts as well, unless the second one measured the same again.
    times = {(row["chosen_algorithm"] or row["algorithm"], row["in_place"]): row["p50_us"] for row in unknown + before}
    for row in submitted(lab, "tree,auto", *sweep):
        if row["algorithm"] == "auto":
            rivals = {name: time_us for (name, in_place), time_us in times.items() if in_place is row["in_place"]}
            assert row["chosen_algorithm"] == min(rivals, key=rivals.__getitem__)
            assert row["chosen_because"].startswith(f"measured: {row['chosen_algorithm']} ")
            assert row["wrong"] == 0


def submitted(lab: Lab, algorithms: str, *flags: str) -> list[dict[str, Any]]:
    """The rows of a job that succeeded."""
    done = lab.run("submit", "--wait", "--json", "--algorithm", algorithms, *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    return lab.everything(json.loads(done.stdout)["id"], "measurements")


@pytest.mark.long
def test_a_simulated_job_is_one_process_and_its_rows_are_the_cost_models(lab: Lab) -> None:
    cluster = ("--transport", "simulated", "--topology", "4x8", "--link", "ib200")
    sweep = ("--algorithm", "ring,hierarchical", "-b", "1K", "-e", "1M", "-f", "32", "-n", "6")
    done = lab.run("submit", "--wait", "--json", *cluster, *sweep)
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    rows = lab.everything(job["id"], "measurements")
    spec = JobSpec.model_validate(job["spec"])
    expected = [r for r in simulated_records(spec.benchmark, 0) if isinstance(r, Measurement)]
    assert [(row["algorithm"], row["size_bytes"], row["time_us"]) for row in rows] == [
        (row.algorithm, row.size_bytes, row.time_us) for row in expected
    ]
    assert {(row["transport"], row["ranks"], row["wrong"]) for row in rows} == {("simulated", 32, None)}
    steps = lab.everything(job["id"], "steps")
    assert [step["step"] for step in steps] == list(range(len(rows) * 6))
    assert {(step["transport"], step["rank"]) for step in steps} == {("simulated", 0)}
    assert job["summary"]["verdict"].endswith("(simulated).")
    shown = lab.run("show", str(job["id"])).stdout
    assert "# SIMULATED: times of the cost model for a described cluster (4x8 ranks, ib200 between nodes" in shown
    assert "(simulated)" in lab.run("jobs").stdout
    fitted = lab.run("fit", "--job", str(job["id"]), "--json")
    assert fitted.returncode == 0, fitted.stderr
    document = json.loads(fitted.stdout)
    assert (document["transport"], document["ranks_per_node"]) == ("simulated", 8)
    assert document["median_error"] < 1e-3


@pytest.mark.long
def test_the_first_step_comes_soon_after_the_submission(lab: Lab) -> None:
    done = lab.run("submit", "--wait", "--json", "--ranks", "1", "-e", "8", "-n", "3")
    job = json.loads(done.stdout)
    first_ns = min(step["started_at_ns"] for step in lab.everything(job["id"], "steps"))
    waited = first_ns / 1e9 - datetime.fromisoformat(job["created_at"]).timestamp()
    assert 0 < waited < 10  # 3 s on an idle machine; tests share theirs


@pytest.mark.long
def test_show_and_logs_of_a_finished_job(lab: Lab) -> None:
    done = lab.run("submit", "--wait", "--json", "--ranks", "2", "--algorithm", "direct", "-e", "64", "-n", "2")
    job_id = str(json.loads(done.stdout)["id"])
    shown = lab.run("show", job_id).stdout
    assert "#wrong" in shown
    assert "# Out of bounds values : 0 OK" in shown
    assert lab.run("logs", job_id, "--follow").returncode == 0


def test_ranks_have_the_jobs_variables_no_command_line_has_a_secret_and_cancelling_ends_all(lab: Lab) -> None:
    refused = lab.run_here("submit", "--ranks", "2", "--env", "LD_PRELOAD=/x.so")
    assert refused.returncode == 2
    assert "env.LD_PRELOAD: no node takes this variable; start an agent with --allow-env default" in refused.stderr

    job_id, ranks = lab.start_endless_job(2, env=ENVIRONMENT)
    assert all(ENVIRONMENT.items() <= rank.environ().items() for rank in ranks)
    assert not [one for one in psutil.process_iter(["cmdline"]) if SECRET in " ".join(one.info["cmdline"] or ())]
    assert lab.job(job_id).spec.env == ENVIRONMENT | {"HF_TOKEN": "[removed]"}

    assert lab.run_here("cancel", str(job_id)).returncode == 0
    job = lab.wait_for_state(job_id, "cancelled")
    assert lab.ranks() == []  # at once: a cancelled job is one whose processes are proven gone
    assert job.reason == "user_cancelled"
    again = lab.run_here("cancel", str(job_id))
    assert (again.returncode, again.stderr) == (0, ""), "whoever missed the first answer may ask again"


def test_a_killed_rank_fails_the_job_and_is_named(lab: Lab) -> None:
    job_id, (victim, _) = lab.start_endless_job(2)
    rank = victim.environ()["PMI_RANK"]
    kill_in_a_call(victim)
    job = lab.wait_for_state(job_id, "failed")
    assert job.reason == "rank_signal"
    assert f"rank {rank}" in job.message.lower()
    assert re.search(r"killed by SIGKILL \(9\) in step [01] of an operation\.", job.message)
    assert lab.ranks() == []


@pytest.mark.long
def test_more_jobs_than_slots_wait_their_turn(lab: Lab) -> None:
    sweep = ("submit", "--json", "--ranks", "3", "-e", "64", "-n", "2", "--algorithm", "direct")
    ids = [json.loads(lab.run(*sweep).stdout)["id"] for _ in range(3)]
    jobs = [lab.wait_for_state(job_id, "succeeded") for job_id in ids]
    spans = sorted((job.started_at, job.finished_at) for job in jobs if job.started_at and job.finished_at)
    assert len(spans) == 3
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.long
def test_following_prints_the_end(lab: Lab) -> None:
    done = lab.run("submit", "--follow", "--name", "followed", "--ranks", "2", "-e", "64", "-n", "2")
    assert done.returncode == 0, done.stderr
    assert "followed: succeeded" in done.stdout
    eventually(lambda: lab.ranks() == [], "the end of the ranks")

"""A rank that is slow is named while it runs, a good run is left alone, and a gang that hangs tells where."""

import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from tests.cluster.lab import Lab, eventually, running_lab

from ringscope.cli.connection import token
from ringscope.client import Insight

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
WITHIN_SECONDS = 5.0
CLEAN_SECONDS = 8.0
CLEAN_SWEEPS = 5
HANG_SECONDS = 3


@contextmanager
def slowed(pid: int) -> Iterator[None]:
    """A process that is stopped for a third of the time."""
    is_over = threading.Event()

    def alternate() -> None:
        while not is_over.is_set():
            os.kill(pid, signal.SIGSTOP)
            is_over.wait(0.05)
            os.kill(pid, signal.SIGCONT)
            is_over.wait(0.1)

    turns = threading.Thread(target=alternate)
    turns.start()
    try:
        yield
    finally:
        is_over.set()
        turns.join()
        os.kill(pid, signal.SIGCONT)


def insights(lab: Lab, job_id: int) -> list[Insight]:
    with lab.client() as client:
        return client.insights(job_id)


def test_a_good_run_has_no_insight_and_a_slow_rank_is_named_within_seconds(lab: Lab) -> None:
    job_id, ranks = lab.start_endless_job(4)
    threading.Event().wait(CLEAN_SECONDS)
    assert insights(lab, job_id) == []
    victim = next(process for process in ranks if process.environ()["PMI_RANK"] == "2")
    with slowed(victim.pid):
        (found,) = eventually(lambda: insights(lab, job_id), "an insight", WITHIN_SECONDS)
    with lab.client() as client:
        node = client.nodes()[0].name
        client.cancel(job_id)
    assert (found.kind, found.rank, found.node, found.until) == ("straggler", 2, node, None)
    lab.wait_for_state(job_id, "cancelled")
    eventually(lambda: insights(lab, job_id)[0].until is not None, "the end of the insight with its job")
    assert "straggler at" in lab.run("show", str(job_id)).stdout


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program that counts false insights over many more runs."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import insights

    return insights


def test_good_runs_of_every_shape_have_nothing_to_find(lab: Lab, benchmark: ModuleType) -> None:
    headers = {"Authorization": f"Bearer {token(lab.data_dir)}"}
    with lab.client() as client, httpx.Client(base_url=f"{lab.url}/api/v1/", headers=headers) as api:
        runs = {sweep: benchmark.clean_run(client, api, sweep, CLEAN_SECONDS) for sweep in benchmark.SWEEPS}
        sweeps = [benchmark.clean_sweep(client) for _ in range(CLEAN_SWEEPS)]
    assert runs == {sweep: [] for sweep in benchmark.SWEEPS}
    assert sweeps == [[]] * CLEAN_SWEEPS


def test_a_gang_that_hangs_is_ended_with_the_stack_of_each_rank(data_dir: Path) -> None:
    with running_lab(data_dir, RINGSCOPE_FAULT="deadlock") as (lab, _):
        options = ("--ranks", "3", "--algorithm", "ring", "-b", "1K", "-e", "1K", "--max-attempts", "1")
        done = lab.run("submit", "--wait", *options, "--hang-seconds", str(HANG_SECONDS))
        assert done.returncode == 1 and "hang_detected" in done.stderr, done.stderr
        hang = next(one for one in eventually(lambda: insights(lab, 1), "the insight") if one.kind == "hang")
        assert hang.rank == 2, "who never came to the check, for whom all others wait"
        stacks = {stack["rank"]: stack["stack"] for stack in hang.evidence["stacks"]}
        # faulthandler says "in _check", py-spy "Sweep._check"
        assert re.search(r"in _check\b|_check \(ringscope/", stacks[2]) and not re.search(r"\bawait_\b", stacks[2])
        assert all(re.search(r"\bawait_\b", stacks[rank]) for rank in (0, 1))
        assert hang.evidence["ranks"][0]["rank"] == 2, "who is least far comes first"
        assert re.search(r"in _check\b|_check \(ringscope/", lab.run("insights", "1").stdout)
        assert lab.ranks() == []


HANGING = """
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
value = torch.ones(256)
for step in range(4):
    dist.all_reduce(value)
if dist.get_rank() == 1:
    time.sleep(3600)
dist.all_reduce(value)  # the one that rank 1 never calls
"""


def test_a_script_of_which_a_rank_leaves_out_a_sum_is_explained_by_its_flight_recorder(data_dir: Path) -> None:
    scripts = data_dir / "scripts"
    scripts.mkdir()
    (scripts / "train.py").write_text(HANGING)
    line = 1 + HANGING.splitlines().index("dist.all_reduce(value)  # the one that rank 1 never calls")
    with running_lab(data_dir, "--scripts", str(scripts)) as (lab, _):
        options = ("--ranks", "2", "--script", "train.py", "--max-attempts", "1", "--hang-seconds", str(HANG_SECONDS))
        done = lab.run("submit", "--wait", *options)
        assert done.returncode == 1 and "hang_detected" in done.stderr, done.stderr
        hang = next(one for one in eventually(lambda: insights(lab, 1), "the insight") if one.kind == "hang")
        found = hang.evidence["flight_recorder"]
        assert hang.message.endswith(f"Flight Recorder: {found['answer']}")
        assert found["answer"].startswith("Rank 1 has not issued operation 5 of "), found["answer"]
        assert f"all_reduce at {scripts / 'train.py'}:{line}" in found["answer"], found["answer"]
        assert {finding["kind"] for finding in found["findings"]} == {"missing"}
        assert {stack["rank"] for stack in hang.evidence["stacks"]} == {0, 1}
        assert all("train.py" in stack["stack"] for stack in hang.evidence["stacks"])
        assert lab.ranks() == []

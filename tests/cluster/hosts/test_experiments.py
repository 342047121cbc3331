"""The lecture's experiments on a small lab."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from benchmarks.experiments import __main__ as experiments
from benchmarks.experiments import lab_cluster
from benchmarks.experiments import trial as trials

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
BURST_BYTES = 128 << 10  # what a link that was idle lets pass at once, on its way in and on its way out
DEADLINE_SECONDS = 60.0
needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("tc") is None,
    reason="network namespaces need root, ip and tc",
)


@needs_namespaces
def test_on_real_links_naive_grows_with_the_hosts_and_the_ring_does_not():
    (stage,) = experiments.QUICK
    (made,) = experiments.measured((stage,)).values()
    rows = [trials.Row(**row) for row in made["rows"]]
    seconds = {(row.algorithm, row.ranks): row.measured_s for row in rows}
    assert seconds.keys() == {(name, hosts) for name in ("naive", "ring") for hosts in (2, 3, 4)}
    assert seconds["naive", 2] < seconds["naive", 3] < seconds["naive", 4]
    assert seconds["naive", 4] > 2 * seconds["naive", 2], "three times by the formula"
    assert seconds["ring", 4] < seconds["naive", 4] / 1.5, "a quarter by the formula"
    for row in rows:
        ahead_s = 2 * 2 * BURST_BYTES / made["fabric"]["payload_bytes_per_s"]
        assert row.measured_s > row.predicted_s - ahead_s, "no way but the links"


@needs_namespaces
def test_a_job_crosses_every_link_and_all_of_its_rows_are_stored():
    hosts, size_bytes, iterations = 3, 1 << 20, 2
    trial = trials.Trial(("ring",), hosts, (size_bytes,), iterations)
    with lab_cluster.lab_cluster(hosts, 500_000_000) as cluster:
        before = cluster.sent_bytes()
        job = cluster.run(trial.spec)
        sent_bytes = [after - then for then, after in zip(before, cluster.sent_bytes(), strict=True)]
        rows, steps = cluster.client.measurements(job.id), list(cluster.client.steps(job.id))
    assert job.attempts[-1].nodes == ["h1", "h2", "h3"]
    assert [(row.size_bytes, row.in_place) for row in rows] == [
        (4096, False),
        (4096, True),
        (size_bytes, False),
        (size_bytes, True),
    ]
    assert {(step.rank, step.step) for step in steps} == {
        (rank, step) for rank in range(hosts) for step in range(len(rows) * iterations)
    }
    calls = 2 * (iterations + 1)  # out of place and in place, each with a warm-up
    ring_bytes = calls * 2 * (hosts - 1) / hosts * size_bytes
    assert all(ring_bytes < sent < 1.2 * ring_bytes + 200_000 for sent in sent_bytes), sent_bytes


@needs_namespaces
def test_told_to_stop_it_takes_everything_down():
    command = [sys.executable, "-m", "benchmarks.experiments", "--quick"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    prefix = f"{lab_cluster.DATA_DIR_PREFIX}{running.pid}-"
    line = running.stdout.readline()
    assert "4 hosts at 200 Mbit/s, ready" in line
    (folder,) = Path(tempfile.gettempdir()).glob(f"{prefix}*")
    lab = lab_cluster.Lab(folder)
    assert len(namespaces(lab.prefix)) == 5
    running.terminate()
    assert running.wait(timeout=DEADLINE_SECONDS) == 143, running.stderr.read()
    running.stdout.close()
    running.stderr.close()
    assert not folder.exists()
    assert namespaces(lab.prefix) == []


@needs_namespaces
def test_the_next_run_takes_down_what_a_killed_one_left():
    code = "import os; from benchmarks.experiments import lab_cluster as it"
    code += "\nwith it.lab_cluster(2, 10**9): os.kill(os.getpid(), 9)"
    dead = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    dead.wait(timeout=DEADLINE_SECONDS)
    (folder,) = Path(tempfile.gettempdir()).glob(f"{lab_cluster.DATA_DIR_PREFIX}{dead.pid}-*")
    lab = lab_cluster.Lab(folder)
    assert len(namespaces(lab.prefix)) == 3
    lab_cluster.remove_abandoned()
    assert namespaces(lab.prefix) == []
    assert not folder.exists()


def test_without_root_one_line_says_so():
    code = "import os, sys; from benchmarks.experiments import __main__ as it; os.geteuid = lambda: 1000"
    code += "; sys.argv = ['it']; it.exit_with(it.main)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == "it: Shaped links need root (network namespaces); run them with sudo.\n"
    assert (done.returncode, done.stdout) == (2, "")


def namespaces(prefix: str) -> list[str]:
    """Return the network namespaces that are left; a namespace goes some moments after the processes in it."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.startswith(prefix)]

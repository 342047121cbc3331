"""The benchmarks' network of namespaces: traffic crosses its links, and nothing of it stays behind."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.engine import network
from benchmarks.engine.gangs import on_hosts
from benchmarks.engine.measure import MeasurePlan
from benchmarks.report import Target

ROOT = Path(__file__).parents[3]

needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("tc") is None,
    reason="network namespaces need root, ip and tc",
)
MESSAGE_BYTES = 256 << 10


def namespaces(pid: int) -> list[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.startswith(f"rsbench-{pid}-")]


@pytest.mark.long
@needs_namespaces
def test_every_byte_crosses_the_shaped_links():
    plan = MeasurePlan(("ring", "mpi"), (MESSAGE_BYTES,), 1, "mpi", block_us=0, min_iterations=8, device=network.DEVICE)
    with network.Network(2, 100_000_000) as links:
        rows = on_hosts(links, plan)
        assert len(namespaces(os.getpid())) == 3
    assert namespaces(os.getpid()) == []
    assert [row.algorithm for row in rows] == ["ring", "mpi"]
    for row in rows:
        assert row.sent_bytes is not None
        assert MESSAGE_BYTES < row.sent_bytes < 1.2 * MESSAGE_BYTES, "2(p-1)/p of the message, and headers"
        burst_bytes = 128 << 10
        fastest_us = (MESSAGE_BYTES * row.iterations - burst_bytes) / links.payload_bytes_per_s / row.iterations * 1e6
        assert row.time_us > fastest_us


@needs_namespaces
def test_the_next_run_removes_what_a_killed_one_left():
    code = "import os; from benchmarks.engine.network import Network\nwith Network(2, 10**8): os.kill(os.getpid(), 9)"
    dead = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    assert dead.wait(timeout=120) == -signal.SIGKILL
    assert len(namespaces(dead.pid)) == 3
    network.remove_abandoned()
    assert namespaces(dead.pid) == []


@needs_namespaces
def test_a_failure_while_building_leaves_nothing():
    with pytest.raises(network.NetworkError, match=r"^tc .* burst .*: "), network.Network(2, -1):
        raise AssertionError("a network without a rate was built")
    assert namespaces(os.getpid()) == []


def test_without_root_one_line_says_so(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        network.NetworkError, match=r"^Shaped links need root \(network namespaces\); run them with sudo"
    ):
        network.require_network()


def test_a_target_says_what_was_asked_and_whether_it_is_met():
    missed, met = Target("times mpi", 4.0, 3.9), Target("median error", 0.15, 0.1, at_most=True)
    assert str(missed).strip() == "MISSED  times mpi: 3.9 (asked >= 4)"
    assert str(met).strip() == "met  median error: 0.1 (asked <= 0.15)"

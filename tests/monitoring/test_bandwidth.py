"""Prometheus computes the same bus bandwidth of a run, from its first scrape to its last, as its rows have."""

import json
import shutil

import pytest
from tests.cluster.lab import Lab, eventually
from tests.monitoring.prometheus import Prometheus

from ringscope.contracts.words.collectives import bus_factor

RANKS = 2
SWEEP = ("--ranks", str(RANKS), "--algorithm", "ring,direct", "-b", "1K", "-e", "16M", "-n", "100")
BUS_BYTES, SECONDS = "ringscope_rank_collective_bus_bytes_total", "ringscope_rank_collective_seconds_total"
ALLOWED = 0.02

pytestmark = pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is missing")


@pytest.fixture
def job_id(lab: Lab, prometheus: Prometheus) -> int:
    """A job that was scraped from its beginning to its end."""
    eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
    done = lab.run_here("submit", "--json", "--wait", *SWEEP)
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["id"])


def steps(lab: Lab, job_id: int) -> list[dict[str, float]]:
    exported = lab.run_here("steps", str(job_id), "--export", "ndjson")
    assert exported.returncode == 0, exported.stderr
    return [json.loads(line) for line in exported.stdout.splitlines()]


def bytes_and_seconds(rows: list[dict[str, float]]) -> tuple[float, float]:
    """Bus bytes and seconds in collectives, over all ranks."""
    factor = bus_factor("all_reduce", RANKS)
    return sum(row["bytes"] * factor for row in rows), sum(row["communication_us"] for row in rows) / 1e6


@pytest.mark.long  # the gate looks at some seconds of a run: test_prometheus.py
def test_the_bus_bandwidth_over_a_run_is_that_of_its_rows(lab: Lab, prometheus: Prometheus, job_id: int) -> None:
    bus_bytes, seconds = bytes_and_seconds(steps(lab, job_id))
    labels = f'{{job_id="{job_id}",op="all_reduce"}}[5m]'
    seen = f"sum(max_over_time({SECONDS}{labels}))"
    eventually(lambda: (prometheus.value(seen) or 0) == pytest.approx(seconds), "a scrape of the last steps")
    computed = prometheus.value(f"sum(increase({BUS_BYTES}{labels})) / sum(increase({SECONDS}{labels}))")
    assert computed == pytest.approx(bus_bytes / seconds, rel=ALLOWED)

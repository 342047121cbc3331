"""What Prometheus says of a run, from scrapes or filled in later, is what the rows say."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cluster.lab import Lab, eventually
from tests.monitoring.prometheus import Prometheus

from ringscope.contracts.collectives import bus_factor

RANKS = 2
SWEEP = ("--ranks", str(RANKS), "--algorithm", "ring,direct", "-b", "1K", "-e", "16M", "-n", "100")
BUS_BYTES, SECONDS = "ringscope_rank_collective_bus_bytes_total", "ringscope_rank_collective_seconds_total"
ALLOWED = 0.02

pytestmark = pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is missing")


@pytest.fixture(scope="module")
def job_id(lab: Lab, prometheus: Prometheus) -> int:
    """A job that was scraped from its beginning to its end."""
    eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
    done = lab.run("submit", "--json", "--wait", *SWEEP)
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["id"])


def steps(lab: Lab, job_id: int) -> list[dict[str, float]]:
    exported = lab.run("steps", str(job_id), "--export", "ndjson")
    assert exported.returncode == 0, exported.stderr
    return [json.loads(line) for line in exported.stdout.splitlines()]


def bytes_and_seconds(rows: list[dict[str, float]]) -> tuple[float, float]:
    """Bus bytes and seconds in collectives, over all ranks."""
    factor = bus_factor("all_reduce", RANKS)
    return sum(row["bytes"] * factor for row in rows), sum(row["communication_us"] for row in rows) / 1e6


def test_the_bus_bandwidth_over_a_run_is_that_of_its_rows(lab: Lab, prometheus: Prometheus, job_id: int) -> None:
    bus_bytes, seconds = bytes_and_seconds(steps(lab, job_id))
    labels = f'{{job_id="{job_id}",op="all_reduce"}}[5m]'
    seen = f"sum(max_over_time({SECONDS}{labels}))"
    eventually(lambda: (prometheus.value(seen) or 0) == pytest.approx(seconds), "a scrape of the last steps")
    computed = prometheus.value(f"sum(increase({BUS_BYTES}{labels})) / sum(increase({SECONDS}{labels}))")
    assert computed == pytest.approx(bus_bytes / seconds, rel=ALLOWED)


def test_promtool_takes_the_export_and_keeps_its_sums(lab: Lab, job_id: int, tmp_path: Path) -> None:
    exported = lab.run("steps", str(job_id), "--export", "openmetrics")
    file, blocks = tmp_path / "job.om", tmp_path / "blocks"
    file.write_text(exported.stdout)
    made = subprocess.run(
        ["promtool", "tsdb", "create-blocks-from", "openmetrics", file, blocks], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (blocks / "wal").mkdir()  # without which promtool reads no blocks
    dumped = subprocess.run(["promtool", "tsdb", "dump", blocks], capture_output=True, text=True, check=True).stdout
    last: dict[str, float] = {}
    for line in dumped.splitlines():
        found = re.fullmatch(r"(\{.*\}) (\S+) \d+", line)
        assert found is not None, line
        last[found[1]] = float(found[2])
    rows = steps(lab, job_id)

    def total(name: str) -> float:
        return sum(value for labels, value in last.items() if f'__name__="{name}"' in labels)

    bus_bytes, seconds = bytes_and_seconds(rows)
    assert total("ringscope_rank_steps_total") == len(rows)
    assert total(BUS_BYTES) == pytest.approx(bus_bytes)
    assert total(SECONDS) == pytest.approx(seconds)

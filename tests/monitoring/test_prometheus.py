"""A real Prometheus with our own configuration scrapes a real server and a real agent while a job runs."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.cluster.lab import Lab, eventually
from tests.monitoring.prometheus import Prometheus
from tests.monitoring.rules import FOLDER, promtool
from tests.monitoring.test_bandwidth import BUS_BYTES, RANKS, SECONDS, bytes_and_seconds, steps

ALGORITHMS = ("ring", "direct", "mpi")
# Many short timed blocks, again and again until it is cancelled: the counters move at the end of each block.
ENDLESS = {
    "algorithms": ALGORITHMS,
    "min_bytes": 1 << 10,
    "max_bytes": 4 << 20,
    "step_factor": 64,
    "iterations": 20,
    "cycles": 5_000,
}
SWEEP = ("--ranks", str(RANKS), "--algorithm", ",".join(ALGORITHMS), "-b", "1K", "-e", "64K", "-f", "8", "-n", "20")
BUS_BANDWIDTH = (
    'sum(rate(ringscope_rank_collective_bus_bytes_total{{job_id="{job_id}",op="all_reduce"}}[5s]))'
    ' / sum(rate(ringscope_rank_collective_seconds_total{{job_id="{job_id}",op="all_reduce"}}[5s]))'
)
SUCCEEDED = 'sum(ringscope_jobs_finished_total{outcome="succeeded"})'

pytestmark = pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is missing")


def test_both_are_found_and_scraped(lab: Lab, prometheus: Prometheus) -> None:
    eventually(lambda: prometheus.value('up{job="ringscope-server"}') == 1, "a scrape of the server")
    eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
    with lab.client() as client:
        (node,) = client.nodes()
    assert prometheus.value(f'up{{job="ringscope-agents",node="{node.name}"}}') == 1
    assert prometheus.value(f'ringscope_node_up{{node="{node.name}"}}') == 1


@dataclass(frozen=True)
class Finished:
    """A job that has succeeded, and how many had before it."""

    job_id: int
    before: float


@pytest.fixture(scope="module")
def finished(lab: Lab, prometheus: Prometheus) -> Finished:
    eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
    before = prometheus.value(SUCCEEDED) or 0
    done = lab.run_here("submit", "--json", "--wait", *SWEEP)
    assert done.returncode == 0, done.stderr
    return Finished(int(json.loads(done.stdout)["id"]), before)


def test_promtool_takes_the_export_and_keeps_its_sums(lab: Lab, finished: Finished, tmp_path: Path) -> None:
    exported = lab.run_here("steps", str(finished.job_id), "--export", "openmetrics")
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
    rows = steps(lab, finished.job_id)

    def total(name: str) -> float:
        return sum(value for labels, value in last.items() if f'__name__="{name}"' in labels)

    bus_bytes, seconds = bytes_and_seconds(rows)
    assert total("ringscope_rank_steps_total") == len(rows)
    assert total(BUS_BYTES) == pytest.approx(bus_bytes)
    assert total(SECONDS) == pytest.approx(seconds)


def test_a_running_jobs_bus_bandwidth_lies_between_those_of_its_steps(lab: Lab, prometheus: Prometheus) -> None:
    eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
    with lab.client() as client:
        job_id = client.submit({"benchmark": ENDLESS, "placement": {"ranks": RANKS}}).id
        expression = BUS_BANDWIDTH.format(job_id=job_id)
        measured = eventually(lambda: prometheus.value(expression), "a bus bandwidth")
        client.cancel(job_id)
        lab.wait_for_state(job_id, "cancelled")
    each = [bus_bytes / seconds for bus_bytes, seconds in (bytes_and_seconds([step]) for step in steps(lab, job_id))]
    # A ratio of sums over some seconds lies between the slowest and the fastest of the steps in them, whatever stalls
    # some of them. The long test in test_bandwidth.py compares a whole run.
    assert 0 < min(each) < measured < max(each)


@pytest.mark.parametrize("name", ["prometheus.yml", "containers.yml"])
def test_promtool_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a token, which promtool looks for\n")
    text = (FOLDER / name).read_text()
    for path in ("/run/secrets/metrics-token", "admin-token"):
        text = text.replace(f"credentials_file: {path}", f"credentials_file: {token}")
    config = tmp_path / name
    config.write_text(text)
    shutil.copytree(FOLDER / "rules", tmp_path / "rules")
    done = promtool("check", "config", config)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rule files found" in done.stdout
    config.write_text(text.replace("static_configs", "static_config"))
    assert promtool("check", "config", config).returncode != 0


def test_prometheus_knows_the_flags_that_compose_gives_it() -> None:
    service = yaml.safe_load((FOLDER.parents[1] / "docker-compose.yml").read_text())["services"]["prometheus"]
    known = subprocess.run(["prometheus", "--help"], capture_output=True, text=True).stdout
    for flag in service["command"]:
        name, _, value = flag.partition("=")
        assert name in known
        assert name != "--enable-feature" or value in known


def test_every_step_of_a_job_is_counted_and_then_its_series_end(
    lab: Lab, prometheus: Prometheus, finished: Finished
) -> None:
    # The last to look at that job: its series stay for some seconds, in which the tests above do something else.
    labels = f'{{job_id="{finished.job_id}"}}'
    counted = f"sum(max_over_time(ringscope_rank_steps_total{labels}[10m]))"
    told = len(steps(lab, finished.job_id))
    assert told > 0
    eventually(lambda: prometheus.value(counted) == told, "the last scrape to count every step")
    seen = f"count(ringscope_rank_steps_total{labels})"
    eventually(lambda: prometheus.value(seen) is None, "the end of the job's series")
    eventually(lambda: prometheus.value(SUCCEEDED) == finished.before + 1, "the count")

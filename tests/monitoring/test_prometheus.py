"""A real Prometheus with our own configuration scrapes a real server and a real agent while a job runs."""

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.cluster.lab import Lab, eventually, running, running_lab

CONFIG = Path(__file__).parents[2] / "deploy" / "prometheus" / "prometheus.yml"
# Many short timed blocks, for about ten seconds: the counters move at the end of each block.
SWEEP = ("--ranks", "2", "--algorithm", "ring,direct,mpi", "-b", "1K", "-e", "16M", "-n", "100")
BUS_BANDWIDTH = (
    'sum(rate(ringscope_rank_collective_bus_bytes_total{{job_id="{job_id}",op="all_reduce"}}[5s]))'
    ' / sum(rate(ringscope_rank_collective_seconds_total{{job_id="{job_id}",op="all_reduce"}}[5s]))'
)

pytestmark = pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is missing")


class Prometheus:
    """A running Prometheus, asked through its HTTP API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **query: str) -> Any:
        try:
            answer = httpx.get(f"{self.url}/api/v1/{path}", params=query, trust_env=False)
        except httpx.TransportError:
            return None
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:  # it still starts
            return None
        return answer.raise_for_status().json()["data"]

    def value(self, expression: str) -> float | None:
        """The one sample that an expression gives now, if it gives one."""
        data = self.get("query", query=expression)
        samples = data["result"] if data else []
        assert len(samples) <= 1, samples
        value = float(samples[0]["value"][1]) if samples else None
        return value if value == value else None  # 0/0 is no bandwidth yet


@contextmanager
def running_prometheus(server_url: str, directory: Path) -> Iterator[Prometheus]:
    """deploy/prometheus/prometheus.yml beside the admin token, only with the port of this test's server."""
    config = directory / "prometheus.yml"
    config.write_text(CONFIG.read_text().replace("127.0.0.1:8000", server_url.removeprefix("http://")))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = (
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={directory / 'tsdb'}",
        f"--web.listen-address={address}",
    )
    with running(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)):
        prometheus = Prometheus(f"http://{address}")
        eventually(lambda: prometheus.get("targets"), "Prometheus' readiness")
        yield prometheus


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_lab(Path(path)) as (lab, _):
        yield lab


@pytest.fixture(scope="module")
def prometheus(lab: Lab) -> Iterator[Prometheus]:
    with running_prometheus(lab.url, lab.data_dir) as prometheus:
        yield prometheus


def test_both_are_found_and_scraped(lab: Lab, prometheus: Prometheus) -> None:
    eventually(lambda: prometheus.value('up{job="ringscope-server"}') == 1, "a scrape of the server")
    eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
    with lab.client() as client:
        (node,) = client.nodes()
    assert prometheus.value(f'up{{job="ringscope-agents",node="{node.name}"}}') == 1
    assert prometheus.value(f'ringscope_node_up{{node="{node.name}"}}') == 1


def test_a_running_jobs_bus_bandwidth_is_that_of_its_rows(lab: Lab, prometheus: Prometheus) -> None:
    with lab.client() as client:
        eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
        submit = lab.start("submit", "--follow", *SWEEP)
        with running(submit):
            eventually(lambda: client.jobs(state="running"), "a running job")
            (job,) = client.jobs(state="running")
            expression = BUS_BANDWIDTH.format(job_id=job.id)
            measured = eventually(lambda: prometheus.value(expression), "a bus bandwidth")
            assert submit.wait(timeout=120) == 0
        rows = [row.busbw_gb_per_s for row in client.measurements(job.id)]
    # A ratio of sums over some seconds is a weighted mean of the rows in them.
    assert 0 < min(rows) * 0.5 < measured / 1e9 < max(rows) * 2
    steps = f'sum(max_over_time(ringscope_rank_steps_total{{job_id="{job.id}"}}[2m]))'
    eventually(lambda: prometheus.value(steps) == 2 * 100 * len(rows), "the last scrape to count every step")
    seen = f'count(ringscope_rank_steps_total{{job_id="{job.id}"}})'
    eventually(lambda: prometheus.value(seen) is None, "the end of the job's series")
    assert eventually(lambda: prometheus.value('ringscope_jobs_finished_total{outcome="succeeded"}'), "the count") == 1

"""A real Prometheus with our own configuration scrapes a real server and a real agent while a job runs."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.cluster.lab import Lab, eventually, running
from tests.monitoring.prometheus import Prometheus
from tests.monitoring.rules import FOLDER, promtool

# Many short timed blocks, for about ten seconds: the counters move at the end of each block.
SWEEP = ("--ranks", "2", "--algorithm", "ring,direct,mpi", "-b", "1K", "-e", "16M", "-n", "100")
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


def test_a_running_jobs_bus_bandwidth_is_that_of_its_rows(lab: Lab, prometheus: Prometheus) -> None:
    with lab.client() as client:
        eventually(lambda: prometheus.value('up{job="ringscope-agents"}') == 1, "a scrape of the agent")
        before = prometheus.value(SUCCEEDED) or 0
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
    assert eventually(lambda: prometheus.value(SUCCEEDED) == before + 1, "the count")


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

"""promtool finds nothing to say about the pages of a real server and a real agent while a job runs."""

import re
import shutil
import subprocess

import httpx
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tests.cluster.lab import Lab, eventually

from ringscope.cli.connection import token
from ringscope.contracts.metrics.agent import AGENT
from ringscope.contracts.metrics.collector import COLLECTOR
from ringscope.contracts.metrics.insights import INSIGHTS
from ringscope.contracts.metrics.server import SERVER

OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}
ENDLESS = {
    "benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 200, "cycles": 10_000},
    "placement": {"ranks": 2},
}

pytestmark = [pytest.mark.long, pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing")]


def pages(lab: Lab) -> dict[str, tuple[str, dict[str, str]]]:
    """URL and headers of each page."""
    with lab.client() as client:
        (group,) = client.targets()
    bearer = {"Authorization": f"Bearer {token(lab.data_dir)}"}
    return {"server": (f"{lab.url}/metrics", bearer), "agent": (f"http://{group.targets[0]}/metrics", {})}


def test_both_pages_of_a_running_job_are_clean_and_declared(lab: Lab) -> None:
    declared = {family.name for table in (AGENT, SERVER, INSIGHTS, COLLECTOR) for family in table.families}
    with lab.client() as client:
        job = client.submit(ENDLESS)
        try:
            url, _ = pages(lab)["agent"]
            counted = re.compile(
                rf'^ringscope_rank_collectives_total{{job_id="{job.id}",.*rank="1"}} [1-9]', re.MULTILINE
            )
            eventually(lambda: counted.search(httpx.get(url, timeout=60).text), "counted collectives")
            for name, (url, headers) in pages(lab).items():
                page = httpx.get(url, headers=headers, timeout=60)
                done = subprocess.run(["promtool", "check", "metrics"], input=page.content, capture_output=True)
                assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), name
                exposed = text_string_to_metric_families(httpx.get(url, headers=headers | OPENMETRICS, timeout=60).text)
                names = {family.name + ("_total" if family.type == "counter" else "") for family in exposed}
                assert names <= declared and len(names) > 15, names - declared
        finally:
            client.cancel(job.id)

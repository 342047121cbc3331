"""The page of a starting job shows the nodes for which it waits, and folds them with the attempt afterwards."""

import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from tests.cluster.lab import Lab, eventually, running
from tests.web.browsing import Site, Visit, visiting

from ringscope.client import is_ready
from ringscope.contracts.protocol import HEARTBEAT_SECONDS

pytestmark = pytest.mark.long

NODES = ("h1", "h2", "h3")
JOB = {"name": "three hosts", "placement": {"ranks": 12, "nodes": 3}, "benchmark": {"max_bytes": 1024}}


class Hosts:
    """Three agents' side of the protocol, said by the test: what a page shows of it can be looked at for long."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._tokens = {name: self._join(name) for name in NODES}
        self._epochs = {name: self._register(name) for name in NODES}
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat)
        self._beating.start()

    def close(self) -> None:
        self._ended.set()
        self._beating.join()

    def poll(self, name: str, **clock: float) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._post(f"{name}/poll", {"epoch": self._epochs[name]} | clock)["assignments"]
        return found

    def report(self, name: str, event: str, **more: str) -> None:
        attempt_id = self.poll(name)[-1]["attempt_id"]
        body = {"epoch": self._epochs[name], "attempt_id": attempt_id, "event": event} | more
        self._post(f"{name}/reports", body)

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            for name in NODES:
                self.poll(name)

    def _register(self, name: str) -> int:
        inventory = {"hostname": name, "os": "Linux", "cpu_model": "x", "cores": 4, "memory_bytes": 1 << 30}
        body = {"name": name, "address": name, "slots": 4, "metrics_address": f"{name}:1", "versions": {}}
        return int(self._post("register", body | {"inventory": inventory})["epoch"])

    def _join(self, name: str) -> str:
        join_token = (self.site.lab.data_dir / "join-token").read_text().strip()
        return str(self._send("join", join_token, {"name": name})["token"])

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        name = body["name"] if path == "register" else path.partition("/")[0]
        return self._send(path, self._tokens[name], body)

    def _send(self, path: str, token: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(f"{self.site.url}/api/v1/agents/{path}", headers=headers, json=body).raise_for_status()
        return answer.json() if answer.content else None


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """A server of its own, and three nodes on it."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path:
        lab = Lab(Path(path), RINGSCOPE_START_DEADLINE_SECONDS="600")
        with running(lab.start("server", "--port", "0")):
            eventually(lambda: is_ready(lab.url), "the server's readiness")
            with lab.client() as client:
                link = client.login_link().url
            hosts = Hosts(Site(lab, link))
            yield hosts
            hosts.close()


def test_a_starting_job_shows_live_which_node_the_others_wait_for(browser: Browser, hosts: Hosts) -> None:
    hosts.poll("h1", clock_offset_seconds=0.00123, clock_error_seconds=0.0004)
    job_id = hosts.site.post("/jobs", JOB).json()["id"]
    hosts.site.lab.wait_for_state(job_id, "starting")
    with visiting(browser, hosts.site) as visit:
        page = visit.open(f"/jobs/{job_id}")
        outcome, table = (
            page.get_by_role("region", name="Outcome"),
            page.get_by_role("table", name="Nodes of attempt 1"),
        )
        expect(outcome).to_contain_text("Waits for 3 of 3 nodes to be ready: h1, h2, h3.")
        expect(table).to_be_visible()
        for name in ("h1", "h3"):
            hosts.report(name, "ready")
        expect(outcome).to_contain_text("Waits for node h2 of 3 to be ready.")
        expect(table.get_by_role("row", name="h2")).to_contain_text("assigned for")
        expect(table.get_by_role("row", name="h3")).to_contain_text("8-11")
        assert visit.violations() == []
        visit.shoot("job-starting")
        hosts.report("h2", "ready")
        expect(outcome).to_contain_text("Waits for 3 of 3 nodes to start ranks: h1, h2, h3.")
        finish(visit, hosts)


def finish(visit: Visit, hosts: Hosts) -> None:
    """Let the job run and fail, with the table folded until it is opened."""
    page = visit.page
    table = page.get_by_role("table", name="Nodes of attempt 1")
    for name in NODES:
        hosts.report(name, "running")
    expect(page.locator("header").get_by_text("running")).to_be_visible()
    expect(table).to_be_hidden()
    for name in NODES:
        hosts.report(name, "ended", reason="rank_exit", message="Rank 0 on node h1 ended with exit code 1.")
    for name in NODES:
        hosts.report(name, "clean")
    expect(page.locator("header").get_by_text("failed")).to_be_visible()
    page.get_by_text("Attempt 1 on 3 nodes").click()
    row = table.get_by_role("row", name="h1")
    expect(row).to_contain_text("+1.23 ± 0.40 ms")
    expect(row).to_contain_text("clean")
    expect(table.get_by_role("row", name="h2")).to_contain_text("not known")
    expect(row).to_contain_text(re.compile(r"(\+[\d.]+ (s|min).*){4}"))
    assert visit.violations() == []
    visit.shoot("job-nodes")

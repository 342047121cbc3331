"""Real processes, and a real Chromium that looks at them."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.cluster.lab import Lab, eventually, running, running_lab
from tests.web.browsing import FLAGS, Site, Visit, visiting

from ringscope.client import is_ready

MEASURING = ("test_speed.py", "test_many_jobs.py")
FIRST_SWEEP = {
    "name": "first sweep",
    "benchmark": {
        "algorithms": ["ring", "mpi"],
        "min_bytes": 1024,
        "max_bytes": 16384,
        "iterations": 150,
        "warmup": 1,
        "trace": True,
    },
    "placement": {"ranks": 2},
}
# Neither is ever due while the tests run.
WEBHOOK = {"name": "seeded", "url": "http://127.0.0.1:9/hook", "events": ["node.removed"]}
SCHEDULE = {"name": "seeded", "cron": "0 0 29 2 *", "spec": FIRST_SWEEP}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that measure first: the server and agent of ``site`` run until the end and take core time."""
    items.sort(key=lambda item: MEASURING.index(item.path.name) if item.path.name in MEASURING else len(MEASURING))


def find_chromium() -> str:
    """Return the path of the browser that the variable CHROMIUM or the PATH names.

    The shell, which shows nothing on any screen, takes a sixth less of the cores.
    """
    named = os.environ.get("CHROMIUM")
    executable = named or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert executable, "chromium was not found; install it, or name one in the variable CHROMIUM"
    return executable


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """`ringscope up` with four slots, a job that succeeded, a webhook, a schedule, and the login link it printed."""
    with (
        tempfile.TemporaryDirectory(prefix="ringscope-") as path,
        running_lab(
            # A test's webhooks lead to its own machine.
            Path(path),
            *("--scripts", path),
            RINGSCOPE_WEBHOOK_PRIVATE_ADDRESSES="127.0.0.0/8",
        ) as (lab, up),
    ):
        assert up.stdout is not None
        site = Site(lab, printed_login_link(up.stdout))
        job_id = site.post("/jobs", FIRST_SWEEP).raise_for_status().json()["id"]
        site.post("/webhooks", WEBHOOK).raise_for_status()
        site.post("/schedules", SCHEDULE).raise_for_status()
        lab.wait_for_state(job_id, "succeeded")
        yield site


@pytest.fixture(scope="module")
def empty_site() -> Iterator[Site]:
    """A server that no agent has called and that has no job."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path:
        lab = Lab(Path(path))
        with running(lab.start("server", "--port", "0")):
            eventually(lambda: is_ready(lab.url), "the server's readiness")
            with lab.client() as client:
                link = client.login_link().url
            yield Site(lab, link)


@pytest.fixture(scope="module")
def pair_site() -> Iterator[Site]:
    """Two nodes on one machine, for one module: other sites have one."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_lab(Path(path)) as (lab, up):
        assert up.stdout is not None
        site = Site(lab, printed_login_link(up.stdout))
        options = {
            "server": lab.url,
            "name": "second",
            "address": "127.0.0.2",
            "slots": "2",
            "metrics-port": "0",
            "join-token-file": str(lab.data_dir / "join-token"),
            "data-dir": str(lab.data_dir / "second"),
        }
        flags = (word for name, value in options.items() for word in (f"--{name}", value))
        with running(lab.start("agent", *flags)):
            eventually(lambda: len(site.get("/nodes")["items"]) == 2, "the second node")
            yield site


@pytest.fixture(scope="module")
def faulty_site() -> Iterator[Site]:
    """`ringscope up` whose ranks spoil an element of each result, and a job that failed by that."""
    with ExitStack() as stack:
        path = stack.enter_context(tempfile.TemporaryDirectory(prefix="ringscope-"))
        lab, up = stack.enter_context(running_lab(Path(path), RINGSCOPE_FAULT="wrong_element"))
        assert up.stdout is not None
        lab.run("submit", "--name", "spoiled", "--ranks", "2", "-b", "1K", "-e", "1K", "-n", "2", "--wait")
        assert lab.job(1).state == "failed"
        yield Site(lab, printed_login_link(up.stdout))


@pytest.fixture(scope="module")
def hung_site() -> Iterator[Site]:
    """`ringscope up` whose last rank never comes to a check, so that a job hangs."""
    with ExitStack() as stack:
        path = stack.enter_context(tempfile.TemporaryDirectory(prefix="ringscope-"))
        lab, up = stack.enter_context(running_lab(Path(path), RINGSCOPE_FAULT="deadlock"))
        assert up.stdout is not None
        yield Site(lab, printed_login_link(up.stdout))


def printed_login_link(output: IO[str]) -> str:
    """The link in what `ringscope up` prints."""
    for line in output:
        found = re.search(r"http\S+/login\?token=\S+", line)
        if found:
            return found[0]
    raise AssertionError("ringscope up printed no login link")


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Visit]:
    """A logged-in tab that has opened nothing of ``site`` yet."""
    with visiting(browser, site) as visit:
        yield visit


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit.page


@pytest.fixture
def stranger(browser: Browser, site: Site) -> Iterator[Visit]:
    """Yield a tab without a login."""
    with visiting(browser, site, has_own_session=True) as visit:
        visit.expect_error("401")
        visit.page.context.clear_cookies()
        yield visit

"""Steps on the page while the job runs: how they look, and when they stand still. That they appear: test_job.py."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect
from tests.cluster.lab import eventually
from tests.web.browsing import Site, visiting

pytestmark = pytest.mark.long

# Many sizes: its steps come one size after another for as long as the test looks.
SWEEP = {
    "name": "many sizes",
    "benchmark": {
        "algorithms": ["ring"],
        "min_bytes": 1024,
        "max_bytes": 4 << 20,
        "step_bytes": 1024,
        "iterations": 100,
    },
    "placement": {"ranks": 2},
}


@pytest.fixture
def sweeping(site: Site) -> Iterator[int]:
    """A job that runs until the test is over."""
    job_id = int(site.post("/jobs", SWEEP).json()["id"])
    site.lab.wait_for_state(job_id, "running")
    yield job_id
    site.post(f"/jobs/{job_id}/cancel", {})
    site.lab.wait_for_state(job_id, "cancelled")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_steps_are_there_after_a_reload_accessible_and_stand_still_when_held(
    browser: Browser, site: Site, sweeping: int, scheme: Literal["light", "dark"], width: int
) -> None:
    with visiting(browser, site, scheme, width) as visit:
        page = visit.open(f"/jobs/{sweeping}")
        card = page.get_by_role("region", name="Steps now", exact=True)
        table = card.get_by_role("table", name="What each rank is at")
        expect(table.locator("tbody tr")).to_have_count(2)
        page.reload()
        expect(table.locator("tbody tr")).to_have_count(2)
        card.get_by_role("button", name="Pause").click()
        held = table.inner_text()
        rows_done = site.get(f"/jobs/{sweeping}")["progress"]["done"]
        eventually(lambda: site.get(f"/jobs/{sweeping}")["progress"]["done"] > rows_done + 4, "more rows")
        assert table.inner_text() == held
        visit.shoot(f"job-steps-{scheme}-{width}")
        assert visit.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        card.get_by_role("button", name="Resume").click()
        expect(table).not_to_have_text(held)

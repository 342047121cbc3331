"""Steps on the page while the job runs."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from tests.web.browsing import Site, Visit

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


def test_steps_appear_while_the_job_runs_and_go_when_it_is_over(visit: Visit, sweeping: int) -> None:
    page = visit.open(f"/jobs/{sweeping}")
    card = page.get_by_role("region", name="Steps now").first
    rows = card.get_by_role("table", name="What each rank is at").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(re.compile(r"ring .*(in|out of) place"))
    step = rows.first.locator("td").nth(1)
    before = step.inner_text()
    expect(step).not_to_have_text(before)
    assert visit.site.get(f"/jobs/{sweeping}")["state"] == "running"
    page.reload()
    expect(rows).to_have_count(2)
    card.get_by_role("button", name="Hold").click()
    visit.shoot("job-steps")
    assert visit.violations() == []
    visit.site.post(f"/jobs/{sweeping}/cancel", {})
    expect(page.locator("header").get_by_text("cancelled")).to_be_visible()
    expect(card).to_have_count(0)

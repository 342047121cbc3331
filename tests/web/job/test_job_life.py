"""A job's page from the first state to the last: each thing has its place from the start, and nothing moves."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, tell, visiting
from tests.web.shifts import MOST_SHIFT, far_server, shift, shifts

SWEEP = {"algorithms": ["ring", "mpi"], "min_bytes": 1024, "max_bytes": 4096, "iterations": 1000}
ENDLESS = SWEEP | {"iterations": 1_000_000}
# The page is there before anything happens.
LIFE: dict[str, Any] = {"name": "a life", "hold": True, "placement": {"ranks": 2}, "max_attempts": 1}
ENDS: dict[str, dict[str, Any]] = {
    "succeeded": {"benchmark": SWEEP},
    "failed": {"benchmark": ENDLESS, "time_limit_seconds": 2},
    "cancelled": {"benchmark": ENDLESS},
}
DESKTOP, PHONE = 1280, 390


@pytest.mark.long
@pytest.mark.parametrize("width", [DESKTOP, PHONE])
@pytest.mark.parametrize("end", ENDS)
def test_nothing_moves_from_the_first_state_of_a_job_to_its_last(
    browser: Browser, site: Site, end: str, width: int
) -> None:
    job_id = site.post("/jobs", LIFE | ENDS[end]).raise_for_status().json()["id"]
    with visiting(browser, site, width=width) as visit, far_server(visit.page):
        page = visit.open(f"/jobs/{job_id}")
        state = page.locator("header").get_by_text
        expect(state("held")).to_be_visible()
        expect(page.locator("[data-status=live]")).to_be_visible()
        site.post(f"/jobs/{job_id}/release", {}).raise_for_status()
        if end == "cancelled":
            expect(page.get_by_role("table", name="What each rank is at").locator("tbody tr")).to_have_count(2)
            site.post(f"/jobs/{job_id}/cancel", {}).raise_for_status()
        expect(state(end)).to_be_visible()
        stages = page.get_by_role("list", name="What happened").locator("li:not([aria-hidden])")
        expect(stages.last).to_contain_text(end)
        found = shifts(page)
        tell(f"layout shift of a job that {end}, {width} px wide: {shift(found):.4f}")
        assert shift(found) < MOST_SHIFT, found
        visit.shoot(f"job-life-{end}-{width}")
        if width == PHONE:
            assert visit.violations() == []

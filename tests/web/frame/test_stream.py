"""The live stream when the connection breaks: nothing is missing afterwards, and the page says how it stands."""

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.cluster.lab import eventually
from tests.web.browsing import Site, visiting
from tests.web.network_proxy import Cable, Cabled

SWEEP = {
    "benchmark": {
        "algorithms": ["ring"],
        "min_bytes": 1024,
        "max_bytes": 10 * 1024,
        "step_bytes": 1024,
        "iterations": 500,
        "warmup": 1,
    },
    "placement": {"ranks": 2},
}
# It runs until somebody cancels it, with a row now and then and few steps: each step is stored, which takes time.
ENDLESS = {
    "name": "through a bad cable",
    "benchmark": {
        "algorithms": ["ring"],
        "min_bytes": 16 << 20,
        "max_bytes": 18 << 20,
        "step_bytes": 1024,
        "iterations": 10,
    },
    "placement": {"ranks": 2},
    "time_limit_seconds": 600,
}
MORE_ROWS = 6  # of both buffers


def test_rows_that_came_while_the_stream_was_down_are_all_there(browser: Browser, site: Site) -> None:
    def rows() -> int:
        return len(site.get(f"/jobs/{job_id}/measurements?limit=1000")["items"])

    with Cable(site.url) as cable, visiting(browser, Cabled(site.lab, site.link, cable), wears_out=True) as visit:
        visit.expect_error("net::ERR_")
        page = visit.page
        job_id = site.post("/jobs", ENDLESS).json()["id"]
        site.lab.wait_for_state(job_id, "running")
        site.lab.yield_to_others(5)  # and yet its rows come, also beside programs that wait in a loop
        visit.open(f"/jobs/{job_id}")
        expect(page.locator("[data-status=live]")).to_be_visible()
        table = page.get_by_role("table", name="Measurements of ring")
        expect(table.locator("tbody tr").nth(1)).to_be_visible()
        page.evaluate("window.isSameDocument = true")
        cable.cut()
        enough = rows() + MORE_ROWS
        expect(page.locator("[data-status=reconnecting]")).to_be_visible()
        eventually(lambda: rows() >= enough, f"{enough} rows")
        site.post(f"/jobs/{job_id}/cancel", {}).raise_for_status()
        site.lab.wait_for_state(job_id, "cancelled")
        cable.mend()
        expect(page.locator("[data-status=live]")).to_be_visible()
        expect(page.locator("main").get_by_text("cancelled").first).to_be_visible()
        sizes = {row["size_bytes"] for row in site.get(f"/jobs/{job_id}/measurements?limit=1000")["items"]}
        expect(table.locator("tbody tr")).to_have_count(len(sizes))
        assert page.evaluate("window.isSameDocument"), "the page was loaded again"


def test_the_indicator_tells_the_age_of_the_last_event(browser: Browser, site: Site) -> None:
    with visiting(browser, site) as visit:
        page = visit.open("/jobs")
        expect(page.locator("[data-status=live]")).to_be_visible()
        name = site.get("/nodes")["items"][0]["name"]
        site.post(f"/nodes/{name}/drain", {"reason": "an event"}).raise_for_status()
        site.post(f"/nodes/{name}/resume", {}).raise_for_status()
        expect(page.get_by_title("Time since the last event")).to_have_text(re.compile(r"^(now|\d+ s)$"))


HIDE = """isHidden => {
  Object.defineProperty(document, 'hidden', {value: isHidden, configurable: true})
  document.dispatchEvent(new Event('visibilitychange'))
}"""


@pytest.mark.long
def test_a_tab_that_nobody_sees_is_paused_and_has_everything_when_it_is_seen_again(
    browser: Browser, site: Site
) -> None:
    with visiting(browser, site, wears_out=True) as visit:
        page = visit.page
        page.clock.install()
        job_id = site.post("/jobs", SWEEP | {"name": "meanwhile", "hold": True}).json()["id"]
        visit.open(f"/jobs/{job_id}")
        expect(page.locator("[data-status=live]")).to_be_visible()
        page.evaluate(HIDE, True)
        page.clock.fast_forward(6_000)
        expect(page.locator("[data-status=paused]")).to_be_visible()
        site.post(f"/jobs/{job_id}/cancel", {}).raise_for_status()
        expect(page.locator("header").get_by_text("held")).to_be_visible()
        page.evaluate(HIDE, False)
        expect(page.locator("[data-status=live]")).to_be_visible()
        expect(page.locator("header").get_by_text("cancelled")).to_be_visible()


# As a browser does with a page that came over plain HTTP from another machine.
WITHOUT_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', {get: () => undefined})"


@pytest.mark.long
@pytest.mark.parametrize("has_locks", [True, False])
def test_more_tabs_than_a_browser_has_connections_all_show_their_job(
    browser: Browser, site: Site, has_locks: bool
) -> None:
    """A browser opens six connections of HTTP/1.1 to a server for all of its tabs together."""
    with visiting(browser, site, wears_out=True) as visit:
        if not has_locks:
            visit.page.context.add_init_script(WITHOUT_LOCKS)
        job_id = site.post("/jobs", SWEEP | {"name": "in every tab", "hold": True}).json()["id"]
        tabs = [visit.page, *(visit.page.context.new_page() for _ in range(7))]
        for tab in tabs:
            tab.goto(f"{site.url}/jobs/{job_id}")
            expect(tab.get_by_role("heading", name="in every tab", level=1)).to_be_visible()
        for tab in tabs[:3]:
            expect(tab.locator("[data-status=live]")).to_be_visible()
        expect(tabs[-1].locator("[data-status=polling]")).to_be_visible()
        tabs[0].close()
        site.post(f"/jobs/{job_id}/cancel", {}).raise_for_status()
        for tab in tabs[1:]:
            expect(tab.locator("header").get_by_text("cancelled")).to_be_visible()

"""A server that cannot be reached: the page says so, and keeps all that it has."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, visiting
from tests.web.network_proxy import Cable, Cabled

SAID = re.compile(
    r"The server has not answered since \d\d:\d\d:\d\d\. "
    r"You can read on: .* at \d\d:\d\d:\d\d\. .* tries again every 10 s\."
)

# The code of the Plan page and all else that was asked for ahead has come.
PAGES_ARE_LOADED = """() => {
  const come = new Set(performance.getEntriesByType('resource').map(entry => entry.name))
  const asked = [...document.querySelectorAll('link[rel=modulepreload], link[rel=stylesheet]')].map(link => link.href)
  return asked.some(name => name.includes('PlanPage')) && asked.every(name => come.has(name))
}"""


@pytest.mark.long
def test_an_outage_is_told_on_every_page_and_takes_nothing_away(browser: Browser, site: Site) -> None:
    with Cable(site.url) as cable, visiting(browser, Cabled(site.lab, site.link, cable), wears_out=True) as visit:
        visit.expect_error("net::ERR_")
        page = visit.open("/jobs/1")
        rows = page.get_by_role("table", name="Measurements of ring").locator("tbody tr")
        expect(rows).to_have_count(5)
        expect(page.locator("[data-status=live]")).to_be_visible()
        visit.follow("/")
        expect(page.get_by_role("heading", name="Slots")).to_be_visible()
        visit.follow("/jobs/1")
        expect(rows).to_have_count(5)
        page.evaluate("window.isSameDocument = true")
        page.wait_for_function(PAGES_ARE_LOADED)
        cable.cut()
        banner = page.get_by_role("complementary", name="Server unreachable")
        expect(banner).to_contain_text(SAID)
        assert visit.violations() == []
        visit.shoot("outage-job")
        # Pages that were not opened before open too: their code was loaded ahead.
        page.keyboard.type("gp")
        expect(page.get_by_role("heading", name="Plan", level=1)).to_be_visible()
        expect(page.get_by_text("could not be shown")).to_have_count(0)
        # What it knew before, it knows on the other page as well.
        visit.follow("/")
        expect(page.get_by_role("heading", name="Slots")).to_be_visible()
        visit.shoot("outage-overview")
        visit.follow("/jobs?chosen=1")
        chosen = page.get_by_role("region", name="Chosen jobs")
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 500})
            tops = [part.bounding_box() or {} for part in (chosen, banner)]
            assert tops[0]["y"] + tops[0]["height"] <= tops[1]["y"], "the notice hides what can be done with the jobs"
            visit.shoot(f"outage-jobs-{width}")
        for height in (500, 1400):  # a page that is longer than the window, and one that is shorter
            page.set_viewport_size({"width": 1440, "height": height})
            place = banner.bounding_box() or {}
            assert place["y"] + place["height"] == pytest.approx(height, abs=1)
        visit.follow("/jobs/1")
        expect(rows).to_have_count(5)
        expect(banner).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        cable.mend()
        expect(banner).to_have_count(0)
        expect(page.locator("[data-status=live]")).to_be_visible()
        expect(rows).to_have_count(5)
        assert page.evaluate("window.isSameDocument"), "the page was loaded again"


HAS_RULES = """() => [...document.querySelectorAll('link[href*="/Steps-"][href$=".css"]')].some(link => {
  try { return link.sheet.cssRules.length > 0 } catch { return false }
})"""
# Neither the styles of a part nor the user comes; everything else does.
UNREACHED = re.compile(r"/assets/Steps-.*\.css|/api/v1/me$")


@pytest.mark.long
def test_a_part_whose_code_does_not_come_waits_and_is_there_with_its_styles_afterwards(
    browser: Browser, site: Site
) -> None:
    with visiting(browser, site, wears_out=True) as visit:
        visit.expect_error("net::ERR_")
        page = visit.open("/jobs")
        expect(page.locator("[data-status=live]")).to_be_visible()
        job_id = site.post("/jobs", {"name": "in parts", "hold": True, "placement": {"ranks": 2}}).json()["id"]
        with page.expect_event("requestfailed", lambda request: "Steps-" in request.url):
            page.route(UNREACHED, lambda route: route.abort())
            visit.follow(f"/jobs/{job_id}")
        expect(page.get_by_role("heading", name="in parts")).to_be_visible()
        steps = page.get_by_role("heading", name="Steps now")
        expect(page.get_by_text("could not be shown")).to_have_count(0)
        expect(steps).to_have_count(0)
        page.unroute(UNREACHED)
        expect(steps).to_be_visible()
        assert page.evaluate(HAS_RULES)
        site.post(f"/jobs/{job_id}/cancel", {}).raise_for_status()


@contextmanager
def suspended(site: Site) -> Iterator[None]:
    """The server takes connections and says nothing, as one whose machine hangs."""
    processes = site.lab.processes("ringscope_server")
    assert processes
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()


@pytest.mark.long  # half a minute: so long a stream may be silent, and an answer take
def test_a_server_that_stands_still_is_unreachable_and_then_live_again(browser: Browser, site: Site) -> None:
    with visiting(browser, site, wears_out=True) as visit:
        visit.expect_error("net::ERR_")
        page = visit.open("/jobs/1")
        rows = page.get_by_role("table", name="Measurements of ring").locator("tbody tr")
        expect(rows).to_have_count(5)
        expect(page.locator("[data-status=live]")).to_be_visible()
        page.evaluate("window.isSameDocument = true")
        banner = page.get_by_role("complementary", name="Server unreachable")
        with suspended(site):
            expect(banner).to_contain_text(SAID)
            expect(rows).to_have_count(5)
            expect(page.get_by_role("alert")).to_have_count(0)
        expect(banner).to_have_count(0)
        expect(page.locator("[data-status=live]")).to_be_visible()
        expect(rows).to_have_count(5)
        assert page.evaluate("window.isSameDocument"), "the page was loaded again"
    assert [node["observed"] for node in site.get("/nodes")["items"]] == ["ready"], "who was away was the server"

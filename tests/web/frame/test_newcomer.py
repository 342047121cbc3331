"""A new user gets from the printed link to the winner of three algorithms, and to a link to it."""

import re
import time

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, choose, visiting
from tests.web.pages.test_submit import best

pytestmark = pytest.mark.long

AT_MOST_SECONDS = 120


def gives_a_reason(verdict: str, explanation: str) -> bool:
    """Return whether the explanation says what the winner does less of, or for a tie how certain each time is."""
    if counted := re.match(r"At \S+ \w+ (\w+) sends at most \S+ \w+ from a rank, over \d+ hops?[;,]", explanation):
        return counted[1] in verdict
    return " as long as " in explanation or explanation.endswith("chooses its algorithm itself.")


def test_the_winner_of_three_is_found_and_shared_within_two_minutes(browser: Browser, site: Site) -> None:
    began = time.monotonic()
    with visiting(browser, site, has_own_session=True) as visit:
        page = visit.page
        page.context.clear_cookies()
        page.goto(site.fresh_link())
        page.get_by_role("link", name="New job").first.click()
        expect(page.get_by_role("textbox", name="Ranks")).to_have_value("4")  # as many as there are slots
        chosen = page.locator("input[name=algorithms]:checked")
        assert [box.get_attribute("value") for box in chosen.all()] == ["ring", "direct", "mpi"]
        page.get_by_role("button", name="Smoke").click()
        page.get_by_role("button", name="Submit the job").click()
        expect(page.locator("header").get_by_text("succeeded")).to_be_visible()
        job = site.get(f"/jobs/{page.url.rpartition('/')[2]}")
        summary = job["summary"]
        assert [each["algorithm"] for each in summary["best"]] != []
        expect(page.get_by_text(summary["verdict"])).to_be_visible()  # who wins
        assert gives_a_reason(summary["verdict"], summary["explanation"])
        expect(page.get_by_text(summary["explanation"])).to_be_visible()  # and why
        choose(page, "Buffers", "in place", exact=True)
        expect(page).to_have_url(re.compile(r"place=in"))
        visit.shoot("newcomer-result")
        shared = page.url
    with visiting(browser, site) as other:
        page = other.page
        page.goto(shared)
        expect(page.get_by_text(summary["verdict"])).to_be_visible()
        page.get_by_role("button", name="Options").click()
        expect(page.get_by_role("radio", name="in place", exact=True)).to_be_checked()
        expect(page).to_have_title(f"✓ {best(site, job['id'])} GB/s · job {job['id']} · ringscope")
    assert time.monotonic() - began < AT_MOST_SECONDS

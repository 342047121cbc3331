"""Pages are accessible in rare states: nothing found, nothing chosen, held, about to be removed."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import Site, visiting

pytestmark = pytest.mark.long

# Where, and what is there then; HELD stands for a job that waits.
STATES = {
    "no-such-page": ("/nowhere", "There is no such page"),
    "no-job-matches": ("/jobs?q=nobody-named-it-so", "No job matches this filter"),
    "nothing-to-compare": ("/compare", "Choose"),
    "compare-what-is-missing": ("/compare?ids=1,999999", "999999"),
    "held": ("/jobs/HELD", "held"),
    "ring-of-nobody": ("/ring?n=1", "In time"),
}
# By the start of their buttons' names, and where they are.
DIALOGS = {
    "cancel-many": ("Cancel 1 job", "/jobs?chosen=HELD"),
    "cancel": ("Cancel", "/jobs/HELD"),
    "resume": ("Resume", "/nodes/NODE"),
}
# Parts of job 1 whose own question fails: which one, and what the part says.
FAILED_PARTS = {
    "latency": ("latencies", "The iterations could not be loaded"),
    "stragglers": ("lateness", "The iterations could not be loaded"),
    "log": ("log/outline", "The log could not be loaded"),
    "configuration": ("environment", "The environment could not be loaded"),
}
BROKEN = {"title": "Broken", "detail": "The disk is full; make room.", "code": "broken", "status": 500}


def put_job_on_hold(site: Site) -> int:
    body = {"name": "kept waiting", "hold": True, "benchmark": {"max_bytes": 64}}
    return int(site.post("/jobs", body).raise_for_status().json()["id"])


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=re.compile(f"^{button}")).first.click()


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_odd_state_has_an_accessibility_violation(
    browser: Browser, site: Site, scheme: Literal["light", "dark"], width: int
) -> None:
    held = put_job_on_hold(site)
    [node] = [node["name"] for node in site.get("/nodes")["items"]]
    found = {}
    with visiting(browser, site, scheme, width) as visit:
        visit.expect_error("404")
        for name, (path, words) in STATES.items():
            page = visit.open(path.replace("HELD", str(held)))
            expect(page.locator("main")).to_contain_text(words)
            visit.shoot(f"odd-{name}-{scheme}-{width}")
            found[name] = visit.violations()
            assert page.evaluate("document.documentElement.scrollWidth") == width, name
        site.post(f"/nodes/{node}/drain", {"reason": "to look at its page"}).raise_for_status()
        for name, (button, path) in DIALOGS.items():
            page = visit.open(path.replace("HELD", str(held)).replace("NODE", node))
            press(page, button)
            expect(page.get_by_role("dialog")).to_be_visible()
            visit.shoot(f"dialog-{name}-{scheme}-{width}")
            found[f"dialog {name}"] = visit.violations()
            page.keyboard.press("Escape")
        site.post(f"/nodes/{node}/resume", {}).raise_for_status()
    site.post(f"/jobs/{held}/cancel", {}).raise_for_status()
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_part_that_failed_has_an_accessibility_violation(
    browser: Browser, site: Site, scheme: Literal["light", "dark"], width: int
) -> None:
    found = {}
    with visiting(browser, site, scheme, width) as visit:
        visit.expect_error("500")
        for tab, (asked, words) in FAILED_PARTS.items():
            visit.page.route(f"**/api/v1/jobs/1/{asked}*", lambda route: route.fulfill(status=500, json=BROKEN))
            page = visit.open(f"/jobs/1?tab={tab}")
            expect(page.get_by_role("alert").filter(has_text=words).first).to_contain_text(BROKEN["detail"])
            visit.shoot(f"failed-{tab}-{scheme}-{width}")
            found[tab] = visit.violations()
            assert page.evaluate("document.documentElement.scrollWidth") == width, tab
    assert {tab: each for tab, each in found.items() if each} == {}

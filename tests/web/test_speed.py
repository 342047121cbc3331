"""How quick the page is on a slow machine: 1,000 jobs, and a processor slowed down four times."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.cluster.lab import running_lab
from tests.web.browsing import Site, tell, visiting
from tests.web.conftest import printed_login_link
from tests.web.many_jobs import add_jobs

pytestmark = pytest.mark.long

SLOWED = 4
LCP_MS, INTERACTION_MS = 1_500, 200
OBSERVE = """
window.seen = {lcp: 0, events: []};
new PerformanceObserver(list => { for (const entry of list.getEntries()) seen.lcp = entry.startTime; })
  .observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver(list => { for (const entry of list.getEntries()) {
  if (entry.interactionId) seen.events.push([entry.name, entry.duration]);
}}).observe({type: 'event', durationThreshold: 16});
"""


@pytest.fixture(scope="module")
def busy_site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_lab(Path(path)) as (lab, up):
        assert up.stdout is not None
        site = Site(lab, printed_login_link(up.stdout))
        done = lab.run("submit", "--name", "first", "--ranks", "2", "-b", "1K", "-e", "1K", "-n", "2", "--wait")
        assert done.returncode == 0, done.stderr
        add_jobs(lab.data_dir, 999)
        yield site


def seen(page: Page) -> dict[str, Any]:
    # Entries are handed out after the frame in which they end.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
    found: dict[str, Any] = page.evaluate("window.seen")
    return found


@pytest.mark.parametrize("path", ["/", "/jobs"])
def test_the_largest_paint_comes_soon(browser: Browser, busy_site: Site, path: str) -> None:
    firsts_ms, later_ms = [], []
    for _ in range(3):
        with visiting(browser, busy_site, wears_out=True) as visit:
            page = visit.page
            page.add_init_script(OBSERVE)
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
            for times_ms in (firsts_ms, later_ms):
                visit.open(path)
                expect(page.locator("tbody tr").first).to_be_visible()
                times_ms.append(seen(page)["lcp"])
    for which, times_ms in (("first visit", firsts_ms), ("next one", later_ms)):
        told = ", ".join(f"{time:.0f}" for time in times_ms)
        tell(f"{path}: largest contentful paint of a browser's {which} {told} ms at 1/{SLOWED} speed")
    # The first one is told only: half of it is to compile the page's code, at the speed of whatever machine this is.
    assert 0 < min(later_ms) <= LCP_MS, "0: the browser told of no paint"


def work_through(page: Page) -> None:
    """What somebody does with a list, once around."""
    for _ in range(8):
        page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_role("region", name="Chosen jobs")).to_be_visible()
    page.get_by_role("checkbox").nth(3).click()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Page, job, node or command")).to_be_focused()
    page.keyboard.type("copy 9")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Ranks").click()
    page.get_by_role("button", name="Choose none").click()
    page.get_by_role("link", name="Nodes", exact=True).click()
    expect(page.get_by_role("heading", name="Nodes", level=1)).to_be_visible()
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.locator("tbody tr").first).to_be_visible()


def test_keys_and_clicks_are_answered_soon(browser: Browser, busy_site: Site) -> None:
    with visiting(browser, busy_site, wears_out=True) as visit:
        page = visit.page
        page.add_init_script(OBSERVE)
        visit.open("/jobs")
        expect(page.locator("tbody tr").first).to_be_visible()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
        worst_ms = []
        for _ in range(3):
            page.evaluate("seen.events = []")
            work_through(page)
            slowest = sorted(seen(page)["events"], key=lambda event: -event[1])[:4]
            tell(f"slowest interactions at 1/{SLOWED} speed, ms: {slowest}")
            worst_ms.append(slowest[0][1])
        # Of three rounds the best one: what else this machine does is not the page's fault.
        assert min(worst_ms) <= INTERACTION_MS

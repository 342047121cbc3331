"""The page is quick on a slow machine, with 1,000 jobs and a processor that is slowed down four times."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.cluster.lab import running_lab
from tests.web.browsing import Site, choose, tell, visiting
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
    # The first one is told only: much of it is to compile the page's code, at the speed of whatever machine this is.
    assert 0 < min(later_ms) <= LCP_MS, "0: the browser told of no paint"


def work_through_jobs(page: Page) -> None:
    """Use the list of jobs once as a user does."""
    expect(page.locator("tbody tr[data-index='7']")).to_be_visible()
    for _ in range(8):
        page.keyboard.press("j")
    expect(page.locator("tbody tr[data-index='7'] a").first).to_be_focused()
    page.keyboard.press("x")
    chosen = page.get_by_role("region", name="Chosen jobs")
    expect(chosen).to_contain_text("1 chosen")
    page.get_by_role("checkbox").nth(3).click()
    expect(chosen).to_contain_text("2 chosen")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Page, job, node or command")).to_be_focused()
    page.keyboard.type("copy 9")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Ranks").click()
    page.get_by_role("button", name="Clear", exact=True).click()
    page.get_by_role("link", name="Nodes", exact=True).click()
    expect(page.get_by_role("heading", name="Nodes", level=1)).to_be_visible()
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.locator("tbody tr").first).to_be_visible()


def work_through_a_job(page: Page) -> None:
    """Use every section of a job, and the results as numbers and as a chart."""
    for section in ("Latency", "Log", "Configuration", "Results"):
        page.get_by_role("link", name=section, exact=True).click()
        expect(page.get_by_role("link", name=section, exact=True)).to_have_attribute("aria-current", re.compile("."))
    choose(page, "View", "table")
    expect(page.get_by_role("table", name=re.compile("^Measurements")).first).to_be_visible()
    choose(page, "View", "chart")


def work_through_the_form(page: Page) -> None:
    """Fill in the form as a user does, with the prediction beside it."""
    page.get_by_label("Name").fill("")
    page.get_by_label("Name").press_sequentially("quick")
    for largest in ("64M", "16M"):
        page.get_by_label("Largest").fill(largest)
        page.get_by_label("Largest").press("Tab")
    page.get_by_role("checkbox", name="naive", exact=True).click()
    page.get_by_role("checkbox", name="naive", exact=True).click()


def work_through_the_plan(page: Page) -> None:
    """The sliders of the cost model, an example, and back."""
    ranks = page.get_by_label("Ranks n, slider")
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        ranks.press(key)
    page.get_by_role("link", name="Lecture: 10 GPUs").click()
    expect(page.get_by_role("region", name="1.2 GB on 10 ranks")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("region", name="64 MiB on 64 ranks")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "work_through"),
    [
        ("/jobs", work_through_jobs),
        ("/jobs/1", work_through_a_job),
        ("/jobs/new", work_through_the_form),
        ("/plan?size=64+MiB&ranks=8", work_through_the_plan),
    ],
)
def test_keys_and_clicks_are_answered_soon(
    browser: Browser, busy_site: Site, path: str, work_through: Callable[[Page], None]
) -> None:
    with visiting(browser, busy_site, wears_out=True) as visit:
        page = visit.page
        page.add_init_script(OBSERVE)
        visit.open(path)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
        worst_ms = []
        for _ in range(3):
            page.evaluate("seen.events = []")
            work_through(page)
            slowest = sorted(seen(page)["events"], key=lambda event: -event[1])[:4]
            tell(f"{path}: slowest interactions at 1/{SLOWED} speed, ms: {slowest}")
            worst_ms.append(slowest[0][1])
        # Of three rounds the best one: what else this machine does is not the page's fault.
        assert min(worst_ms) <= INTERACTION_MS

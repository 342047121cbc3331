"""A user with only a keyboard gets from the form to a comparison and always sees where the focus is."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.web.browsing import AGAIN, Visit

SWEEP = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 1_000_000}
ENDLESS = {"benchmark": SWEEP, "placement": {"ranks": 2}}
MOST_STOPS = 60  # from one end of a page to the other, and some more
# Where the focus is, and whether somebody sees it there: marked, in view and under nothing. A radio button of a row of
# choices is not to be seen itself; the word beside it has the mark.
LOOK = r"""wanted => {
  const element = document.activeElement
  const shown = element.closest('[role=radiogroup]') ? element.nextElementSibling : element
  const style = getComputedStyle(shown)
  const box = shown.getClientRects()[0] ?? new DOMRect()
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)]
  const [right, bottom] = [Math.min(innerWidth, box.right), Math.min(innerHeight, box.bottom)]
  const hit = right > left && bottom > top && document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
  const isMarked = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none'
  const text = element.ariaLabel || element.labels?.[0]?.textContent || element.textContent || ''
  return {
    name: `${element.tagName.toLowerCase()} ${text.trim().replace(/\s+/g, ' ').slice(0, 30)}`,
    isWanted: element === wanted,
    isSeen: isMarked && !!hit && shown.parentElement.contains(hit),
  }
}"""
# What a screen reader is told by itself, in the order in which it is told.
LISTEN = """() => {
  window.said = []
  const region = document.querySelector('p.hidden-visually[role=status]')
  const listener = new MutationObserver(() => said.push(region.textContent))
  listener.observe(region, {childList: true, characterData: true, subtree: true})
}"""


def see_focus(wanted: Locator, *before: str) -> tuple[str, bool]:
    """Return the focused element's name, and whether it is ``wanted``; assert that the focus is visible."""
    at = wanted.evaluate(LOOK)
    assert at["isSeen"], f"nobody sees that the focus is at the last of {[*before, at['name']]}"
    return at["name"], at["isWanted"]


def go(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Press the key until the focus is at the wanted element."""
    stops: list[str] = []
    while len(stops) < MOST_STOPS:
        page.keyboard.press(key)
        name, is_there = see_focus(wanted, *stops)
        if is_there:
            return
        stops.append(name)
    raise AssertionError(f"{key} does not lead to {wanted}; it stopped at {stops}")


def press(page: Page, key: str, focused: Locator) -> None:
    """A key that leaves the focus where it is, or takes it there."""
    page.keyboard.press(key)
    expect(focused).to_be_focused()
    see_focus(focused)


def arrive(page: Page, heading: str) -> None:
    """Check that the focus is on the new page's content, so that Tab continues there and not in the top bar."""
    expect(page.get_by_role("heading", name=heading, level=1, exact=True)).to_be_visible()
    expect(page.locator("main")).to_be_focused()


def watch_the_end(visit: Visit, name: str) -> int:
    """Submit the form with Enter and watch the job to its end while a link has the focus; return the job's id."""
    page, site = visit.page, visit.site
    # It waits behind another one until the focus rests: what is passed on the way there, as Hold, goes as it starts.
    other = int(site.post("/jobs", ENDLESS).json()["id"])
    site.lab.wait_for_state(other, "running")
    page.keyboard.press("Enter")
    arrive(page, name)
    job_id = int(page.url.rpartition("/")[2])
    part = page.get_by_role("link", name="Latency", exact=True)
    go(page, part)
    site.post(f"/jobs/{other}/cancel", {})
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible()
    expect(page.get_by_text(site.get(f"/jobs/{job_id}")["summary"]["verdict"])).to_be_visible()
    page.wait_for_function("sentence => said.includes(sentence)", arg=f"Job {job_id} has succeeded.")
    expect(part).to_be_focused()  # whatever has come above it and below
    see_focus(part)
    return job_id


@pytest.mark.long
def test_submit_watch_and_compare_by_keyboard_alone(visit: Visit) -> None:
    page = visit.open("/")
    keys = page.keyboard
    page.evaluate(LISTEN)
    keys.press("n")
    arrive(page, "New job")
    go(page, page.get_by_role("button", name="Smoke"))
    keys.press("Space")
    for label, value in (("Ranks", "2"), ("Name", "first by key")):
        go(page, page.get_by_role("textbox", name=label))
        keys.type(value)  # in the place of what was there, which Tab has selected
    for algorithm in ("direct", "tree"):
        box = page.get_by_role("checkbox", name=algorithm, exact=True)
        go(page, box)
        press(page, "Space", box)
    go(page, page.get_by_role("textbox", name="Iterations"))
    keys.type("100")
    expect(page.get_by_text(re.compile("^6 sizes . 3 algorithms . .* 100 timed iterations each"))).to_be_visible()
    first = watch_the_end(visit, "first by key")
    assert visit.site.get(f"/jobs/{first}")["spec"]["benchmark"]["algorithms"] == ["ring", "tree", "mpi"]

    keys.press("Enter")
    expect(page.get_by_role("heading", name="Latency of ring")).to_be_visible()
    results = page.get_by_role("link", name="Results", exact=True)
    go(page, results, "Shift+Tab")
    press(page, "Enter", results)
    go(page, page.get_by_role("button", name="Options"))
    keys.press("Enter")
    view = page.get_by_role("radiogroup", name="View").get_by_role("radio")
    go(page, view.first)
    press(page, "ArrowRight", view.last)
    keys.press("Escape")
    expect(page.get_by_role("table", name="Measurements of ring")).to_be_visible()

    go(page, page.get_by_role("link", name=AGAIN), "Shift+Tab")
    keys.press("Enter")
    arrive(page, f"New job like job {first}")
    go(page, page.get_by_role("textbox", name="Name"))
    keys.type("second by key")
    second = watch_the_end(visit, "second by key")

    keys.type("gj")
    arrive(page, "Jobs")
    newest, other, before = (page.locator(f"tbody tr[data-index='{i}'] a").first for i in range(3))
    expect(newest).to_have_text("second by key")
    for key, row in zip("jjjxkkx", (newest, other, before, before, other, newest, newest), strict=True):
        press(page, key, row)
    expect(page.get_by_role("region", name="Chosen jobs")).to_contain_text("2 chosen")
    keys.press("c")
    arrive(page, "Compare benchmarks")
    table = page.get_by_role("table", name=re.compile("^Time and bus bandwidth by message size"))
    expect(table).to_contain_text(re.compile(rf"job {first}.*, base job.*job {second}"))
    base = page.get_by_role("radio", name=re.compile("base job"))
    go(page, base.first)
    press(page, "ArrowRight", base.last)
    expect(table).to_contain_text(re.compile(rf"job {first}.*job {second}.*, base job"))


def test_whoever_chooses_none_goes_on_in_the_list(visit: Visit) -> None:
    """The bar of what is chosen goes away with its button, and does not send Tab back to the start of the page."""
    page = visit.open("/jobs?q=first+sweep&chosen=1")
    expect(page.get_by_role("checkbox", name="Choose job 1", exact=True)).to_be_checked()
    page.keyboard.press("j")
    go(page, page.get_by_role("button", name="Clear", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Chosen jobs")).to_have_count(0)
    arrive(page, "Jobs")
    page.keyboard.press("Tab")
    expect(page.locator("main :focus")).to_have_count(1)

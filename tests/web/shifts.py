"""Layout shifts, as the browser counts them, measure how far things move on a page while it fills."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import CDPSession, Page, expect

MOST_SHIFT = 0.05
LATENCY_MS = 100
# What moved before anybody looked is told, too.
OBSERVE = """
if (!window.shifts) {
  window.shifts = [];
  new PerformanceObserver(list => { for (const entry of list.getEntries()) {
    const moved = entry.sources.map(({node}) => (node?.outerHTML ?? node?.textContent ?? 'gone').slice(0, 120));
    if (!entry.hadRecentInput) shifts.push([entry.value, moved]);
  }}).observe({type: 'layout-shift', buffered: true});
}
"""
# Entries are handed out after the frame in which they end.
SHIFTS = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(window.shifts), 100)))"


def slow_down(page: Page, latency_ms: float, bytes_per_s: float) -> CDPSession:
    """Makes the page's line slow until the session is detached; -1 byte/s is as fast as it gets."""
    developer = page.context.new_cdp_session(page)
    developer.send("Network.enable")
    line = {"latency": latency_ms, "downloadThroughput": bytes_per_s, "uploadThroughput": bytes_per_s}
    developer.send("Network.emulateNetworkConditions", {"offline": False, **line})
    return developer


@contextmanager
def far_server(page: Page) -> Iterator[None]:
    """Answers of a server next door come in one frame, and hide what stands there until they do."""
    developer = slow_down(page, LATENCY_MS, -1)
    yield
    developer.detach()


def shifts(page: Page) -> list[tuple[float, Any]]:
    """Return the shifts and what moved in them, since the page was requested or since ``forget``."""
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)
    page.evaluate(OBSERVE)
    found: list[tuple[float, Any]] = page.evaluate(SHIFTS)
    return found


def forget(page: Page) -> None:
    """Forget all shifts until now."""
    page.evaluate("window.shifts.length = 0")


def shift(found: list[tuple[float, Any]]) -> float:
    return sum(value for value, _ in found)

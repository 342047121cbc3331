"""A loading page shows something soon, and nothing on it jumps."""

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, tell, visiting
from tests.web.pages.test_pages import ROUTES, node_name
from tests.web.shifts import LATENCY_MS, MOST_SHIFT, OBSERVE, far_server, forget, shift, shifts, slow_down

SKELETON_MS = 1_000
# A function: only that may look again where a page allows no `eval`.
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]"
BYTES_PER_S = 400_000 / 8


@pytest.mark.long
def test_no_page_moves_while_it_loads_and_no_chart_under_the_pointer(browser: Browser, site: Site) -> None:
    with visiting(browser, site, wears_out=True) as visit, far_server(visit.page):
        page = visit.page
        page.add_init_script(OBSERVE)
        node = node_name(site)
        moved = {}
        for name, route in ROUTES.items():
            # The frame comes the same way everywhere: two are loaded whole, the others as by a link.
            come_to = visit.open if name in ("/", "/jobs/$jobId") else visit.follow
            if come_to == visit.follow:
                forget(page)
            come_to(route.path.replace("NODE", node))
            expect(page.locator(route.filled).first).to_be_visible()
            if name == "/jobs/$jobId":
                # It knows of no pointer until that moves again.
                expect(page.locator("figcaption").first).to_be_visible()
                page.locator("figure .u-over").first.hover()
                expect(page.get_by_text("best", exact=True)).to_have_count(0)
            found = shifts(page)
            moved[name] = (shift(found), found)
        tell("layout shift: " + ", ".join(f"{name} {value:.3f}" for name, (value, _) in moved.items()))
        assert {name: told for name, told in moved.items() if told[0] >= MOST_SHIFT} == {}


@pytest.mark.long  # a time, and the gate's machine has other work
def test_a_slow_line_shows_a_skeleton_within_a_second(browser: Browser, site: Site) -> None:
    with visiting(browser, site, wears_out=True) as visit:
        page = visit.page
        slow_down(page, LATENCY_MS, BYTES_PER_S).send("Network.setCacheDisabled", {"cacheDisabled": True})
        times_ms: list[float] = []
        # Of three rounds the best one: what else this machine does is not the page's fault.
        while min(times_ms, default=SKELETON_MS + 1) > SKELETON_MS and len(times_ms) < 3:
            page.goto("about:blank")
            page.goto(site.url, wait_until="commit")
            expect(page.locator(".boot")).to_be_visible()
            times_ms.append(page.wait_for_function(PAINTED).evaluate("entry => entry.startTime"))
        tell(f"first contentful paint at 400 kbit/s: {', '.join(f'{time:.0f}' for time in times_ms)} ms")
        assert min(times_ms) <= SKELETON_MS
        visit.shoot("skeleton")
        expect(page.get_by_role("heading", name="Slots")).to_be_visible()
        expect(page.locator(".boot")).to_be_hidden()

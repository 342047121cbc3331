"""The list of 10,000 jobs: whole, quick, and never all of it in the page."""

import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.cluster.lab import running_lab
from tests.web.browsing import Site, tell, visiting
from tests.web.conftest import printed_login_link
from tests.web.many_jobs import add_jobs

from ringscope.cli.connection import token

pytestmark = pytest.mark.long

COUNT = 10_000
MOST_ELEMENTS = 1_500


@pytest.fixture(scope="module")
def full_site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_lab(Path(path)) as (lab, up):
        assert up.stdout is not None
        site = Site(lab, printed_login_link(up.stdout))
        done = lab.run("submit", "--name", "first", "--ranks", "2", "-b", "1K", "-e", "16K", "-n", "2", "--wait")
        assert done.returncode == 0, done.stderr
        add_jobs(lab.data_dir, COUNT - 1)
        yield site


def elements(page: Page) -> int:
    count: int = page.evaluate("document.querySelectorAll('*').length")
    return count


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080), (2560, 1440)])
def test_ten_thousand_jobs_are_scrolled_through(browser: Browser, full_site: Site, width: int, height: int) -> None:
    with visiting(browser, full_site, width=width, wears_out=True) as visit:
        visit.page.set_viewport_size({"width": width, "height": height})
        page = visit.open("/jobs")
        expect(page.get_by_text("10,000 jobs")).to_be_visible()
        expect(page.get_by_role("link", name=f"copy {COUNT - 2}", exact=True)).to_be_visible()
        most = elements(page)
        for target in range(COUNT - 2 - 100, COUNT - 2 - 600, -100):
            row = page.get_by_role("link", name=f"copy {target}", exact=True)
            # Less than what is in view at a time: no row is passed over.
            for _ in range(80):
                if row.count():
                    break
                page.mouse.wheel(0, 400)
                page.wait_for_function("() => new Promise(done => requestAnimationFrame(() => done(true)))")
            expect(row).to_be_attached()
            most = max(most, elements(page))
        tell(f"elements in the page at most, {width} x {height}: {most}")
        assert most <= MOST_ELEMENTS
        assert visit.violations() == []
        visit.shoot(f"jobs-many-{width}")


def test_the_way_back_leads_to_where_the_list_was_left(browser: Browser, full_site: Site) -> None:
    with visiting(browser, full_site) as visit:
        page = visit.open("/jobs")
        expect(page.get_by_role("link", name=f"copy {COUNT - 2}", exact=True)).to_be_visible()
        # So far down that it is not in the page before; once it is, the page has heard of the scroll.
        row = page.get_by_role("link", name=f"copy {COUNT - 2 - 45}", exact=True)
        page.evaluate("scrollTo(0, 1200)")
        expect(row).to_be_in_viewport()
        left = page.evaluate("scrollY")
        assert left > 0
        row.click()
        expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
        expect(page.get_by_text("Configuration").first).to_be_visible()
        page.wait_for_function("() => scrollY === 0")
        page.go_back()
        expect(row).to_be_in_viewport()
        page.wait_for_function("left => scrollY === left", arg=left)


def test_facets_sorting_and_search_are_the_servers(browser: Browser, full_site: Site) -> None:
    with visiting(browser, full_site) as visit:
        page = visit.open("/jobs")
        counts = {item["value"]: item["count"] for item in full_site.get("/jobs/facets")["state"]}
        expect(page.get_by_role("combobox", name="State")).to_contain_text(f"failed · {counts['failed']:,}")
        page.get_by_role("combobox", name="State").select_option("failed")
        expect(page).to_have_url(re.compile("state=failed"))
        expect(page.get_by_text(f"{counts['failed']:,} jobs")).to_be_visible()
        page.get_by_role("link", name="Show all").click()
        page.get_by_role("link", name="Id", exact=True).click()
        expect(page).to_have_url(re.compile("sort=id"))
        expect(page.locator("tr[data-index='0']")).to_contain_text("first")
        expect(page.get_by_role("columnheader", name="Id", exact=True)).to_have_attribute("aria-sort", "ascending")
        page.get_by_role("searchbox", name="Name or note contains").fill("copy 77")
        expect(page.get_by_text("111 jobs")).to_be_visible()
        page.get_by_role("button", name="Save this view").click()
        page.get_by_role("textbox", name="Name", exact=True).fill("seventy-seven")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="All", exact=True).click()
        expect(page.get_by_text("10,000 jobs")).to_be_visible()
        page.get_by_role("link", name="seventy-seven").click()
        expect(page.get_by_text("111 jobs")).to_be_visible()
        page.go_back()
        expect(page.get_by_text("10,000 jobs")).to_be_visible()


def test_pins_and_the_base_job_stay_on_top(browser: Browser, full_site: Site) -> None:
    with visiting(browser, full_site) as visit:
        page = visit.open("/jobs?q=first")
        page.get_by_role("checkbox", name="Choose job 1", exact=True).check()
        page.get_by_role("button", name="★ Set as base job").click()
        page.get_by_role("button", name="Clear", exact=True).click()
        page.get_by_role("link", name="All", exact=True).click()
        pinned = page.locator("tbody[aria-label='Pinned']")
        expect(pinned).to_contain_text("first ★")
        expect(page.get_by_role("columnheader", name="Δ to 1")).to_be_visible()
        expect(page.locator("tr[data-index='0'] > :nth-last-child(2)")).to_have_text("\N{EN DASH}")  # it has no attempt
        visit.shoot("jobs-baseline")
        assert visit.violations() == []
        page.reload()
        expect(pinned).to_contain_text("first ★")


def test_a_row_says_what_came_out_and_a_narrow_page_what_matters_most(browser: Browser, full_site: Site) -> None:
    (job,) = full_site.get("/jobs?q=first")["items"]
    sizes = job["summary"]["sizes"]
    assert [one["size_bytes"] for one in sizes] == [1024 << step for step in range(5)]
    with visiting(browser, full_site, width=2560) as visit:
        row = visit.open("/jobs?q=first").locator("tr[data-index='0']")
        at_largest = row.get_by_title(re.compile("place at 16 KiB$"))
        # What the iterations differed by is a matter of chance, and so is the mark of it.
        fastest = f"{sizes[-1]['busbw_gb_per_s']:#.3g}"
        expect(at_largest).to_have_text(re.compile(rf"^(! )?{re.escape(fastest)}$"))
        expect(row.get_by_title(re.compile("at 1 KiB, of 2 iterations"))).to_have_text(re.compile(r"^(! )?[\d.]+$"))
        expect(row.get_by_role("img", name=re.compile("over sizes: .* at 1 KiB to .* at 16 KiB"))).to_be_visible()
        expect(row.get_by_title("the rate of its links is not known")).to_have_text("\N{EN DASH}")
    with visiting(browser, full_site, width=390) as visit:
        page = visit.open("/jobs?q=first")
        headings = page.get_by_role("columnheader")
        expect(headings).to_have_text(["Choose", "State", re.compile("Name")])
        expect(page.locator("tr[data-index='0'] th")).to_contain_text(
            re.compile(r"first.* GB/s \u00b7 (only|level|Fastest|No) ?")
        )
        assert visit.violations() == []


QUESTIONS = ("?limit=50", "?limit=50&q=77", "?limit=50&state=failed", "?limit=50&sort=-busbw", "/facets")


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_api_answers_a_page_of_ten_thousand_quickly(full_site: Site, question: str) -> None:
    headers = {"Authorization": f"Bearer {token(full_site.lab.data_dir)}"}
    with httpx.Client(base_url=full_site.url, headers=headers) as client:
        times_ms = []
        for _ in range(21):
            began = time.perf_counter()
            client.get(f"/api/v1/jobs{question}").raise_for_status()
            times_ms.append(1000 * (time.perf_counter() - began))
    p95_ms = statistics.quantiles(times_ms, n=20)[-1]
    tell(f"{question}: median {statistics.median(times_ms):.1f} ms, p95 {p95_ms:.1f} ms of {len(times_ms)}")
    # The budget is 100 ms at the 95th percentile of a machine that does nothing else; tests share theirs.
    assert statistics.median(times_ms) <= 100

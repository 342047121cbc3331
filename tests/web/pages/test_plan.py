"""The planner: the same prices as `ringscope plan`, fits of jobs, and a URL that says all."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import Site, Visit, visiting

PAGES = {
    "plan": "/plan",
    "plan-lecture": "/plan?algorithms=gather,naive,separate_servers,ring&n=10&B=1GB/s&S=1.2GB&servers=10&metric=busbw",
    "plan-nodes": "/plan?n=2x4&algorithms=ring,hierarchical,tree",
    "plan-fit": "/plan?fit=1&n=2&algorithms=ring",
    "plan-table": "/plan?view=table&fit=1&n=2&algorithms=ring",
    "plan-no-fit": "/plan?fit=99",
    "plan-error": "/plan?n=0x4",
}


def settle(page: Page, name: str) -> None:
    """Wait until the page's own data is there."""
    if name == "plan-error":
        expect(page.get_by_text("'0x4' is not a shape")).to_be_visible()
    elif name == "plan-no-fit":
        expect(page.get_by_text("There is no job 99.")).to_be_visible()
    else:
        expect(page.get_by_role("heading", name="Fastest algorithm by size and ranks")).to_be_visible()
        expect(page.get_by_role("heading", name="Sensitivity of the times")).to_be_visible()
    if name in ("plan-fit", "plan-table"):
        expect(page.get_by_text("Circles: the medians that job 1 measured, n=5 rows.")).to_be_visible()


def expect_refusals(visit: Visit) -> None:
    for code in ("404", "422"):
        visit.expect_error(code)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_planner_has_no_accessibility_violation(browser: Browser, site: Site, scheme: str) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        expect_refusals(visit)
        for name, path in PAGES.items():
            settle(visit.open(path), name)
            visit.shoot(f"{name}-{scheme}")
            assert visit.violations() == [], name


@pytest.mark.long
def test_the_planner_fits_a_phone(browser: Browser, site: Site) -> None:
    with visiting(browser, site, width=375) as visit:
        expect_refusals(visit)
        for name, path in PAGES.items():
            page = visit.open(path)
            settle(page, name)
            visit.shoot(f"{name}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 375, name


def test_the_planner_equals_ringscope_plan(visit: Visit) -> None:
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.open("/plan")
    page.get_by_role("link", name="Lecture: 10 GPUs").click()
    sentence = page.get_by_role("status").filter(has_text="ring takes 2.16 s")
    expect(sentence).to_contain_text("one server 10.8 s only to collect (gather), 5 times as long, and 21.6 s with the")
    page.get_by_role("button", name="Copy as").click()
    _, _, flags = page.locator("code", has_text="ringscope plan").inner_text().partition("ringscope plan ")
    printed = json.loads(visit.site.lab.run_here("plan", *flags.split(), "--json").stdout)["results"]
    assert [price["algorithm"] for price in printed] == ["gather", "naive", "separate_servers", "ring"]
    page.get_by_role("button", name="Copy curl").click()
    (cell,) = visit.site.post("/plan", copied_body(page)).json()["cells"]
    assert cell["results"] == printed
    expect(sentence).to_have_text(cell["answer"])
    page.keyboard.press("Escape")
    page.get_by_text("Times of all algorithms").click()
    table = page.get_by_role("table", name="Times of the cost model for each algorithm")
    expect(table.get_by_role("columnheader", name="Time (s)", exact=True)).to_be_visible()
    times = {"gather": "10.8", "naive": "21.6", "separate_servers": "2.40", "ring": "2.16"}
    for price in printed:
        name = price["algorithm"]
        assert float(times[name]) == pytest.approx(price["time_s"], rel=0.005)
        row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=re.compile(rf"^{name}\b")))
        expect(row.get_by_role("cell").first).to_have_text(times[name])


def copied_body(page: Page) -> object:
    """Return the body that the curl command copied by the page sends."""
    found = re.search(r"-d '(\{.*\})'", page.evaluate("navigator.clipboard.readText()"), re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.long
def test_fields_are_in_the_url_and_back_goes_back(visit: Visit) -> None:
    page = visit.open("/plan")
    size = page.get_by_label("Size K", exact=True)
    size.fill("1KiB")
    size.press("Enter")
    expect(page.get_by_role("heading", name="1 KiB on 8 ranks")).to_be_visible()
    expect(page).to_have_url(f"{visit.site.url}/plan?S=1KiB")
    page.get_by_text("Fastest algorithm by size and ranks").click()
    page.get_by_role("link", name=re.compile("^32 ranks, 1 KiB:")).click()
    expect(page.get_by_role("heading", name="1 KiB on 32 ranks")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="1 KiB on 32 ranks")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="1 KiB on 8 ranks")).to_be_visible()
    page.get_by_label("Ranks N, slider").press("Home")
    expect(page.get_by_role("heading", name="1 KiB on 2 ranks")).to_be_visible()
    page.get_by_text("Sensitivity of the times").click()
    expect(page.get_by_text("+10 % of")).to_be_visible()


@pytest.mark.long
def test_a_wrong_field_gets_the_servers_sentence(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/plan?B=string")
    expect(page.get_by_text("'string' is neither a known link nor a rate")).to_be_visible()
    page.get_by_label("Link between nodes B").fill("10gbe")
    page.get_by_label("Link between nodes B").press("Enter")
    expect(page.get_by_role("heading", name="64 MiB on 8 ranks")).to_be_visible()


@pytest.mark.long
def test_a_job_gives_the_parameters_and_its_points(visit: Visit) -> None:
    page = visit.open("/plan")
    page.get_by_label("Fit α, β and γ to job").fill("1")
    page.get_by_role("button", name="Fit", exact=True).click()
    fit = visit.site.get("/jobs/1/fit")
    expect(page.get_by_text(f"{fit['row_count']} rows of job 1 over {fit['transport']}, 2 ranks")).to_be_visible()
    expect(page).to_have_url(f"{visit.site.url}/plan?n=2&algorithms=ring&fit=1")
    expect(page.get_by_text("Circles: the medians that job 1 measured, n=5 rows.")).to_be_visible()
    expect(page.get_by_text("Left out, because they have no schedule: mpi.")).to_be_visible()
    expect(page.get_by_label("Link between nodes B")).to_have_count(0)
    page.get_by_role("button", name="Describe the links instead").click()
    expect(page.get_by_label("Link between nodes B")).to_be_visible()

"""The page shows why a number is marked, also to users without a mouse."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.web.browsing import Site, visiting
from tests.web.many_jobs import add_twin

WHY = "Job 9 ran on the same node. It comes after undisturbed jobs and counts less in baselines."
MOST_STOPS = 40


@pytest.fixture(scope="module")
def disturbed(site: Site) -> int:
    """A job that another one disturbed."""
    return add_twin(site.lab.data_dir, "crowded", disturbed_by="Job 9 ran on the same node.")


def reason(page: Page) -> Locator:
    return page.locator("#reason")


def come_by_tab(page: Page, to: Locator) -> None:
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if to.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{MOST_STOPS} times Tab do not come to {to}")


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_a_row_of_the_list_says_why_by_its_arrows_and_by_a_click(
    browser: Browser, site: Site, disturbed: int, scheme: Literal["light", "dark"]
) -> None:
    with visiting(browser, site, scheme) as visit:
        page = visit.open("/jobs?q=crowded")
        link = page.get_by_role("link", name="crowded", exact=True)
        sign = page.locator("tbody").get_by_role("button", name="disturbed").first
        # Whether it is unstable as well, which the same sign says, is a matter of chance.
        expect(sign).to_have_accessible_description(re.compile("^" + re.escape(f"disturbed: {WHY}")))
        page.keyboard.press("j")
        expect(link).to_be_focused()
        expect(reason(page)).to_be_hidden()
        page.keyboard.press("ArrowRight")
        expect(sign).to_be_focused()
        expect(reason(page)).to_contain_text(f"disturbed: {WHY}")
        expect(reason(page)).to_be_in_viewport(ratio=1)
        assert visit.violations() == []
        visit.shoot(f"reason-list-{scheme}")
        page.keyboard.press("Escape")
        expect(reason(page)).to_be_hidden()
        expect(sign).to_be_focused()
        page.keyboard.press("Enter")
        expect(reason(page)).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(link).to_be_focused()
        expect(reason(page)).to_be_hidden()
        sign.click()
        expect(reason(page)).to_be_visible()
        page.get_by_role("heading", level=1).click()
        expect(reason(page)).to_be_hidden()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("the reasons for its marks")


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_job_says_why_by_tab_by_click_and_to_a_pointer(
    browser: Browser, site: Site, disturbed: int, scheme: Literal["light", "dark"]
) -> None:
    with visiting(browser, site, scheme) as visit:
        page = visit.open(f"/jobs/{disturbed}")
        mark = page.locator("header").get_by_role("button", name="disturbed", exact=True)
        expect(mark).to_have_accessible_description(WHY)
        come_by_tab(page, mark)
        expect(reason(page)).to_have_text(WHY)
        expect(reason(page)).to_be_in_viewport(ratio=1)
        assert visit.violations() == []
        visit.shoot(f"reason-job-{scheme}")
        page.keyboard.press("Tab")
        expect(reason(page)).to_be_hidden()
        mark.click()
        expect(reason(page)).to_be_visible()
        page.get_by_role("heading", level=1).click()
        expect(reason(page)).to_be_hidden()
        mark.hover()
        expect(reason(page)).to_be_visible()
        reason(page).hover()
        expect(reason(page)).to_be_visible()
        page.get_by_role("heading", level=1).hover()
        expect(reason(page)).to_be_hidden()

"""The link that `ringscope up` prints, a pasted token, and the way out."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, Visit, visiting

from ringscope.cli.connection import token


def test_the_printed_link_logs_in_once_and_a_preview_of_it_does_not_count(site: Site, stranger: Visit) -> None:
    page = stranger.page
    assert page.context.request.get(site.link, headers={"Accept": "text/html"}).ok
    page.goto(site.link)
    expect(page.get_by_role("heading", name="Slots")).to_be_visible()
    assert page.url == f"{site.url}/"
    page.context.clear_cookies()
    page.goto(site.link)
    expect(page.get_by_role("heading", name="Log in to ringscope")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("was used, was revoked or has expired")


def test_a_pasted_token_logs_in_and_a_wrong_one_is_told(site: Site, stranger: Visit) -> None:
    page = stranger.page
    page.goto(f"{site.url}/jobs/1")
    box = page.get_by_role("textbox", name="Or paste a token")
    box.fill("wrong")
    box.press("Enter")
    sentence = site.post("/session", {"token": "wrong"}).json()["detail"]
    expect(page.get_by_text(sentence)).to_be_visible()
    box.fill(token(site.lab.data_dir))
    box.press("Enter")
    expect(page.get_by_role("heading", name="first sweep", level=1)).to_be_visible()


def test_logging_out_ends_the_session(browser: Browser, site: Site) -> None:
    with visiting(browser, site, has_own_session=True) as visit:
        visit.expect_error("401")
        page = visit.open("/")
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("heading", name="Log in to ringscope")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Log in to ringscope")).to_be_visible()


def test_logging_out_takes_the_other_tabs_along(browser: Browser, site: Site) -> None:
    with visiting(browser, site, has_own_session=True) as visit:
        visit.expect_error("401")
        page = visit.open("/settings/webhooks")  # which asks for nothing by itself: only its stream tells
        other = page.context.new_page()
        other.goto(f"{site.url}/settings/webhooks")
        expect(other.get_by_role("heading", name="Webhooks")).to_be_visible()
        expect(other.locator("[data-status=live]")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(other.get_by_role("heading", name="Log in to ringscope")).to_be_visible()


def test_a_session_that_ends_leads_to_the_login_page(browser: Browser, site: Site) -> None:
    with visiting(browser, site, has_own_session=True) as visit:
        visit.expect_error("401")
        # The tests above may have used up the requests that an address without a token is allowed.
        visit.expect_error("429")
        page = visit.open("/")
        expect(page.get_by_role("heading", name="Slots")).to_be_visible()
        page.context.clear_cookies()
        # By keys and not by a link: a poll of the page may notice before, and take the links away.
        page.keyboard.type("gn")
        expect(page.get_by_role("heading", name="Log in to ringscope")).to_be_visible()


@pytest.mark.long
def test_a_shared_page_opens_for_somebody_who_may_only_look(browser: Browser, site: Site, visit: Visit) -> None:
    shown = visit.open("/jobs/1?tab=configuration")
    shown.get_by_role("button", name="More").click()
    shown.get_by_role("button", name="Share").click()
    dialog = shown.get_by_role("dialog", name="Share this page")
    dialog.get_by_role("button", name="Make link").click()
    expect(dialog).to_contain_text("Anyone with this link can view everything and change nothing until")
    assert visit.violations() == []
    visit.shoot("share")
    link = dialog.locator("pre").inner_text()
    # The first of several people who open it.
    assert visit.site.post("/session", {"token": parse_qs(urlsplit(link).query)["token"][0]}).status_code == 204
    with visiting(browser, site, has_own_session=True) as other:
        other.expect_error("401")
        page = other.page
        page.context.clear_cookies()
        page.goto(link)
        expect(page.get_by_role("heading", name="first sweep", level=1)).to_be_visible()
        assert page.url == f"{site.url}/jobs/1?tab=configuration"
        expect(page.get_by_title("Logged in as admin, viewer")).to_be_visible()
        page.get_by_role("button", name="More").click()
        for action in ("Share", "Run again"):
            expect(page.get_by_role("button", name=action).or_(page.get_by_role("link", name=action))).to_have_count(0)
        dialog.get_by_role("button", name="Revoke").click()
        expect(dialog.get_by_role("button", name="Revoke")).to_have_count(0)
        page.goto(link)
        expect(page.get_by_role("alert")).to_contain_text("was used, was revoked or has expired")

"""The frame of the pages: palette, keys, help, and what a role sees."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.web.browsing import Site, Visit, visiting
from tests.web.many_jobs import add_twin
from tests.web.pages.test_pages import ROUTES


def path_of(page: Page, site: Site) -> str:
    return page.url.removeprefix(site.url)


@pytest.mark.long
def test_the_palette_finds_pages_jobs_and_nodes_by_keyboard(visit: Visit) -> None:
    page, site = visit.page, visit.site
    visit.open("/")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Page, job, node or command")
    expect(box).to_be_focused()
    expect(page.get_by_role("option").first).to_be_visible()
    assert visit.violations() == []
    visit.shoot("palette")
    page.keyboard.type("first sw")
    expect(page.get_by_role("option", selected=True)).to_contain_text("first sweep")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="first sweep", level=1)).to_be_visible()
    node = site.get("/nodes")["items"][0]["name"]
    for typed, path in (
        ("settings", "/settings/tokens"),
        ("audit", "/settings/audit"),
        ("#1", "/jobs/1"),
        (f"node {node}", f"/nodes/{node}"),
        ("link", "/nodes#links"),
    ):
        expect(box).to_have_count(0)  # hidden at once, gone a moment later: nobody presses the keys again in between
        page.keyboard.press("Control+k")
        expect(box).to_be_focused()
        page.keyboard.type(typed)
        expect(page.get_by_role("option").first).to_be_visible()
        page.keyboard.press("Enter")
        expect(page).to_have_url(site.url + path)
    expect(page.get_by_role("heading", name="Links", exact=True)).to_be_focused()
    expect(box).to_have_count(0)
    page.keyboard.press("Control+k")
    page.keyboard.type("nothing has this name")
    expect(page.get_by_text("No match for")).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()


@pytest.mark.long
def test_the_palette_keeps_the_focus_and_gives_it_back(visit: Visit) -> None:
    page = visit.open("/jobs")
    before = page.get_by_role("combobox", name="Kind")
    before.focus()
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Page, job, node or command")
    expect(box).to_be_focused()
    for key in ("Tab", "Shift+Tab"):
        page.keyboard.press(key)
        expect(box).to_be_focused()
    # What is typed goes nowhere else.
    page.keyboard.type("gn")
    expect(page).to_have_url(visit.site.url + "/jobs")
    page.keyboard.press("Escape")
    # It is hidden at once, and gone a moment later: nobody presses the keys again in between.
    expect(box).to_have_count(0)
    expect(before).to_be_focused()
    page.keyboard.press("Control+k")
    expect(box).to_be_focused()
    page.mouse.click(5, 300)
    expect(box).to_be_hidden()


def test_keys_lead_to_the_pages_and_through_a_list(visit: Visit) -> None:
    page, site = visit.page, visit.site
    add_twin(site.lab.data_dir, "sought")
    visit.open("/")
    for keys, path in (
        ("gj", "/jobs"),
        ("gn", "/nodes"),
        ("gc", "/compare"),
        ("gp", "/plan"),
        ("gr", "/ring"),
        ("gs", "/settings/tokens"),
        ("go", "/"),
    ):
        page.keyboard.type(keys)
        expect(page).to_have_url(site.url + path)
    page.keyboard.type("gj")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.keyboard.press("j")
    first = page.locator("tbody tr[data-index='0'] a")
    expect(first).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_role("region", name="Chosen jobs")).to_contain_text("1 chosen")
    page.keyboard.press("/")
    box = page.get_by_role("searchbox", name="Name or note contains")
    expect(box).to_be_focused()
    page.keyboard.type("sought")
    expect(page).to_have_url(re.compile("q=sought"))
    expect(page.locator("tbody tr")).to_have_count(1)
    box.blur()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="sought", level=1)).to_be_visible()
    page.keyboard.press("n")
    expect(page).to_have_url(f"{site.url}/jobs/new")


@pytest.mark.long
def test_brackets_go_to_the_next_job_and_back(visit: Visit) -> None:
    page = visit.page
    visit.site.post("/jobs", {"name": "second", "benchmark": {"max_bytes": 64, "iterations": 1}})
    visit.open("/jobs/1")
    expect(page.get_by_role("link", name="2 →")).to_be_visible()
    page.keyboard.press("]")
    expect(page).to_have_url(f"{visit.site.url}/jobs/2")
    expect(page.get_by_role("link", name="← 1")).to_be_visible()
    page.keyboard.press("[")
    expect(page).to_have_url(f"{visit.site.url}/jobs/1")


@pytest.mark.long
def test_single_keys_can_be_switched_off_and_stay_so(visit: Visit) -> None:
    page = visit.page
    visit.open("/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    assert visit.violations() == []
    visit.shoot("keys")
    dialog.get_by_role("checkbox", name="Single keys work").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("heading", name="Slots")).to_be_visible()
    page.keyboard.press("?")
    page.keyboard.type("gj")
    expect(dialog).to_be_hidden()
    assert path_of(page, visit.site) == "/"
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").click()
    dialog.get_by_role("checkbox", name="Single keys work").check()


@pytest.mark.long
def test_the_tab_carries_the_state(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    expect(page).to_have_title(re.compile(r"^✓ [\d.]+ GB/s · job 1 · ringscope$"))
    icon = "document.querySelector('link[rel=icon]').href"
    assert page.evaluate(icon).startswith("data:image/svg+xml,")
    visit.open("/")
    assert page.evaluate(icon).endswith("/favicon.svg")


@pytest.fixture(scope="module")
def viewer_token(site: Site) -> str:
    made = site.post("/tokens", {"name": "vera", "role": "viewer"})
    return str(made.json()["secret"])


@pytest.fixture(scope="module")
def held_job(site: Site) -> Iterator[int]:
    """A job that can be cancelled."""
    job_id = int(site.post("/jobs", {"hold": True, "benchmark": {"max_bytes": 64}}).raise_for_status().json()["id"])
    yield job_id
    site.post(f"/jobs/{job_id}/cancel", {}).raise_for_status()


# Where somebody may do something, and what by the part of its name; no route twice in a row.
ACTIONS = {
    "/": ("New job",),
    # "More" of a held job has "Share" and "Run again".
    "/jobs/HELD": ("Cancel", "More", "Release"),
    "/jobs?chosen=HELD": ("Cancel 1 job",),
    "/jobs/new": ("Submit the job",),
    "/nodes/NODE": ("Drain", "Remove", "Release slot 0", "Change"),
    "/settings/schedules?id=1": ("New schedule", "Run now", "Disable", "Edit", "Remove"),
    "/settings/audit": ("CSV of all that match",),
    "/settings/monitoring": ("Make token",),
    "/settings/webhooks?id=1": ("New webhook", "Send a test", "Disable", "Remove"),
    "/settings/tokens": ("New token", "Revoke", "Rotate"),
    "/nodes/drained": ("Resume",),
}
NEEDS = {"/jobs/new": "operator", "/settings/webhooks?id=1": "admin", "/settings/tokens": "admin"}
ELSEWHERE = ("/jobs", "/nodes", "/compare", "/plan", "/ring", "/diagnose")


def content_of(path: str) -> str:
    """Return the selector that shows a test that the content of the page is there."""
    if path == "/compare":  # of no jobs
        return "h1"
    of_one = {"/jobs/HELD": "/jobs/$jobId", "/nodes/NODE": "/nodes/$name", "/nodes/drained": "/nodes/$name"}
    page = path.partition("?")[0]
    return ROUTES[of_one.get(page, page)].filled


def offer_everything(page: Page, site: Site) -> str:
    """Change the answers so that one node is lost with a slot in quarantine and another one is drained.

    Return the name of the lost node.
    """
    (node,) = site.get("/nodes")["items"]
    slots = [node["slots"][0] | {"quarantine": "A rank may live."}, *node["slots"][1:]]
    lost = node | {"observed": "lost", "slots": slots, "slots_quarantined": 1}
    drained = node | {"id": 99, "name": "drained", "desired": "drain"}
    page.route("**/api/v1/nodes", lambda route: route.fulfill(json={"items": [lost, drained], "next": None}))
    day = site.get(f"/nodes/{node['name']}/history")
    # The server knows no such node.
    page.route("**/api/v1/nodes/drained/history", lambda route: route.fulfill(json=day))
    return str(node["name"])


ANY_ACTION = re.compile("|".join(word for words in ACTIONS.values() for word in words))


def offered(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name))


@pytest.mark.long
def test_an_admin_is_offered_every_action(visit: Visit, held_job: int) -> None:
    """An admin is offered the actions that the next test does not find for others."""
    node = offer_everything(visit.page, visit.site)
    for path, words in ACTIONS.items():
        visit.follow(path.replace("HELD", str(held_job)).replace("NODE", node))
        for word in words:
            expect(offered(visit.page, word).first).to_be_visible()


@pytest.mark.parametrize(
    "paths", [tuple(ACTIONS), pytest.param(ELSEWHERE, marks=pytest.mark.long)], ids=("actions", "elsewhere")
)
def test_a_viewer_sees_no_action_that_it_may_not_do(
    browser: Browser, site: Site, viewer_token: str, held_job: int, paths: tuple[str, ...]
) -> None:
    with visiting(browser, site, has_own_session=True) as visit:
        page = visit.page
        page.context.clear_cookies()
        answer = httpx.post(f"{site.url}/api/v1/session", json={"token": viewer_token})
        page.context.add_cookies(
            [{"name": name, "value": value, "url": site.url} for name, value in answer.cookies.items()]
        )
        node = offer_everything(page, site)
        for path in paths:
            visit.follow(path.replace("HELD", str(held_job)).replace("NODE", node))
            expect(page.get_by_title("Logged in as vera, viewer")).to_be_visible()
            # What is not there yet offers nothing to anybody.
            if role := NEEDS.get(path):
                expect(page.get_by_role("note")).to_contain_text(f"needs the role {role}")
            else:
                expect(page.locator(content_of(path)).first).to_be_visible()
            expect(offered(page, ANY_ACTION)).to_have_count(0)
        assert visit.violations() == []
        before = page.url
        page.keyboard.press("n")
        assert page.url == before
        page.keyboard.press("Control+k")
        expect(page.get_by_role("option", name="Show the keys")).to_be_visible()
        expect(page.get_by_role("option", name="New job")).to_have_count(0)

"""Every route: accessible in both themes, filled, empty and in error; whole on a phone; and as the API has it."""

import json
import re
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Route as PlaywrightRoute
from tests.web.browsing import ROOT, Site, Visit, visiting


@dataclass(frozen=True)
class Route:
    """One page of the router, and how a test knows that its content is there."""

    path: str
    filled: str  # a selector of what a site with a job shows
    empty: str = "h1"
    # Of an answer 500 to every question but who I am; None: the page asks nothing.
    failed: str | None = "[role=alert]"


# Every route of frontend/src/app/router.tsx; a test fails without it.
ROUTES = {
    "/": Route("/", "tbody tr", "text=No jobs yet"),
    "/jobs": Route("/jobs", "tbody tr", "text=No jobs yet"),
    "/jobs/new": Route("/jobs/new", "text=slots are free now"),
    "/jobs/$jobId": Route("/jobs/1", "text=Configuration", "text=There is no job 1"),
    "/jobs/$jobId/ring": Route("/jobs/1/ring", "text=In time", "text=There is no job 1"),
    "/compare": Route("/compare?ids=1", "text=Choose what to compare job 1 with", "text=There is no job 1"),
    "/nodes": Route("/nodes", "tbody tr", "text=No nodes yet"),
    "/nodes/$name": Route("/nodes/NODE", "text=Inventory", "text=There is no node named"),
    "/plan": Route("/plan", "text=Sensitivity of the times", "text=Sensitivity of the times"),
    "/ring": Route("/ring", "text=In time", "text=In time"),
    "/diagnose": Route("/diagnose", "text=Choose files", "text=Choose files", None),
    "/settings/tokens": Route("/settings/tokens", "tbody tr", "tbody tr"),
    "/settings/webhooks": Route("/settings/webhooks?id=1", "text=Send a test", "text=No webhooks yet"),
    "/settings/schedules": Route("/settings/schedules?id=1", "text=Next times", "text=No schedules yet"),
    "/settings/monitoring": Route("/settings/monitoring", "text=ringscope-job.json", "text=ringscope-job.json"),
    "/settings/audit": Route("/settings/audit", "tbody tr", "tbody tr"),
}
# They lead elsewhere at once.
REDIRECTS = {"/login", "/settings"}

PROBLEM = {"title": "Broken", "detail": "The disk is full; make room.", "code": "broken", "status": 500}


def test_the_table_has_every_route() -> None:
    router = (ROOT / "frontend" / "src" / "app" / "router.tsx").read_text()
    assert set(re.findall(r'path: "(/[^"]*)"', router)) == ROUTES.keys() | REDIRECTS


def fail_every_question(page: Page) -> None:
    def answer(route: PlaywrightRoute) -> None:
        if route.request.url.endswith("/api/v1/me") or "/stream" in route.request.url:
            route.continue_()
        else:
            route.fulfill(status=500, content_type="application/problem+json", body=json.dumps(PROBLEM))

    page.route("**/api/v1/**", answer)


def shot(route: str) -> str:
    return route.strip("/").replace("/", "-").replace("$", "") or "overview"


def node_name(site: Site) -> str:
    nodes = site.get("/nodes")["items"]
    return str(nodes[0]["name"]) if nodes else "n1"


# The gate's sample: a form with every kind of field, and the page with most parts, charts and tables.
SAMPLE = ("/jobs/new", "/jobs/$jobId")


# Colours differ by scheme and are all on filled pages, of which the gate has a sample.
@pytest.mark.parametrize(
    ("scheme", "state", "names"),
    [
        pytest.param("light", "filled", SAMPLE, id="light-filled-sample"),
        *(
            pytest.param(scheme, state, tuple(ROUTES), id=f"{scheme}-{state}", marks=pytest.mark.long)
            for state in ("filled", "empty", "failed")
            for scheme in ("light", "dark")  # app/tokens.test.ts knows the contrasts of both
        ),
    ],
)
def test_no_route_has_an_accessibility_violation(
    browser: Browser,
    request: pytest.FixtureRequest,
    scheme: Literal["light", "dark"],
    state: str,
    names: tuple[str, ...],
) -> None:
    site: Site = request.getfixturevalue("empty_site" if state == "empty" else "site")
    with visiting(browser, site, scheme) as visit:
        node = node_name(visit.site)
        if state != "filled":
            visit.expect_error("500")
            visit.expect_error("404")
            visit.expect_error("422")  # of the form: what a job would wait for on no node at all
        if state == "failed":
            fail_every_question(visit.page)
        found = {}
        for name in names:
            route = ROUTES[name]
            there = getattr(route, state)
            if there is None:
                continue
            # What failed on one page is asked for again on the next, which meanwhile has neither content nor heading.
            come_to = visit.open if state == "failed" else visit.follow
            page = come_to(route.path.replace("NODE", node))
            expect(page.locator(there).first).to_be_visible()
            visit.shoot(f"{shot(name)}-{state}-{scheme}")
            if violations := visit.violations():
                found[name] = violations
        assert found == {}


# By the start of their buttons' names, and where they are.
DIALOGS = {
    "Ctrl K": "/",
    "Keys": "/",
    "Save this view": "/jobs?q=first",
    "Share": "/jobs/1",
    "Drain": "/nodes/NODE",
    "New token": "/settings/tokens",
    "Rotate": "/settings/tokens",
    "New webhook": "/settings/webhooks?id=1",
    "Remove": "/settings/webhooks?id=1",
    "New schedule": "/settings/schedules?id=1",
    "Edit": "/settings/schedules?id=1",
}


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_dialog_has_an_accessibility_violation(
    browser: Browser, site: Site, scheme: Literal["light", "dark"]
) -> None:
    with visiting(browser, site, scheme) as visit:
        found = {}
        for button, path in DIALOGS.items():
            page = visit.open(path.replace("NODE", node_name(site)))
            if button == "Share":
                page.get_by_role("button", name="More").click()
            page.get_by_role("button", name=re.compile(f"^{button}")).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            visit.shoot(f"dialog-{button.lower().replace(' ', '-')}-{scheme}")
            if violations := visit.violations():
                found[button] = violations
        assert found == {}


def test_an_empty_site_says_what_to_run(visit: Visit) -> None:
    """The answers are replaced by empty ones; the test of the state ``empty`` checks that a new server gives such."""
    for what in ("nodes", "jobs"):
        visit.page.route(
            re.compile(rf"/api/v1/{what}(\?|$)"), lambda route: route.fulfill(json={"items": [], "next": None})
        )
    page = visit.open("/")
    expect(page.get_by_text(f"ringscope agent --server {visit.site.url} --join-token TOKEN")).to_be_visible()
    expect(page.get_by_text("ringscope submit --ranks 4 --wait")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_the_login_page_is_accessible(browser: Browser, site: Site, scheme: str) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light", has_own_session=True) as visit:
        visit.expect_error("401")
        visit.page.context.clear_cookies()
        visit.open("/?login=expired")
        visit.shoot(f"login-{scheme}")
        assert visit.violations() == []


@pytest.mark.long
def test_a_phone_never_scrolls_sideways(browser: Browser, site: Site) -> None:
    with visiting(browser, site, width=390) as visit:
        node = node_name(site)
        for name, route in ROUTES.items():
            page = visit.open(route.path.replace("NODE", node))
            expect(page.locator(route.filled).first).to_be_visible()
            visit.shoot(f"{shot(name)}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 390, name
        page.get_by_role("button", name="Menu").click()
        expect(page.get_by_role("link", name="Settings")).to_be_in_viewport(ratio=1)


def test_overview_and_nodes_show_what_the_api_says(visit: Visit) -> None:
    page = visit.open("/")
    cluster = visit.site.get("/cluster")
    facts = page.locator("main dl").first
    expect(facts).to_contain_text(f"Nodes ready{cluster['nodes_ready']} of {cluster['nodes_total']}")
    expect(facts).to_contain_text(f"of {cluster['slots_total']}")
    newest = visit.site.get("/jobs?limit=1")["items"][0]
    bar = page.get_by_role("link", name=re.compile(f"^Job {newest['id']}, {newest['name']}.*: {newest['state']}, "))
    expect(bar).to_be_visible()
    node = visit.site.get("/nodes")["items"][0]
    expect(page.get_by_role("list", name=f"Slots of {node['name']}").locator("li")).to_have_count(4)
    page.get_by_role("link", name="Nodes", exact=True).click()
    row = page.get_by_role("row", name=node["name"])
    expect(row).to_contain_text("ready")
    expect(row).to_contain_text(f"python {node['versions']['python']}")
    expect(row.get_by_text("load")).to_be_visible()  # which its agent tells with each heartbeat
    row.get_by_role("link", name=node["name"]).click()
    expect(page.get_by_text(node["inventory"]["cpu_model"])).to_be_visible()


def test_a_new_job_appears_in_the_open_list_and_the_url_filters(visit: Visit) -> None:
    page = visit.open("/jobs")
    sweep = {"collective": "all_gather", "algorithms": ["mpi"], "max_bytes": 64, "iterations": 1}
    body = {"name": "appears", "benchmark": sweep, "placement": {"ranks": 1}}
    expect(page.get_by_role("link", name="first sweep")).to_be_visible()
    job_id = visit.site.post("/jobs", body).json()["id"]
    # Nothing moves under the pointer: the list says that there is more, and shows it when asked.
    pill = page.get_by_role("button", name="1 new job")
    expect(pill).to_be_visible()
    expect(page.get_by_role("link", name="appears")).to_have_count(0)
    visit.shoot("jobs-arrived")
    pill.click()
    expect(page.get_by_role("link", name="appears")).to_be_visible()
    expect(pill).to_have_count(0)
    visit.site.lab.wait_for_state(job_id, "succeeded")
    row = page.get_by_role("row", name="appears")
    expect(row).to_contain_text("succeeded")
    expect(row.get_by_role("cell", name="all-gather")).to_be_visible()
    page.get_by_label("Name or note contains").fill("first")
    expect(page.get_by_role("link", name="appears")).to_have_count(0)
    expect(page).to_have_url(f"{visit.site.url}/jobs?q=first")
    page.get_by_role("combobox", name="State").select_option("failed")
    expect(page.get_by_text("No job matches this filter")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="first sweep")).to_be_visible()


def test_back_leads_to_what_the_list_was_and_never_elsewhere(visit: Visit) -> None:
    page, jobs = visit.page, f"{visit.site.url}/jobs"
    visit.open("/jobs")
    page.get_by_role("combobox", name="State").select_option("failed")
    expect(page).to_have_url(f"{jobs}?state=failed")
    box = page.get_by_label("Name or note contains")
    # What is typed is one step, however often it settles.
    box.press_sequentially("nc")
    expect(page).to_have_url(f"{jobs}?state=failed&q=nc")
    box.press_sequentially("cl")
    expect(page).to_have_url(f"{jobs}?state=failed&q=nccl")
    page.go_back()
    expect(page).to_have_url(f"{jobs}?state=failed")
    expect(box).to_have_value("")
    # Who goes back before it has settled takes what was typed back as well.
    box.press_sequentially("x")
    page.go_back()
    expect(box).to_have_value("")
    expect(page).to_have_url(jobs)
    visit.open("/jobs?state=bogus")
    expect(page.get_by_role("note")).to_contain_text(
        "There is no state \u201cbogus\u201d, so that every state is shown"
    )
    expect(page.get_by_role("link", name="first sweep")).to_be_visible()


def test_the_overview_lists_first_what_runs_however_old(visit: Visit) -> None:
    """The answers are changed so that job 1 runs and thirty jobs were submitted after it."""
    (job,) = visit.site.get("/jobs?q=first sweep")["items"]
    node = visit.site.get("/nodes")["items"][0]
    queued = [job | {"id": 1000 - i, "state": "queued", "name": f"waits {i}"} for i in range(30)]

    def jobs(route: PlaywrightRoute) -> None:
        is_active = "state=running" in route.request.url
        route.fulfill(json={"items": [job | {"state": "running"}] if is_active else queued, "next": None})

    visit.page.route(re.compile(r"/api/v1/jobs\?"), jobs)
    shrunk = node | {"slots_total": 1, "slots_busy": 3}
    visit.page.route(re.compile(r"/api/v1/nodes$"), lambda route: route.fulfill(json={"items": [shrunk], "next": None}))
    page = visit.open("/")
    expect(page.locator("tbody tr").first).to_contain_text("first sweep")
    expect(page.locator("tbody tr")).to_have_count(12)
    # One count of slots, with the reason where more are busy than there are.
    reason = "2 more than it has; they disappear when their jobs end"
    expect(page.locator("main dl").first).to_contain_text(f"Slots busy3 of 1{reason}")
    expect(page.get_by_text(f"3 of 1 slot busy ({reason})")).to_be_visible()


@pytest.mark.long
def test_the_overview_says_what_of_the_jobs_it_could_not_load(visit: Visit) -> None:
    visit.expect_error("500")
    refused = {"status": 500, "content_type": "application/problem+json", "body": json.dumps(PROBLEM)}
    visit.page.route(re.compile(r"/api/v1/jobs\?.*state=running"), lambda route: route.fulfill(**refused))
    page = visit.open("/")
    expect(page.get_by_role("alert")).to_have_text(re.compile(r"The jobs that run could not be loaded\. The disk"))
    newest = visit.site.get("/jobs?limit=1")["items"][0]["id"]
    expect(page.locator(f"main a[href='/jobs/{newest}']").first).to_be_visible()


@pytest.mark.long
def test_the_focus_is_never_lost(visit: Visit) -> None:
    page = visit.page
    waits = {"name": "to be cancelled", "hold": True, "benchmark": {"max_bytes": 64, "iterations": 1}}
    visit.open(f"/jobs/{visit.site.post('/jobs', waits).json()['id']}")
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name=re.compile("^Cancel job")).click()
    expect(page.locator("main").get_by_text("cancelled").first).to_be_visible()
    expect(page.locator("main")).to_be_focused()
    visit.open("/jobs/new?ranks=1&min=8&max=8&iterations=1")
    page.get_by_label("Name").fill("focus")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineWidth") == "2px"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="focus", level=1)).to_be_visible()
    expect(page.locator("main")).to_be_focused()


@pytest.mark.long
def test_the_theme_stays_after_a_reload(visit: Visit) -> None:
    page = visit.open("/")
    page.get_by_role("button", name="Switch to the dark theme").click()
    expect(page.get_by_role("button", name="Switch to the light theme")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Switch to the light theme")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.mantineColorScheme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 17, 20)"


def test_an_unknown_address_says_so(visit: Visit) -> None:
    page = visit.open("/nowhere")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    visit.open("/jobs/forty-two")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()


def test_the_skip_link_leads_to_the_content(visit: Visit) -> None:
    page = visit.open("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()

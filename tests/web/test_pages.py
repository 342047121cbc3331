"""Every page: what it shows is what the API says, accessible in both themes, and whole on a phone."""

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import Site, Visit, visiting

PAGES = {
    "overview": "/",
    "jobs": "/jobs",
    "job": "/jobs/1",
    "job-table": "/jobs/1?view=table&place=both",
    "new-job": "/jobs/new",
    "nodes": "/nodes",
}


def node_name(site: Site) -> str:
    return str(site.get("/nodes")["items"][0]["name"])


def settle(page: Page, name: str) -> None:
    """Until the page's own data is there."""
    if name.startswith("job-") or name == "job":
        expect(page.get_by_role("table", name="Measurements of ring").locator("tbody tr")).to_have_count(5)
    elif name == "new-job":
        expect(page.get_by_text("slots are free now")).to_be_visible()
    elif name == "node":
        expect(page.get_by_role("heading", name="Inventory")).to_be_visible()
    else:
        expect(page.locator("tbody tr").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_an_accessibility_violation(browser: Browser, site: Site, scheme: str) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        for name, path in (PAGES | {"node": f"/nodes/{node_name(site)}"}).items():
            page = visit.open(path)
            settle(page, name)
            visit.shoot(f"{name}-{scheme}")
            assert visit.violations() == [], name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_empty_pages_say_what_to_run(browser: Browser, empty_site: Site, scheme: str) -> None:
    with visiting(browser, empty_site, "dark" if scheme == "dark" else "light") as visit:
        page = visit.open("/")
        expect(page.get_by_text(f"ringscope agent --server {empty_site.url} --token-file agent-token")).to_be_visible()
        expect(page.get_by_text("ringscope submit --ranks 4 --wait")).to_be_visible()
        visit.shoot(f"empty-{scheme}")
        assert visit.violations() == []
        for path in ("/jobs", "/nodes", "/jobs/new"):
            visit.open(path)
            assert visit.violations() == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_login_page_is_accessible(browser: Browser, site: Site, scheme: str) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        visit.expect_error("401")
        visit.page.context.clear_cookies()
        visit.open("/?login=expired")
        visit.shoot(f"login-{scheme}")
        assert visit.violations() == []


def test_a_phone_never_scrolls_sideways(browser: Browser, site: Site) -> None:
    with visiting(browser, site, width=375) as visit:
        for name, path in (PAGES | {"node": f"/nodes/{node_name(site)}"}).items():
            page = visit.open(path)
            settle(page, name)
            visit.shoot(f"{name}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 375, name


def test_overview_and_nodes_show_what_the_api_says(visit: Visit) -> None:
    page = visit.open("/")
    cluster = visit.site.get("/cluster")
    facts = page.locator("dl").first
    expect(facts).to_contain_text(f"Nodes ready{cluster['nodes_ready']} of {cluster['nodes_total']}")
    expect(facts).to_contain_text(f"of {cluster['slots_total']}")
    expect(page.get_by_role("link", name="Job 1, first sweep: succeeded, all-reduce")).to_be_visible()
    node = visit.site.get("/nodes")["items"][0]
    expect(page.get_by_role("list", name=f"Slots of {node['name']}").locator("li")).to_have_count(4)
    page.get_by_role("link", name="Nodes", exact=True).click()
    row = page.get_by_role("row", name=node["name"])
    expect(row).to_contain_text("ready")
    expect(row).to_contain_text(f"python {node['versions']['python']}")
    row.get_by_role("link", name=node["name"]).click()
    expect(page.get_by_text(node["inventory"]["cpu_model"])).to_be_visible()


def test_a_new_job_appears_in_the_open_list_and_the_url_filters(visit: Visit) -> None:
    page = visit.open("/jobs")
    sweep = {"collective": "all_gather", "algorithms": ["mpi"], "max_bytes": 64, "iterations": 1}
    body = {"name": "appears", "benchmark": sweep}
    job_id = visit.site.post("/jobs", body).json()["id"]
    expect(page.get_by_role("link", name="appears")).to_be_visible()
    visit.site.lab.wait_for_state(job_id, "succeeded")
    row = page.get_by_role("row", name="appears")
    expect(row).to_contain_text("succeeded")
    expect(row.get_by_role("cell", name="all-gather")).to_be_visible()
    page.get_by_label("Name contains").fill("first")
    expect(page.get_by_role("link", name="appears")).to_have_count(0)
    expect(page).to_have_url(f"{visit.site.url}/jobs?q=first")
    page.get_by_label("State").select_option("failed")
    expect(page.get_by_text("No job matches this filter")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="first sweep")).to_be_visible()


def test_a_long_list_loads_on_scrolling(visit: Visit) -> None:
    spec = {"benchmark": {"algorithms": ["mpi"]}, "placement": {"ranks": 4}, "priority": 0}
    blocker = visit.site.post("/jobs", spec | {"name": "blocker", "benchmark": {"iterations": 1_000_000}}).json()["id"]
    ids = [visit.site.post("/jobs", spec | {"name": f"filler {i}"}).json()["id"] for i in range(52)]
    page = visit.open("/jobs?q=filler")
    expect(page.locator("tbody tr")).to_have_count(50)
    page.mouse.wheel(0, 100_000)
    expect(page.locator("tbody tr")).to_have_count(52)
    for job_id in (*reversed(ids), blocker):
        visit.site.post(f"/jobs/{job_id}/cancel", {})
    visit.site.lab.wait_for_state(blocker, "cancelled")


def test_the_theme_stays_after_a_reload(visit: Visit) -> None:
    page = visit.open("/")
    page.get_by_role("button", name="Switch to the dark theme").click()
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

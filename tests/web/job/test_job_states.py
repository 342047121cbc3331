"""A job's page explains a wait, a lost node and a failure, and keeps its content if the server does not answer."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.web.browsing import Site, Visit, visiting

pytestmark = pytest.mark.long

ENDLESS = {
    "benchmark": {
        "algorithms": ["ring"],
        "min_bytes": 1024,
        "max_bytes": 4096,
        "step_factor": 2,
        "iterations": 1_000_000,
    },
    "placement": {"ranks": 4},
}
BROKEN = {"title": "Broken", "detail": "The disk is full; make room.", "code": "broken", "status": 500}


@pytest.fixture
def endless(site: Site) -> Iterator[int]:
    """A job that has every slot, until the test is over."""
    job_id = int(site.post("/jobs", ENDLESS).json()["id"])
    site.lab.wait_for_state(job_id, "running")
    yield job_id
    site.post(f"/jobs/{job_id}/cancel", {})
    site.lab.wait_for_state(job_id, "cancelled")


def test_a_waiting_job_says_why_where_and_what_to_do(visit: Visit, endless: int) -> None:
    waiting = int(visit.site.post("/jobs", ENDLESS | {"name": "second"}).json()["id"])
    page = visit.open(f"/jobs/{waiting}")
    outcome = page.get_by_role("region", name="Outcome")
    expect(outcome).to_contain_text("Place 1 in the queue.")
    found = visit.site.get(f"/jobs/{waiting}")
    expect(outcome).to_contain_text(found["pending"]["sentence"])
    expect(outcome).to_contain_text(f"Next: {found['advice'].replace('`', '')}")
    visit.shoot("job-queued")
    assert visit.violations() == []
    visit.site.post(f"/jobs/{waiting}/cancel", {})
    expect(page.get_by_role("status")).to_have_text(f"Job {waiting} was cancelled.")


def test_a_running_job_tells_of_a_lost_node_and_since_when(visit: Visit, endless: int) -> None:
    def lost(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        for node in body["items"]:
            node |= {"observed": "lost", "heartbeat_age_seconds": 125.0}
        route.fulfill(response=answer, body=json.dumps(body))

    visit.page.route("**/api/v1/nodes", lost)
    page = visit.open(f"/jobs/{endless}")
    (node,) = visit.site.get(f"/jobs/{endless}")["attempts"][0]["nodes"]
    expect(page.get_by_role("list", name="Lost nodes")).to_have_text(
        f"⚠ Node {node} is lost: it was last heard of 2 min ago."
    )
    visit.shoot("job-node-lost")
    assert visit.violations() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_failed_job_shows_whose_doing_it_was_and_the_last_lines(
    browser: Browser, faulty_site: Site, scheme: str
) -> None:
    job = faulty_site.get("/jobs/1")
    with visiting(browser, faulty_site, "dark" if scheme == "dark" else "light") as visit:
        page = visit.open("/jobs/1")
        outcome = page.get_by_role("region", name="Outcome")
        expect(outcome).to_contain_text(job["message"])
        expect(outcome).to_contain_text(f"Next: {job['advice'].replace('`', '')}")
        rank = job["attempts"][-1]["bad_rank"]
        lines = faulty_site.get("/jobs/1/log?limit=500" + ("" if rank is None else f"&rank={rank}"))["items"]
        if lines:
            expect(page.get_by_role("region", name="Last lines of the log")).to_contain_text(lines[-1]["text"])
        else:
            expect(page.get_by_role("region", name="Last lines")).to_contain_text("printed nothing")
        visit.shoot(f"job-failed-{scheme}")
        assert visit.violations() == []
        all_lines = page.get_by_role("link", name="All lines")
        if faulty_site.get("/jobs/1/log?limit=1")["items"]:
            all_lines.click()
            expect(page).to_have_url(re.compile("tab=log"))
        else:
            expect(all_lines).to_have_count(0)


def test_a_skeleton_stands_in_until_the_answer_comes(visit: Visit) -> None:
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        if is_held:
            held.append(route)
        else:
            route.continue_()

    visit.page.route("**/api/v1/jobs/1/measurements*", hold)
    page = visit.open("/jobs/1")
    skeleton = page.locator("main [aria-busy=true]")
    expect(skeleton).to_be_visible()
    visit.shoot("job-skeleton")
    assert visit.violations() == []
    is_held = False
    for route in held:
        route.continue_()
    expect(page.get_by_role("heading", name="Every size")).to_be_visible()
    expect(skeleton).to_have_count(0)


def test_asking_again_in_vain_takes_nothing_away(visit: Visit) -> None:
    page = visit.open("/nodes")
    node = visit.site.get("/nodes")["items"][0]["name"]
    row = page.get_by_role("row", name=node)
    expect(row).to_be_visible()
    visit.expect_error("500")
    page.route("**/api/v1/nodes", lambda route: route.fulfill(status=500, json=BROKEN))
    expect(page.get_by_role("alert")).to_contain_text("The disk is full; make room.")
    expect(row).to_be_visible()
    visit.shoot("nodes-asked-in-vain")
    assert visit.violations() == []
    page.unroute("**/api/v1/nodes")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)

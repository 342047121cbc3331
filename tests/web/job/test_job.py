"""The job page while a job runs, waits, is cancelled or has failed; and when the stream is down."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.web.browsing import Site, Visit, choose, tell, visiting
from tests.web.shifts import far_server, shift, shifts

# Its steps come one size after another for as long as a test looks, and so slowly that its page stays short.
ENDLESS = {
    "name": "endless",
    "benchmark": {
        "algorithms": ["ring"],
        "min_bytes": 1 << 20,
        "max_bytes": 4 << 20,
        "step_bytes": 1024,
        "iterations": 500,
    },
    "placement": {"ranks": 2},
}
# 0.007 at most was measured; 0.03 where nothing keeps the place of the stages and of the ranks' rows.
MOST_SHIFT = 0.02
SMALL = {"benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024}, "placement": {"ranks": 3}}


@pytest.fixture(scope="module")
def endless_jobs(site: Site) -> Iterator[list[int]]:
    """Yield a list for the ids of jobs that run until they are cancelled; all of them are cancelled at the end."""
    job_ids: list[int] = []
    yield job_ids
    for job_id in job_ids:
        site.post(f"/jobs/{job_id}/cancel", {})
        site.lab.wait_for_state(job_id, "cancelled")


@pytest.fixture
def endless(site: Site, endless_jobs: list[int]) -> int:
    """Return the id of a job that runs until it is cancelled: the newest one, or a new one."""
    if not endless_jobs or site.get(f"/jobs/{endless_jobs[-1]}")["state"] != "running":
        endless_jobs.append(int(site.post("/jobs", ENDLESS | {"time_limit_seconds": 600}).json()["id"]))
        site.lab.wait_for_state(endless_jobs[-1], "running")
        site.lab.yield_to_others()
    return endless_jobs[-1]


@pytest.mark.long
def test_a_waiting_job_says_why(visit: Visit, endless: int) -> None:
    body = {"name": "waits", "placement": {"ranks": 4}, "benchmark": {"max_bytes": 64}}
    waiting = visit.site.post("/jobs", body).json()["id"]
    page = visit.open(f"/jobs/{waiting}")
    expect(page.locator("header").get_by_text("queued")).to_be_visible()
    expect(page.get_by_text("Waits for slots")).to_be_visible()  # the scheduler's next pass has said so
    sentence = visit.site.get(f"/jobs/{waiting}")["pending"]["sentence"]
    expect(page.get_by_text(sentence)).to_be_visible()
    visit.shoot("job-queued")
    visit.site.post(f"/jobs/{waiting}/cancel", {})
    expect(page.locator("header").get_by_text("cancelled")).to_be_visible()


def steps_now(page: Page) -> Locator:
    """The card that is there while ranks tell their steps."""
    return page.get_by_role("region", name="Steps now", exact=True)


@pytest.mark.long
def test_steps_appear_while_the_job_runs_and_nothing_jumps(visit: Visit, endless: int) -> None:
    page = visit.page
    with far_server(page):
        visit.open("/jobs")
        expect(page.locator("tbody tr").first).to_be_visible()
        in_list = shifts(page)
        # What becomes known of the job meanwhile, such as an insight, takes its place: then once more.
        on_page = watch_steps(visit, endless)
        if shift(on_page) >= MOST_SHIFT:
            on_page = watch_steps(visit, endless)
    assert visit.site.get(f"/jobs/{endless}")["state"] == "running"
    tell(f"layout shift: job list {shift(in_list):.4f}, job that runs {shift(on_page):.4f}")
    assert shift(in_list) < MOST_SHIFT, in_list
    assert shift(on_page) < MOST_SHIFT, on_page


def watch_steps(visit: Visit, job_id: int) -> list[tuple[float, Any]]:
    """Return the layout shifts on the page of a running job, from its first paint until its steps have advanced."""
    page = visit.open(f"/jobs/{job_id}")
    rows = steps_now(page).get_by_role("table", name="What each rank is at").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(re.compile(r"ring .*(in|out of) place"))
    step = rows.first.locator("td").nth(1)
    before = step.inner_text()
    expect(step).not_to_have_text(before)
    return shifts(page)


@pytest.mark.long
def test_cancel_asks_and_ends_the_job(visit: Visit, endless: int) -> None:
    page = visit.open(f"/jobs/{endless}")
    expect(page).to_have_title(re.compile(r"^◐ .* · job \d+ · ringscope$"))
    page.get_by_role("button", name="Cancel", exact=True).click()
    dialog = page.get_by_role("dialog", name=f"Cancel job {endless}?")
    expect(dialog).to_contain_text("endless")
    expect(dialog).to_contain_text("2 ranks will be ended")
    assert visit.violations() == []
    dialog.get_by_role("button", name="Keep job").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name=f"Cancel job {endless}").click()
    expect(page.locator("header").get_by_text("cancelled")).to_be_visible()
    expect(steps_now(page)).to_have_count(0)
    assert visit.site.get(f"/jobs/{endless}")["state"] == "cancelled"
    stages = page.get_by_role("list", name="What happened")
    came = stages.locator("li:not([aria-hidden])")
    expect(came).to_contain_text(["queued", "starting", "running", "stopping", "cancelled"])


# Every button, link of the header, field and choice that is in sight above the chart. The legend's buttons belong to
# the picture, caveats to their numbers, which they only explain; tabs and crumbs are navigation.
CONTROLS_ABOVE = """() => {
  const top = document.querySelector('figure canvas').getBoundingClientRect().top
  const all = document.querySelectorAll('main button, main .page-head a, main select, main input, main summary')
  return [...all].filter(control => {
    const place = control.getBoundingClientRect()
    return place.height > 0 && place.bottom <= top && !control.closest('figure') && !control.matches('[data-reason]')
  }).map(control => control.getAttribute('aria-label') || control.innerText.trim())
}"""


def test_at_most_six_controls_stand_above_the_chart(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    expect(page.locator("figure canvas")).to_be_visible()
    controls = page.evaluate(CONTROLS_ABOVE)
    assert "Quantity" in controls
    assert len(controls) <= 6, controls
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("group", name="More").get_by_role("link").first).to_be_visible()
    assert visit.violations() == []


def test_the_sizes_that_are_dragged_over_have_their_own_verdict(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    card = page.get_by_label("Outcome")
    whole = visit.site.get("/jobs/1")["summary"]["verdict"]
    expect(card).to_contain_text(whole)
    plot = page.locator("figure .u-over").bounding_box()
    assert plot is not None
    middle_y = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + plot["width"] - 2, middle_y)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.6, middle_y, steps=5)
    page.mouse.up()
    expect(page).to_have_url(re.compile("min_bytes="))
    part = visit.site.get(f"/jobs/1/verdict?{urlsplit(page.url).query}")
    assert 0 < part["min_bytes"] < part["max_bytes"] == 16384
    expect(card).to_contain_text(part["verdict"])
    page.reload()
    expect(card).to_contain_text(part["verdict"])
    card.get_by_role("button", name="All sizes").click()
    expect(card).to_contain_text(whole)
    expect(page).to_have_url(re.compile("/jobs/1$"))


@pytest.mark.long
def test_without_the_stream_the_page_polls_and_then_recovers(visit: Visit, endless: int) -> None:
    visit.expect_error("net::ERR_FAILED")
    page = visit.page
    page.route("**/api/v1/stream*", lambda route: route.abort())
    visit.open(f"/jobs/{endless}")
    expect(page.locator("[data-status=reconnecting]")).to_be_visible()
    visit.site.post(f"/jobs/{endless}/cancel", {})
    expect(page.locator("header").get_by_text("cancelled")).to_be_visible()
    page.unroute("**/api/v1/stream*")
    expect(page.locator("[data-status=live]")).to_be_visible()


@pytest.mark.long
def test_a_wrong_sum_is_shown_as_failure(browser: Browser, faulty_site: Site) -> None:
    with visiting(browser, faulty_site) as visit:
        page = visit.open("/jobs/1")
        job = faulty_site.get("/jobs/1")
        assert (job["state"], job["reason"]) == ("failed", "verification_failed")
        expect(page.locator("header").get_by_text("failed")).to_be_visible()
        expect(page.get_by_text("verification_failed").first).to_be_visible()
        expect(page.get_by_text(job["message"]).first).to_be_visible()
        insights = page.get_by_role("region", name="Insights")
        expect(insights.get_by_text("Wrong result").first).to_be_visible()
        expect(insights).to_contain_text(f"Rank 0 on node {job['attempts'][0]['nodes'][0]} has a wrong result")
        assert visit.violations() == []
        visit.shoot("job-failed")


@pytest.mark.long
def test_a_gang_that_hangs_is_told_on_the_open_page_with_what_each_rank_was_doing(
    browser: Browser, hung_site: Site
) -> None:
    limits = {"hold": True, "hang_seconds": 2, "max_attempts": 1}
    job_id = hung_site.post("/jobs", SMALL | limits).raise_for_status().json()["id"]
    with visiting(browser, hung_site) as visit:
        page = visit.open(f"/jobs/{job_id}")
        expect(page.locator("[data-status=live]")).to_be_visible()
        page.evaluate("window.isSameDocument = true")
        hung_site.post(f"/jobs/{job_id}/release", {}).raise_for_status()
        insights = page.get_by_role("region", name="Insights")
        expect(insights).to_contain_text("(limit 2 s). Rank 2 on node")
        expect(page.locator("header").get_by_text("failed")).to_be_visible()
        expect(page.get_by_text("hang_detected").first).to_be_visible()
        assert page.evaluate("window.isSameDocument"), "the page was loaded again"
        insights.locator("summary").first.click()  # what comes while somebody looks on is folded
        insights.get_by_text("What the ranks were doing").click()
        expect(insights.get_by_label("Rank 2 on")).to_contain_text(re.compile(r"in _check\b|_check \(ringscope/"))
        assert visit.violations() == []


@pytest.mark.long
def test_the_chart_has_a_table_and_the_url_keeps_the_view(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    expect(page.locator("figure canvas")).to_be_visible()
    page.get_by_role("table", name="Measurements of ring").get_by_text("4 KiB").hover()
    expect(page.locator("figure").get_by_text("4 KiB", exact=True)).to_be_visible()
    choose(page, "View", "table")
    choose(page, "Reference", "model")
    page.get_by_label("Quantity").select_option("time")
    choose(page, "Buffers", "both")
    page.reload()
    table = page.get_by_role("table", name="Time, mean, in µs by message size and algorithm")
    expect(table.locator("tbody tr")).to_have_count(5)
    expect(table.locator("thead th")).to_have_text(
        [
            "Size",
            "ring (µs)",
            "ring in place (µs)",
            "mpi (µs)",
            "mpi in place (µs)",
            "ring, model of another machine (µs)",
            "mpi, model of another machine (µs)",
        ]
    )


@pytest.mark.long
def test_every_step_can_be_had_as_a_file(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    for name, ending, first in (("CSV", "csv", "id,rank,step"), ("OpenMetrics", "om", "# TYPE ringscope_rank_steps")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert download.value.suggested_filename == f"ringscope-job-1-steps.{ending}"
        assert download.value.path().read_text().startswith(first)


@pytest.mark.long
def test_the_chart_can_be_saved_as_a_picture_with_the_verdict(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    chart = page.locator("figure canvas").bounding_box()
    assert chart is not None
    page.get_by_role("button", name="Copy as").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save PNG").click()
    assert download.value.suggested_filename == "ringscope-job-1.png"
    content = download.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    assert width >= chart["width"] and height > chart["height"] + 40, "the title and the verdict stand above the chart"


@pytest.mark.long
def test_the_environment_of_a_job_and_the_binding_of_its_ranks(visit: Visit) -> None:
    page = visit.open("/jobs/1?tab=configuration")
    (told,) = visit.site.get("/jobs/1/environment")["items"]
    panel = page.get_by_role("region", name="Environment")
    expect(panel).to_contain_text(told["nodes"][0]["versions"]["mpi_library"])
    expect(panel).to_contain_text(told["nodes"][0]["cpu_model"])
    panel.get_by_text("Environment variables").click()
    expect(panel.get_by_text("OMP_NUM_THREADS", exact=True)).to_be_visible()
    panel.get_by_text("Binding of each rank").click()
    bindings = panel.get_by_role("region", name="Binding of each rank")
    expect(bindings.locator("tbody tr")).to_have_count(2)
    panel.get_by_text("Connections between the ranks").click()
    joints = panel.get_by_role("region", name="Connections between the ranks").locator("td")
    numas = [rank["numa_node"] for rank in told["ranks"]]
    way = "NUMA" if numas[0] is not None and numas[0] == numas[1] else "node"
    expect(joints).to_have_text(["·", way, way, "·"])
    visit.shoot("job-topology")
    assert not any("TOKEN" in name for name in told["nodes"][0]["variables"])
    assert visit.violations() == []


def test_an_unknown_job_is_told(visit: Visit) -> None:
    visit.expect_error("404")
    page = visit.open("/jobs/999999")
    expect(page.get_by_role("heading", name="There is no job 999999")).to_be_visible()

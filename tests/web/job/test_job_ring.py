"""The ring of a real job: every figure is the trace's of the API, step by step by keys, on one node and on two."""

import csv
import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import Site, Visit, choose, visiting

from ringscope.contracts.words.units import format_size

RANKS = 3
# Of two nodes: takes long enough for whiskers of their clocks.
SIZE = 1 << 25
SWEEP = {"algorithms": ["ring", "mpi"], "min_bytes": 12288, "max_bytes": 49152, "step_factor": 4, "iterations": 5}
FOLLOWED = {
    "name": "followed",
    "benchmark": SWEEP | {"transport": "shared_memory", "trace": True},
    "placement": {"ranks": RANKS},
}
SIMULATED = {
    "name": "thought out",
    "benchmark": {
        "algorithms": ["ring"],
        "transport": "simulated",
        "topology": {"shape": "2x16", "link": "ib200", "channels": 1},
        "min_bytes": 1 << 20,
        "max_bytes": 1 << 20,
        "iterations": 1,
        "trace": True,
    },
    "placement": {"ranks": 1},
}
PROBLEM = {"title": "Broken", "detail": "The disk is full; make room.", "code": "broken", "status": 500}


def ended(site: Site, body: dict[str, Any]) -> int:
    """A job to its end."""
    job_id = int(site.post("/jobs", body).json()["id"])
    site.lab.wait_for_state(job_id, "succeeded")
    return job_id


@pytest.fixture(scope="module")
def followed(site: Site) -> int:
    """A ring of three ranks that told what they did, beside MPI's own, which cannot be followed."""
    return ended(site, FOLLOWED)


@pytest.fixture(scope="module")
def simulated(site: Site) -> int:
    """The model's trace of 32 ranks."""
    return ended(site, SIMULATED)


@pytest.fixture(scope="module")
def followed_pair(pair_site: Site) -> int:
    """A ring with ranks on both of two nodes."""
    sweep = {"algorithms": ["ring"], "transport": "mpi", "min_bytes": SIZE, "max_bytes": SIZE, "trace": True}
    placement = {"ranks": 4, "nodes": 2, "ranks_per_node": 2}
    return ended(pair_site, {"benchmark": sweep | {"iterations": 2}, "placement": placement})


def steps(trace: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The transfers of each step, which in shared memory the receiver alone tells."""
    numbers = sorted({row["step"] for row in trace["rows"]})
    return [[row for row in trace["rows"] if row["step"] == number] for number in numbers]


def in_words(row: dict[str, Any]) -> str:
    ends = f"rank {row['peer']} sends chunk {row['chunks'][0]} to rank {row['rank']}"
    return f"{ends}, which {'adds' if row['reduce'] else 'keeps'} it"


def step_heading(page: Page) -> Any:
    return page.get_by_role("heading", level=2).filter(has_text=re.compile("^(Step|At the start)"))


def fail_traces(page: Page, status: int = 500) -> None:
    page.route(
        re.compile(r"/api/v1/jobs/\d+/trace"),
        lambda route: route.fulfill(status=status, content_type="application/problem+json", body=json.dumps(PROBLEM)),
    )


@pytest.mark.long
def test_every_step_of_a_real_job_is_the_traces_of_the_api(visit: Visit, followed: int) -> None:
    trace = visit.site.get(f"/jobs/{followed}/trace")
    expected = steps(trace)
    assert len(expected) == 2 * (RANKS - 1)
    page = visit.open(f"/jobs/{followed}/ring")
    facts = page.locator("main dl").first
    expect(facts).to_contain_text(f"Message{format_size(trace['size_bytes'])}float32, out of place")
    expect(facts).to_contain_text(f"Ranks{RANKS}on {trace['ranks'][0]['node']}, over shared_memory")
    expect(facts).to_contain_text("Clocksone clock")
    expect(facts).to_contain_text(trace["prediction"]["parameters"])
    heading, sentence = step_heading(page), page.get_by_role("status").filter(has_text="tep")
    expect(heading).to_have_text("At the start")
    for number, rows in enumerate(expected, start=1):
        page.keyboard.press("ArrowRight")
        expect(heading).to_have_text(f"Step {number} of {len(expected)}")
        expect(sentence).to_contain_text(rows[0]["phase"].replace("_", "-"))
        picture = page.get_by_role("img", name=re.compile(f"^Ring in step {number}:"))
        for row in rows:
            expect(sentence).to_contain_text(in_words(row))
            assert in_words(row) in str(picture.get_attribute("aria-label"))
        expect(sentence).to_contain_text(f"Each at most {format_size(max(row['bytes'] for row in rows))}, ")
        expect(page).to_have_title(f"step {number} of {len(expected)} · ring · job {followed} · ringscope")
    expect(sentence).to_contain_text(f"Complete: every chunk on every rank holds the inputs of all {RANKS} ranks.")
    whole = page.get_by_role("table", name="What each rank holds of each chunk").locator("[data-whole]")
    expect(whole).to_have_count(RANKS * len(trace["chunks"]))
    expect(page).to_have_url(re.compile(f"step={len(expected)}"))
    page.reload()
    expect(whole).to_have_count(RANKS * len(trace["chunks"]))


@pytest.mark.long
def test_the_table_and_its_csv_have_every_transfer_of_the_trace(visit: Visit, followed: int) -> None:
    trace = visit.site.get(f"/jobs/{followed}/trace")
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.open(f"/jobs/{followed}/ring")
    expect(page.get_by_role("heading", name="In time")).to_be_visible()
    page.keyboard.press("t")
    table = page.get_by_role("table", name="as the ranks measured them")
    expect(table.locator("tbody tr")).to_have_count(len(trace["rows"]))
    expect(page).to_have_url(re.compile("view=table"))
    page.get_by_role("button", name="Copy CSV").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    told = list(csv.DictReader(page.evaluate("navigator.clipboard.readText()").splitlines()))

    def of(row: dict[str, Any]) -> tuple[Any, ...]:
        times = (row["start_ns"], row["send_ns"], row["done_ns"], row["predicted_ns"])
        return row["step"], row["peer"], row["rank"], row["chunks"][0], row["bytes"], *(ns / 1e3 for ns in times)

    names = ("step", "src", "dst", "chunks", "bytes", "waitUs", "startUs", "endUs", "predictedUs")
    shown = [tuple(float(line[name]) for name in names) for line in told]
    assert sorted(shown) == sorted(map(of, trace["rows"]))


@pytest.mark.long
def test_another_operation_is_chosen_and_stands_in_the_url(visit: Visit, followed: int) -> None:
    page = visit.open(f"/jobs/{followed}/ring?step=2")
    expect(step_heading(page)).to_have_text("Step 2 of 4")
    assert page.get_by_label("Algorithm").locator("option").all_inner_texts() == ["ring"]
    page.get_by_label("Message size").select_option("12288")
    expect(page).to_have_url(f"{visit.site.url}/jobs/{followed}/ring?size=12288&algorithm=ring&in_place=false")
    expect(page.locator("main dl").first).to_contain_text("Message12")
    expect(step_heading(page)).to_have_text("At the start")
    choose(page, "Buffers", "in place")
    expect(page).to_have_url(re.compile("in_place=true"))
    page.get_by_role("button", name="Copy as").click()
    expect(page.get_by_text(f"ringscope trace ring --job {followed} --size 12288 --in-place 1")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(step_heading(page)).to_have_text("Step 2 of 4")
    visit.open(f"/jobs/{followed}/ring?size=64")
    expect(page.get_by_text("The operation in the address was not traced")).to_be_visible()


@pytest.mark.long
def test_it_saves_for_perfetto_and_links_its_json(visit: Visit, followed: int, tmp_path: Path) -> None:
    page = visit.open(f"/jobs/{followed}/ring?size=12288")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save for Perfetto").click()
    file = tmp_path / "trace.json"
    download.value.save_as(file)
    query = "size_bytes=12288&algorithm=ring&in_place=false"
    assert json.loads(file.read_text()) == visit.site.get(f"/jobs/{followed}/trace.perfetto.json?{query}")
    page.get_by_role("button", name="Copy as").click()
    link = page.get_by_role("link", name="JSON")
    expect(link).to_have_attribute("href", f"/api/v1/jobs/{followed}/trace?{query}")


@pytest.mark.long
def test_the_jobs_page_and_the_ring_page_lead_there_and_back(visit: Visit, followed: int) -> None:
    page = visit.open(f"/jobs/{followed}")
    page.get_by_role("button", name="More").click()
    page.get_by_role("main").get_by_role("link", name="Ring", exact=True).click()
    expect(page.get_by_role("heading", name="followed, step by step", level=1)).to_be_visible()
    page.get_by_role("link", name=str(followed), exact=True).click()
    expect(page.get_by_role("heading", name="followed", level=1, exact=True)).to_be_visible()
    visit.open("/ring")
    page.get_by_role("link", name=f"followed ({followed})").click()
    expect(page).to_have_url(f"{visit.site.url}/jobs/{followed}/ring")


@pytest.mark.long
def test_a_late_cell_leads_to_the_steps_of_its_row_and_to_the_log(visit: Visit, followed: int) -> None:
    page = visit.open(f"/jobs/{followed}?tab=stragglers&size=12288")
    strips = page.get_by_role("group", name=re.compile("^Strips of lateness"))
    strips.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"cell=\d\.0"))
    rank = page.url.split("cell=")[1][0]
    log = page.get_by_role("link", name=f"Log of rank {rank}")
    expect(log).to_have_attribute("href", re.compile(rf"^/jobs/{followed}\?tab=log&rank={rank}&at=20"))
    log.click()
    time = re.compile(r"by \d\d:\d\d:\d\d")
    expect(page.get_by_text(time)).to_be_visible()
    page.reload()
    expect(page.get_by_text(time)).to_be_visible()
    page.go_back()
    page.reload()
    page.get_by_role("link", name="ring of 12 KiB, step by step").click()
    expect(page).to_have_url(f"{visit.site.url}/jobs/{followed}/ring?size=12288&algorithm=ring&in_place=false")
    page.go_back()
    strips.locator("canvas").nth(1).click(position={"x": 2, "y": 4})
    expect(page).to_have_url(re.compile(r"cell=\d\.0"))
    choose(page, "Algorithm", "mpi")
    expect(page.get_by_text("No operation of this row was traced")).to_be_visible()
    visit.shoot("job-stragglers-cell")


@pytest.mark.long
def test_keys_of_the_job_page_open_its_log_and_turn_charts_into_tables(visit: Visit, followed: int) -> None:
    page = visit.open(f"/jobs/{followed}")
    table = page.get_by_role("table", name="Bus bandwidth, mean, in GB/s by message size and algorithm")
    page.keyboard.press("t")
    expect(table).to_be_visible()
    page.keyboard.press("t")
    expect(table).to_be_hidden()
    page.keyboard.press("l")
    expect(page.get_by_role("heading", name="Log", exact=True)).to_be_in_viewport()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Log of the job")
    # A log has no charts, and so no key for their tables.
    expect(dialog).not_to_contain_text("Charts as tables")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.go_back()
    expect(page.get_by_role("heading", name="by message size")).to_be_visible()


@pytest.mark.long
def test_switched_off_single_keys_leave_arrows_to_the_player(visit: Visit, followed: int) -> None:
    page = visit.open(f"/jobs/{followed}/ring")
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_role("checkbox", name="Single keys work").uncheck()
    # An open dialog keeps its keys to itself.
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    # With the next frame the browser takes the focus from the box that is hidden now; a person is never as fast.
    page.wait_for_function("() => document.activeElement === document.body")
    page.keyboard.press("Space")
    page.keyboard.press("t")
    expect(play).to_be_visible()
    expect(step_heading(page)).to_have_text("At the start")
    page.keyboard.press("ArrowRight")
    expect(step_heading(page)).to_have_text("Step 1 of 4")
    page.get_by_role("button", name="Step forward").click()
    page.keyboard.press("ArrowRight")
    expect(step_heading(page)).to_have_text("Step 3 of 4")
    expect(page).not_to_have_url(re.compile("view=table"))


@pytest.mark.long
def test_without_a_trace_it_says_which_command_makes_one(visit: Visit) -> None:
    sweep = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024}
    body = {"name": "not followed", "benchmark": sweep, "placement": {"ranks": 2}}
    job_id = int(visit.site.post("/jobs", body).json()["id"])
    visit.site.lab.wait_for_state(job_id, "succeeded")
    page = visit.open(f"/jobs/{job_id}/ring")
    expect(page.get_by_text("The job did not ask for a trace")).to_be_visible()
    command = page.locator("pre").inner_text()
    visit.shoot("job-ring-none")
    assert "--name 'not followed'" in command
    assert "--algorithm ring " in command
    done = visit.site.lab.run_copied(command.replace("'not followed'", "again") + " --wait")
    assert done.returncode == 0, done.stderr
    job_id = visit.site.get("/jobs?q=again")["items"][0]["id"]
    assert visit.site.get(f"/jobs/{job_id}/traces")["items"] != []


@pytest.mark.long
def test_while_a_job_runs_the_trace_is_still_to_come(visit: Visit) -> None:
    sweep = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 1_000_000, "trace": True}
    body = {"benchmark": sweep, "placement": {"ranks": 2}, "time_limit_seconds": 120}
    job_id = int(visit.site.post("/jobs", body).json()["id"])
    visit.site.lab.wait_for_state(job_id, "running")
    page = visit.open(f"/jobs/{job_id}/ring")
    expect(page.get_by_text("No trace yet")).to_be_visible()
    visit.shoot("job-ring-coming")
    visit.site.post(f"/jobs/{job_id}/cancel", {})
    expect(page.get_by_text("The job ended before a rank reported an operation")).to_be_visible()
    visit.site.lab.wait_for_state(job_id, "cancelled")


@pytest.mark.long
def test_a_trace_that_cannot_be_loaded_can_be_asked_for_again(visit: Visit, followed: int) -> None:
    visit.expect_error("500")
    fail_traces(visit.page)
    page = visit.open(f"/jobs/{followed}/ring")
    note = page.get_by_role("alert")
    expect(note).to_contain_text("The traces of the job could not be loaded. The disk is full; make room.")
    page.unroute_all()
    note.get_by_role("button", name="Try again").click()
    expect(step_heading(page)).to_have_text("At the start")


@pytest.mark.long
def test_a_simulated_trace_says_so_and_many_ranks_have_no_ring(visit: Visit, simulated: int) -> None:
    page = visit.open(f"/jobs/{simulated}/ring?step=62")
    expect(page.locator("header .page-head")).to_have_text(re.compile("^SIMULATED"))
    expect(page.get_by_text("One operation in the cost model's time; nothing was measured")).to_be_visible()
    expect(page.get_by_text("More than 16 ranks")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Ring in step"))).to_have_count(0)
    table = page.get_by_role("table", name="What each rank holds of each chunk")
    expect(table.locator("[data-whole]")).to_have_count(32 * 32)
    visit.shoot("job-ring-simulated")


@pytest.mark.long
def test_two_nodes_show_how_far_their_clocks_may_err(browser: Browser, pair_site: Site, followed_pair: int) -> None:
    with visiting(browser, pair_site) as visit:
        trace = pair_site.get(f"/jobs/{followed_pair}/trace")
        errors = {rank["node"]: rank["clock_error_ns"] for rank in trace["ranks"]}
        assert len(errors) == 2
        page = visit.open(f"/jobs/{followed_pair}/ring")
        facts = page.locator("main dl").first
        expect(facts).to_contain_text("Ranks4on 2 nodes")
        expect(facts).to_contain_text("Clocks±" if None not in errors.values() else "Clocksnot known")
        whiskers = page.get_by_text("the clock error", exact=True)
        if None in errors.values() or max(errors.values()) >= trace["duration_ns"]:
            expect(page.get_by_text("lanes of different nodes cannot be compared")).to_be_visible()
            expect(whiskers).to_have_count(0)
        else:
            page.get_by_text("About this picture").click()
            expect(page.get_by_text("Whiskers: the error of the nodes\u2019 clocks")).to_be_visible()
            expect(whiskers).to_be_visible()
        visit.shoot("job-ring-nodes")
        assert visit.violations() == []
        page.keyboard.press("End")
        expect(page.get_by_text("Complete: every chunk on every rank holds the inputs of all 4 ranks.")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_jobs_ring_is_accessible_filled_and_in_error(
    browser: Browser, site: Site, followed: int, scheme: Literal["light", "dark"]
) -> None:
    with visiting(browser, site, scheme) as visit:
        visit.expect_error("500")
        for name, query in (("start", ""), ("step", "?step=2"), ("end", "?step=4"), ("table", "?step=3&view=table")):
            page = visit.open(f"/jobs/{followed}/ring{query}")
            expect(page.get_by_role("heading", name="In time")).to_be_visible()
            visit.shoot(f"job-ring-{name}-{scheme}")
            assert visit.violations() == [], name
        fail_traces(visit.page)
        page = visit.open(f"/jobs/{followed}/ring")
        expect(page.get_by_role("alert")).to_be_visible()
        visit.shoot(f"job-ring-failed-{scheme}")
        assert visit.violations() == []


@pytest.mark.long
def test_on_a_phone_it_fits_and_the_axis_has_a_scale(browser: Browser, site: Site, followed: int) -> None:
    with visiting(browser, site, width=390) as visit:
        for query in ("?step=2", "?step=2&view=table"):
            page = visit.open(f"/jobs/{followed}/ring{query}")
            expect(page.get_by_role("heading", name="In time")).to_be_visible()
            visit.shoot(f"job-ring{'-table' if 'view' in query else ''}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 390, query
        page.keyboard.press("t")
        ticks = page.locator("figure svg text").filter(has_text=re.compile(r"^[\d.,]+ (µs|ms)$"))
        expect(ticks.nth(1)).to_be_visible()


@pytest.mark.long
def test_with_reduced_motion_steps_just_follow_each_other(visit: Visit, followed: int) -> None:
    travels = "document.getAnimations().filter(one => one.animationName?.includes('travel')).length"
    page = visit.open(f"/jobs/{followed}/ring")
    expect(step_heading(page)).to_have_text("At the start")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => {travels} === {RANKS}")
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    expect(step_heading(page)).to_have_text("Step 2 of 4")
    assert page.evaluate(travels) == 0

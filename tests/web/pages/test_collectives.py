"""Every collective and algorithm: what the form offers is the engine's, and what the job page says fits its rows."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import Site, Visit, choose, visiting
from tests.web.pages.test_submit import cells, three_digits

from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.schedules.algorithms import SCHEDULES

NAMES = {
    "all_reduce": "an all-reduce (sum of float32)",
    "reduce_scatter": "a reduce-scatter (sum of float32)",
    "all_gather": "an all-gather of float32",
    "broadcast": "a broadcast of float32 from rank 1",
    "reduce": "a reduce (sum of float32) to rank 1",
    "alltoall": "an all-to-all of float32",
    "sendrecv": "a send-receive of float32",
}


def offered(page: Page) -> list[str]:
    """The algorithms of the form, each of which says what a rank sends."""
    boxes = page.locator("input[name=algorithms]")
    expect(boxes.first).to_be_visible()
    # All at once: Chromium's own description takes a second for each.
    found: list[tuple[str, str]] = boxes.evaluate_all(
        "boxes => boxes.map(box =>"
        " [box.value, document.getElementById(box.getAttribute('aria-describedby')).textContent])"
    )
    for _, description in found:
        assert re.search(r"^(Each|A|The|Rings|Two|Ranks) .{20,}\.$", description)
    return [name for name, _ in found]


def test_the_form_offers_what_the_engine_has(visit: Visit) -> None:
    page, boxes = visit.page, "[...document.querySelectorAll('input[name=algorithms]')]"
    visit.open("/jobs/new")
    offered(page)
    for collective, view in visit.site.get("/engine")["collectives"].items():
        page.get_by_label("Collective").select_option(collective)
        for which, names in ((boxes, "algorithms"), (f"{boxes}.filter(box => box.checked)", "usual")):
            page.wait_for_function(
                f"names => {which}.map(box => box.value).join() === names", arg=",".join(view[names])
            )
        expect(page.get_by_label("Operation", exact=True)).to_have_count(int(view["reduces"]))
        expect(page.get_by_label("Root (rank)")).to_have_count(int(view["has_root"]))


def test_the_words_of_a_job_fit_its_rows(visit: Visit) -> None:
    """The job is the all-reduce that the site has; a test below checks the words of each collective's job."""
    job, view = visit.site.get("/jobs/1"), visit.site.get("/engine")["collectives"]["all_reduce"]
    page = visit.open("/jobs/1")
    caption = page.locator("figcaption")
    expect(caption).to_contain_text(f"{NAMES['all_reduce']} over 2 ranks; points are means of")
    expect(caption).to_contain_text(f"{job['progress']['total']} of {job['progress']['total']} rows.")
    compare(page, visit.site, job, view, row_count=5)


@pytest.mark.long
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_a_collective_from_the_form_to_its_rows(visit: Visit, collective: str) -> None:
    page, view = visit.page, visit.site.get("/engine")["collectives"][collective]
    visit.open("/jobs/new?ranks=2&min=1K&max=4K&iterations=2&warmup=1")
    page.get_by_label("Collective").select_option(collective)
    assert offered(page) == view["algorithms"]
    assert [box.get_attribute("value") for box in page.locator("input[name=algorithms]:checked").all()] == view["usual"]
    expect(page.get_by_label("Operation", exact=True)).to_have_count(int(view["reduces"]))
    expect(page.get_by_label("Root (rank)")).to_have_count(int(view["has_root"]))
    if view["has_root"]:
        page.get_by_label("Root (rank)").fill("1")
    assert visit.violations() == []
    page.get_by_role("button", name="Submit the job").click()
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible()
    job = visit.site.get(f"/jobs/{page.url.rpartition('/')[2]}")
    assert job["spec"]["benchmark"]["collective"] == collective
    caption = page.locator("figcaption")
    expect(caption).to_contain_text(f"{NAMES[collective]} over 2 ranks; points are means of")
    compare(page, visit.site, job, view, row_count=3)
    page.get_by_role("link", name="Configuration").click()
    expect(page.get_by_text("Collective", exact=True)).to_be_visible()
    expect(page.get_by_text("Root", exact=True)).to_have_count(int(view["has_root"]))


def compare(page: Page, site: Site, job: dict[str, Any], view: dict[str, Any], row_count: int) -> None:
    """The table's numbers and their words against the rows that the API holds."""
    rows = site.get(f"/jobs/{job['id']}/measurements?limit=200")["items"]
    stated = re.search(r"= ([\d.]+) . algbw", page.locator("figcaption").text_content() or "")
    factor = float(stated[1]) if stated else 1.0
    assert all(row["busbw_gb_per_s"] == pytest.approx(factor * row["algbw_gb_per_s"], rel=0.01) for row in rows)
    algorithm = view["usual"][0]
    table = page.get_by_role("table", name=f"Measurements of {algorithm}")
    expect(table.locator("tbody tr")).to_have_count(row_count)
    above = page.get_by_role("heading", name="Every size").locator("..")
    expect(above).to_contain_text("float32, sum" if view["reduces"] else "float32")
    assert ("sum" in above.inner_text()) == view["reduces"]
    for shown in map(cells, table.locator("tbody tr").all()):
        mine = [row for row in rows if row["algorithm"] == algorithm and row["count"] == int(shown[1])]
        for place, column in ((False, 2), (True, 7)):
            (row,) = [row for row in mine if row["in_place"] is place]
            assert shown[column + 3] == three_digits(row["busbw_gb_per_s"])
            assert shown[column + 4] == ("0" if view["checked_in_place"] or not place else "N/A")


@pytest.fixture(scope="module")
def every_algorithm(site: Site) -> int:
    """A job that has measured all algorithms of all-reduce."""
    sweep = {"algorithms": [*SCHEDULES, "mpi"], "min_bytes": 4096, "max_bytes": 1 << 20, "step_factor": 4}
    body = {"name": "eleven lines", "benchmark": sweep | {"iterations": 3}, "placement": {"ranks": 4}}
    job_id = int(site.post("/jobs", body).json()["id"])
    site.lab.wait_for_state(job_id, "succeeded")
    return job_id


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 375)])
def test_eleven_algorithms_side_by_side(
    browser: Browser, site: Site, every_algorithm: int, scheme: str, width: int
) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light", width) as visit:
        page = visit.open(f"/jobs/{every_algorithm}?place=both")
        swatches = page.locator("figure svg")
        expect(swatches).to_have_count(22)
        looks = swatches.locator("line").evaluate_all(
            "lines => lines.map(line => [getComputedStyle(line).stroke, line.getAttribute('stroke-dasharray'),"
            " line.getAttribute('stroke-width')].join())"
        )
        assert len(set(looks)) == 22
        expect(page.locator("figure canvas")).to_be_visible()
        assert visit.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        visit.open(f"/jobs/{every_algorithm}")
        expect(swatches).to_have_count(11)
        visit.shoot(f"job-eleven-{scheme}-{width}")
        visit.open("/jobs/new")
        assert {*SCHEDULES, "mpi"} <= set(offered(page))


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 375)])
def test_what_auto_took_is_told_with_its_reason(browser: Browser, site: Site, scheme: str, width: int) -> None:
    sweep = {"collective": "reduce_scatter", "min_bytes": 4096, "max_bytes": 1 << 16, "step_factor": 4, "iterations": 3}
    for algorithms in (["ring", "direct", "mpi"], ["auto", "ring"]):
        body = {"benchmark": sweep | {"algorithms": algorithms}, "placement": {"ranks": 4}}
        job_id = int(site.post("/jobs", body).json()["id"])
        site.lab.wait_for_state(job_id, "succeeded")
    rows = [row for row in site.get(f"/jobs/{job_id}/measurements")["items"] if row["algorithm"] == "auto"]
    with visiting(browser, site, "dark" if scheme == "dark" else "light", width) as visit:
        page = visit.open(f"/jobs/{job_id}")
        expect(page.locator("figure svg")).to_have_count(2)
        table = page.get_by_role("table", name="Measurements of auto")
        shown = [cells(line) for line in table.locator("tbody tr").all()]
        assert [(line[2], line[8]) for line in shown] == [
            tuple(row["chosen_algorithm"] for row in rows if row["size_bytes"] == size)
            for size in dict.fromkeys(row["size_bytes"] for row in rows)
        ]
        reasons = page.locator("details", has_text="Why auto chose this algorithm")
        expect(reasons.locator("li").first).to_be_hidden()
        reasons.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(reasons.locator("li").first).to_be_visible()
        told = reasons.locator("li").all_inner_texts()
        assert len(told) == len(rows)
        for row in rows:
            assert row["chosen_because"].startswith(("measured: ", "tried here: "))
            assert any(row["chosen_algorithm"] in line and row["chosen_because"] in line for line in told)
        assert visit.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        visit.shoot(f"job-auto-{scheme}-{width}")
        choose(page, "Algorithm", "ring")
        expect(reasons).to_have_count(0)


@pytest.fixture(scope="module")
def simulation(site: Site) -> int:
    """A simulated job of all algorithms of all-reduce on sixteen ranks."""
    sweep = {"algorithms": list(SCHEDULES), "min_bytes": 1024, "max_bytes": 64 << 20, "step_factor": 4}
    cluster = {"shape": "2x8", "link": "ib100", "intra": "nvlink3"}
    body = {"name": "sixteen ranks", "benchmark": sweep | {"transport": "simulated", "topology": cluster}}
    job_id = int(site.post("/jobs", body).json()["id"])
    site.lab.wait_for_state(job_id, "succeeded")
    return job_id


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_simulated_rows_say_so_wherever_they_are_shown(
    browser: Browser, site: Site, simulation: int, scheme: str
) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        page = visit.open(f"/jobs/{simulation}")
        badge = "SIMULATED"
        expect(page.locator("header").get_by_text(badge)).to_be_visible()
        expect(page.locator("header .page-head")).to_have_text(re.compile(f"^{badge}"))  # before the name
        expect(page.locator("figcaption").get_by_text(badge)).to_be_visible()
        expect(page.locator("figcaption")).to_contain_text("over 16 simulated ranks")
        expect(page.get_by_role("heading", name="Every size").locator("..").get_by_text(badge)).to_be_visible()
        expect(page.get_by_text("nothing was computed that could be checked").first).to_be_visible()
        expect(page.get_by_text("(simulated)").first).to_be_visible()
        table = page.get_by_role("table", name="Simulated times of ring, by message size")
        assert {row[6] for row in map(cells, table.locator("tbody tr").all())} == {"N/A"}
        choose(page, "View", "table")
        expect(page.locator("figcaption").get_by_text(badge)).to_be_visible()
        assert visit.violations() == []
        choose(page, "View", "chart")
        visit.shoot(f"job-simulated-{scheme}")
        visit.open(f"/jobs/{simulation}?tab=configuration")
        expect(page.get_by_text("2x8 ranks, ib100 between nodes, nvlink3 inside")).to_be_visible()
        visit.open("/")
        bar = page.get_by_role("link", name=f"Job {simulation}, sixteen ranks")
        expect(bar).to_have_accessible_name(re.compile("^SIMULATED Job .*, all-reduce, nothing measured$"))
        visit.open("/jobs")
        row = page.get_by_role("row").filter(has_text="sixteen ranks")
        expect(row.get_by_text(badge, exact=True)).to_be_visible()
        ranks = page.get_by_role("columnheader").all_text_contents().index("Ranks")
        assert cells(row)[ranks] == "16"


@pytest.mark.long
def test_a_simulation_from_the_form_to_its_badge(visit: Visit) -> None:
    page = visit.open("/jobs/new?min=1K&max=4K&iterations=2")
    expect(page.get_by_label("Shape")).to_have_count(0)
    page.get_by_label("Transport").select_option("simulated")
    assert offered(page) == list(SCHEDULES), "libraries have no schedule to simulate"
    expect(page.get_by_label("Ranks", exact=True)).to_have_count(0)
    visit.expect_error("422")
    page.get_by_label("Shape").fill("4y2")
    page.get_by_label("Link between nodes").fill("25gbe")
    assert visit.violations() == []
    visit.shoot("new-simulation")
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_text(re.compile(r"^'4y2' is not a shape"))).to_be_visible()
    expect(page.get_by_label("Shape")).to_be_focused()
    page.get_by_label("Shape").fill("4x2")
    page.get_by_text("The same as a command").click()
    expect(page.get_by_text("--transport simulated --topology 4x2 --link 25gbe")).to_be_visible()
    page.get_by_role("button", name="Submit the job").click()
    expect(page.locator("header").get_by_text("SIMULATED", exact=True)).to_be_visible()
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible()
    job = visit.site.get(f"/jobs/{page.url.rpartition('/')[2]}")
    assert job["spec"]["placement"]["ranks"] == 1
    assert job["spec"]["benchmark"]["topology"]["shape"] == "4x2"
    rows = visit.site.get(f"/jobs/{job['id']}/measurements")["items"]
    assert {(row["transport"], row["ranks"], row["wrong"]) for row in rows} == {("simulated", 8, None)}
    page.get_by_role("link", name="Run again").click()
    expect(page.get_by_label("Shape")).to_have_value("4x2")


@pytest.mark.long
def test_measured_rows_never_carry_the_badge(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    expect(page.locator("figure canvas")).to_be_visible()
    expect(page.get_by_text("SIMULATED")).to_have_count(0)

"""The parts of a benchmark's page: percentiles, stragglers, log and configuration; also of very long jobs."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import Site, Visit, choose, visiting
from tests.web.pages.test_submit import cells, three_digits

from ringscope.bench.timing import percentile
from ringscope.judging.comparison import is_unstable

FIRST = 1  # the job that the site has from the beginning
STEPS = 1_000_000
LINES = 1_000_000
RANKS = 4
LATE_RANK = 2
# A heading of each part, by which its data is there.
DONE = {
    "results": "Every size",
    "latency": "The iterations at 64 KiB",
    "stragglers": "Who comes late",
    "log": "Log",
    "configuration": "Environment",
}


@pytest.fixture(scope="module")
def measured(site: Site) -> int:
    """A sweep of two algorithms over four sizes, two ranks."""
    sweep = {"algorithms": ["ring", "mpi"], "min_bytes": 1024, "max_bytes": 65536, "step_factor": 4, "iterations": 150}
    body = {"name": "parts", "benchmark": sweep | {"warmup": 2}, "placement": {"ranks": 2}}
    job_id = int(site.post("/jobs", body).json()["id"])
    site.lab.wait_for_state(job_id, "succeeded")
    return job_id


@pytest.fixture(scope="module")
def long_job(site: Site) -> int:
    """A job of one row with a million steps and a hundred megabytes of log, written straight into the database."""
    sweep = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 2, "warmup": 1}
    body = {"name": "a million steps", "benchmark": sweep, "placement": {"ranks": RANKS}}
    job_id = int(site.post("/jobs", body).json()["id"])
    site.lab.wait_for_state(job_id, "succeeded")
    with closing(sqlite3.connect(site.lab.data_dir / "ringscope.sqlite3", timeout=60)) as database:
        (attempt_id,) = database.execute("SELECT max(id) FROM attempts WHERE job_id = ?", (job_id,)).fetchone()
        for table, columns, rows in ("steps", STEP_COLUMNS, steps()), ("log_lines", LINE_COLUMNS, lines()):
            fill(database, table, ("job_id", "attempt_id", *columns), ((job_id, attempt_id, *row) for row in rows))
    return job_id


def slow_us(iteration: int) -> float:
    """Return the time of the slowest rank: about 20 us, but 5 ms once in a thousand iterations."""
    return 5000.0 if iteration % 1000 == 999 else 20.0 + iteration % 7


STEP_COLUMNS = (
    *("rank", "step", "op", "algorithm", "transport", "in_place", "bytes", "started_at_ns", "duration_us"),
    *("compute_us", "communication_us", "exposed_us"),
)
LINE_COLUMNS = ("node", "rank", "stream", "time_ns", "text")


def steps() -> Iterator[tuple[Any, ...]]:
    """Iterations every 10 ms, to which one rank comes 50 us after the others."""
    start_ns = 1_767_225_600_000_000_000
    for i in range(STEPS // RANKS):
        for rank in range(RANKS):
            time_ns = start_ns + i * 10_000_000 + 50_000 * (rank == LATE_RANK)
            times_us = slow_us(i) - rank, 0.0, 1.0, 1.0
            yield rank, i, "all_reduce", "ring", "shared_memory", 0, 1024, time_ns, *times_us


def lines() -> Iterator[tuple[Any, ...]]:
    padding = "x" * 84
    return (("n1", i % RANKS, "stdout", i, f"line {i + 1:>9} {padding}") for i in range(LINES))


def fill(database: sqlite3.Connection, table: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    """Replace the job's rows in short transactions, as the server writes meanwhile."""
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    first = next(rows)
    with database:
        database.execute(f"DELETE FROM {table} WHERE job_id = ?", first[:1])
        database.execute(insert, first)
    while batch := list(islice(rows, 50_000)):
        with database:
            database.executemany(insert, batch)


def values(page: Page, name: str) -> list[list[str]]:
    rows = page.get_by_role("table", name=name).locator("tbody tr")
    expect(rows.first).to_be_visible()
    return [cells(row) for row in rows.all()]


def open_part(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Parts of the job").get_by_role("link", name=name).click()


@pytest.mark.long
def test_the_parts_are_in_the_url_and_back_goes_through_them(visit: Visit) -> None:
    page = visit.open(f"/jobs/{FIRST}")
    for part, heading in (("Latency", "Latency of ring"), ("Stragglers", "Who comes late"), ("Log", "Log")):
        open_part(page, part)
        expect(page).to_have_url(re.compile(f"tab={part.lower()}$"))
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Log", exact=True)).to_have_attribute("aria-current", "page")
    page.go_back()
    expect(page.get_by_role("heading", name="Who comes late")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", name="Bus bandwidth by message size")).to_be_visible()


def test_percentiles_are_those_of_the_rows_and_of_the_iterations(visit: Visit) -> None:
    rows = visit.site.get(f"/jobs/{FIRST}/measurements?limit=200")["items"]
    page = visit.open(f"/jobs/{FIRST}?tab=latency&view=table&algorithm=mpi&size=4096")
    wanted = sorted(
        (row for row in rows if row["algorithm"] == "mpi" and not row["in_place"]), key=lambda r: r["size_bytes"]
    )
    assert values(page, "Percentiles of the time in µs by message size") == [
        [size(row), str(row["iterations"]), three_digits(row["min_us"]), marked_median(row)]
        + [three_digits(row[f"{name}_us"]) for name in ("p90", "p99", "max")]
        for row in wanted
    ]
    row = next(row for row in wanted if row["size_bytes"] == 4096)
    expect(page.get_by_role("heading", name="The iterations at 4 KiB")).to_be_visible()
    shown = dict(values(page, "Time in µs by share of the iterations"))
    for share, name in (("50 %", "p50_us"), ("90 %", "p90_us"), ("99 %", "p99_us"), ("100 %", "max_us")):
        assert shown[share] == three_digits(row[name]), share
    page.get_by_role("combobox", name="Message size").select_option("16384")
    expect(page.get_by_role("heading", name="The iterations at 16 KiB")).to_be_visible()
    expect(page).to_have_url(re.compile("size=16384"))


def marked_median(row: dict[str, Any]) -> str:
    return three_digits(row["p50_us"]) + (" unstable" if is_unstable(SimpleNamespace(**row)) else "")


def size(row: dict[str, Any]) -> str:
    return f"{row['size_bytes'] // 1024} KiB"


@pytest.mark.long
def test_a_size_that_is_chosen_in_the_table_is_looked_at_everywhere(visit: Visit, measured: int) -> None:
    page = visit.open(f"/jobs/{measured}")
    page.get_by_role("table", name="Measurements of ring").get_by_role("button", name="4 KiB", exact=True).click()
    expect(page).to_have_url(re.compile("size=4096"))
    open_part(page, "Latency")
    expect(page.get_by_role("heading", name="The iterations at 4 KiB")).to_be_visible()
    open_part(page, "Stragglers")
    expect(page.locator("figcaption").filter(has_text="150 iterations of 4 KiB")).to_be_visible()
    open_part(page, "Results")
    expect(page.get_by_role("button", name="4 KiB", exact=True)).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_the_model_stands_beside_the_measured_rows(visit: Visit, measured: int) -> None:
    found = visit.site.get(f"/jobs/{measured}/prediction")
    page = visit.open(f"/jobs/{measured}?view=table&beside=model")
    expect(page.get_by_role("columnheader", name="ring, model (GB/s)")).to_be_visible()
    table = values(page, "Bus bandwidth, mean, in GB/s by message size and algorithm")
    model = {(row["algorithm"], row["size_bytes"]): row["busbw_gb_per_s"] for row in found["model"]["rows"]}
    assert [row[3] for row in table] == [three_digits(model["ring", 1024 * 4**i]) for i in range(4)]
    expect(page.locator("figcaption")).to_contain_text("Dashed: the cost model")
    choose(page, "Reference", "nothing")
    expect(page).not_to_have_url(re.compile("beside=model"))
    expect(page.get_by_role("columnheader", name="ring, model (GB/s)")).to_have_count(0)


def test_stragglers_are_as_the_api_says_and_cells_are_reached_by_keyboard(visit: Visit) -> None:
    found = visit.site.get(f"/jobs/{FIRST}/lateness?algorithm=ring&size_bytes=16384&in_place=false")
    page = visit.open(f"/jobs/{FIRST}?tab=stragglers")
    strips = page.get_by_role("group", name=re.compile("^Strips of lateness"))
    for row, rank in zip(strips.locator("tbody tr").all(), found["ranks"], strict=False):
        expect(row).to_contain_text(f"rank {rank['rank']}")
        share = rank["last_steps_beyond_error"] / found["steps"]
        expect(row).to_contain_text(f"{100 * share:.1f} %")
    strips.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    second = found["ranks"][1]["late_us"][3 - 1]
    words = f"{three_digits(abs(second))} µs" if second else "0 µs"
    expect(
        page.get_by_text(re.compile(rf"^rank {found['ranks'][1]['rank']}, iterations? .*{re.escape(words)}"))
    ).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text(re.compile("^after the last rank, iteration"))).to_be_visible()
    assert visit.violations() == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_part_has_an_accessibility_violation(browser: Browser, site: Site, measured: int, scheme: str) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        for part, done in DONE.items():
            for view in ("", "&view=table"):
                page = visit.open(f"/jobs/{measured}?tab={part}{view}")
                expect(page.get_by_role("heading", name=done, exact=True)).to_be_visible()
                expect(page.locator("main [aria-busy=true]")).to_have_count(0)
                assert visit.violations() == [], part
                visit.shoot(f"job-{part}{'-table' if view else ''}-{scheme}")


@pytest.mark.long
def test_no_part_scrolls_a_phone_sideways(browser: Browser, site: Site, measured: int) -> None:
    with visiting(browser, site, width=390) as visit:
        for part, done in DONE.items():
            page = visit.open(f"/jobs/{measured}?tab={part}")
            expect(page.get_by_role("heading", name=done, exact=True)).to_be_visible()
            expect(page.locator("[role=region] li, canvas, table").first).to_be_attached()
            expect(page.locator("main [aria-busy=true]")).to_have_count(0)
            visit.shoot(f"job-{part}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 390, part


def test_the_log_is_filtered_by_words_and_rank_and_is_a_file(visit: Visit) -> None:
    page = visit.open("/jobs/1?tab=log")
    lines = page.get_by_role("region", name="Log lines").locator("li")
    items = visit.site.get("/jobs/1/log?limit=200")["items"]
    expect(lines).to_have_count(len(items))
    page.get_by_label("Lines with these words").fill("no line says this")
    expect(page.get_by_text("No line matches.")).to_be_visible()
    expect(page).to_have_url(re.compile("log=no"))
    page.get_by_label("Lines with these words").fill("")
    expect(lines).to_have_count(len(items))
    page.get_by_label("Rank", exact=True).select_option("rank 1")
    of_rank = [item for item in items if item["rank"] == 1]
    expect(page.get_by_text(re.compile(f"^{len(of_rank)} lines? that match$"))).to_be_visible()
    page.get_by_label("Rank", exact=True).select_option("all ranks")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "ringscope-job-1.log"
    assert len(download.value.path().read_text().splitlines()) == len(items)


@pytest.mark.long
def test_a_regular_expression_finds_lines_and_their_numbers_lead_to_them(visit: Visit, long_job: int) -> None:
    page = visit.open(f"/jobs/{long_job}?tab=log")
    page.get_by_label("Regex").check()
    field = page.get_by_label("Lines that match")
    field.fill("line +77777[05] x")
    expect(page.get_by_text("2 lines that match")).to_be_visible()
    expect(page).to_have_url(re.compile("match=regex"))
    page.reload()
    box = page.get_by_role("region", name="Log lines")
    expect(box.locator("li")).to_have_count(2)
    expect(box.get_by_role("link", name="Line 777770 among all lines")).to_be_visible()
    visit.shoot("job-log-regex")
    assert visit.violations() == []
    box.get_by_role("link", name="Line 777775 among all lines").click()
    expect(page).to_have_url(re.compile(r"tab=log#L777775$"))
    target = box.locator("li[data-target]")
    expect(target).to_contain_text("777775 x")
    expect(target).to_be_in_viewport()


@pytest.mark.long
def test_a_bad_regular_expression_is_a_sentence_beside_the_field(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/jobs/1?tab=log&match=regex&log=rank(")
    expect(page.get_by_text("'rank(' is no regular expression: unclosed group; mend it.")).to_be_visible()
    expect(page.get_by_label("Lines that match")).to_have_attribute("aria-invalid", "true")
    visit.shoot("job-log-bad-regex")
    assert visit.violations() == []
    page.get_by_label("Lines that match").fill("rank|mpiexec|.")
    items = visit.site.get("/jobs/1/log?limit=200")["items"]
    expect(page.get_by_role("region", name="Log lines").locator("li")).to_have_count(len(items))


@pytest.mark.long
def test_lines_are_found_by_stream(visit: Visit) -> None:
    page = visit.open("/jobs/1?tab=log")
    items = visit.site.get("/jobs/1/log?limit=200")["items"]
    for stream in ("stdout", "stderr", "agent"):
        page.get_by_label("Which stream").select_option(stream)
        expect(page).to_have_url(re.compile(f"stream={stream}"))
        count = sum(item["stream"] == stream for item in items)
        expect(page.get_by_text(re.compile(f"^{count} lines? that match$"))).to_be_visible()


@pytest.mark.long
def test_lines_are_found_by_level(visit: Visit) -> None:
    sweep = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 2, "warmup": 1}
    body = {"name": "warns", "benchmark": sweep, "placement": {"ranks": 2}}
    job_id = int(visit.site.post("/jobs", body).json()["id"])
    visit.site.lab.wait_for_state(job_id, "succeeded")
    texts = ["NCCL WARN a link is down", "RuntimeError: the sums differ", "it goes on"]
    with closing(sqlite3.connect(visit.site.lab.data_dir / "ringscope.sqlite3", timeout=60)) as database:
        (attempt_id,) = database.execute("SELECT max(id) FROM attempts WHERE job_id = ?", (job_id,)).fetchone()
        lines = ((job_id, attempt_id, "n1", 0, "stderr", time_ns, text) for time_ns, text in enumerate(texts))
        fill(database, "log_lines", ("job_id", "attempt_id", *LINE_COLUMNS), lines)
    page = visit.open(f"/jobs/{job_id}?tab=log")
    for level, count in (("error", "1 line that match"), ("warning", "2 lines that match")):
        page.get_by_label("From which level").select_option(level)
        expect(page).to_have_url(re.compile(f"level={level}"))
        expect(page.get_by_text(count)).to_be_visible()
    visit.shoot("job-log-level")
    assert visit.violations() == []


@pytest.mark.long
def test_a_baseline_is_set_on_one_job_and_the_next_is_held_against_it(visit: Visit, measured: int) -> None:
    body = visit.site.get(f"/jobs/{measured}")["spec"] | {"name": "again"}
    again = int(visit.site.post("/jobs", body).json()["id"])
    visit.site.lab.wait_for_state(again, "succeeded")
    page = visit.open(f"/jobs/{measured}")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="★ Set as base job").click()
    expect(page.get_by_role("button", name="★ Remove base job")).to_be_visible()
    page = visit.open(f"/jobs/{again}?view=table")
    [standing] = [
        one
        for one in visit.site.get(f"/comparison/standings?job={measured}&job={again}&base={measured}")["jobs"]
        if one["job_id"] == again
    ]
    change = 100 * (1 / standing["ratio"] - 1)
    facts = page.get_by_role("region", name="Outcome")
    sign = "\N{MINUS SIGN}" if change < 0 else "+"
    expect(facts).to_contain_text(f"{sign}{three_digits(abs(change))} %")
    expect(facts.get_by_role("link", name=f"job {measured}", exact=True)).to_be_visible()
    choose(page, "Reference", f"★ job {measured}")
    expect(page).to_have_url(re.compile("beside=base"))
    expect(page.get_by_role("columnheader", name="ring, base job (GB/s)")).to_be_visible()
    expect(page.locator("figcaption")).to_contain_text(
        f"Grey: the means of job {measured}, the base job. Against job {measured}: of 8 rows"
    )
    assert visit.violations() == []
    choose(page, "View", "chart")
    visit.shoot("job-baseline")


@pytest.mark.long
def test_a_job_of_a_million_steps(visit: Visit, long_job: int) -> None:
    page = visit.open(f"/jobs/{long_job}?tab=latency&view=table")
    expect(page.get_by_text(re.compile("^n=250,000 iterations of 4 ranks"))).to_be_visible()
    shown = dict(values(page, "Time in µs by share of the iterations"))
    ordered = np.sort([slow_us(i) for i in range(STEPS // RANKS)]).tolist()
    for percent in (50, 90, 99):
        assert shown[f"{percent} %"] == three_digits(percentile(ordered, percent))
    assert shown["99.99 %"] == shown["100 %"] == "5000"
    open_part(page, "Stragglers")
    choose(page, "View", "strips")
    expect(page.get_by_text("Rank 2 on")).to_contain_text("came last to 100.0 % of 250,000 iterations; by chance")
    strips = page.get_by_role("group", name=re.compile("^Strips of lateness"))
    expect(strips.locator("tbody tr").first).to_contain_text("rank 2")
    expect(strips.locator("tbody tr").first).to_contain_text("50.0")
    assert page.evaluate("document.querySelectorAll('*').length") < 1500
    assert visit.violations() == []
    visit.shoot("job-million-steps")


@pytest.mark.long
def test_a_hundred_megabytes_of_log(visit: Visit, long_job: int) -> None:
    page = visit.open(f"/jobs/{long_job}?tab=log")
    expect(page.get_by_text("1,000,000 lines")).to_be_visible()
    box = page.get_by_role("region", name="Log lines")
    expect(box.get_by_text(re.compile("^line +1 x"))).to_be_visible()
    box.focus()
    page.keyboard.press("End")
    expect(box.get_by_text(re.compile("^line +1000000 x"))).to_be_visible()
    page.keyboard.press("Home")
    expect(box.get_by_text(re.compile("^line +1 x"))).to_be_visible()
    page.goto(f"{visit.site.url}/jobs/{long_job}?tab=log#L777777")
    page.reload()
    target = box.locator("li[data-target]")
    expect(target).to_contain_text("777777 x")
    expect(target).to_be_in_viewport()
    visit.shoot("job-log-long")
    page.get_by_label("Lines with these words").fill("line 77777")
    found = sum("77777" in str(i + 1) for i in range(LINES))
    expect(page.get_by_text(f"{found} lines that match")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('*').length") < 1500
    assert visit.violations() == []

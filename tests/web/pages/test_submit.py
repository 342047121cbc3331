"""The form: from its fields to the result, with the keyboard, and what it says about bad input."""

import math
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.web.browsing import AGAIN, Site, Visit, choose


def cells(row: Locator) -> list[str]:
    return [text.strip() for text in row.locator("th, td").all_inner_texts()]


def three_digits(value: float) -> str:
    """A number as the page writes it: three significant digits, at most six decimals, no exponent."""
    decimals = min(6, max(0, 2 - math.floor(math.log10(value))))
    # the exact value of the double with ties upwards, as JavaScript's toFixed rounds
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def test_submit_by_keyboard_and_watch_it_finish(visit: Visit) -> None:
    page = visit.open("/jobs/new?ranks=2&algorithms=ring,mpi&min=1K&max=16K&iterations=3&warmup=1")
    expect(page.get_by_text(re.compile("^5 sizes . 2 algorithms . out of place and in place"))).to_be_visible()
    expect(page.get_by_text("20 rows")).to_be_visible()
    page.get_by_label("Name").focus()
    page.keyboard.type("by keyboard")
    page.evaluate("window.isSameDocument = true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="by keyboard", level=1)).to_be_visible()
    job_id = int(page.url.rpartition("/")[2])
    expect(page.locator("main").get_by_text("succeeded").first).to_be_visible()
    expect(page).to_have_title(f"✓ {best(visit.site, job_id)} GB/s · job {job_id} · ringscope")
    assert page.evaluate("window.isSameDocument"), "the page was loaded again instead of filling in"
    compare_with_api(page, visit.site, job_id)


def best(site: Site, job_id: int) -> str:
    return three_digits(site.get(f"/jobs/{job_id}")["summary"]["best"][0]["busbw_gb_per_s"])


def compare_with_api(page: Page, site: Site, job_id: int) -> None:
    """Compare every row of both tables, and the verdict, with the API."""
    rows = site.get(f"/jobs/{job_id}/measurements?limit=200")["items"]
    assert len(rows) == 20
    for algorithm in ("ring", "mpi"):
        choose(page, "Algorithm", algorithm)
        table = page.get_by_role("table", name=f"Measurements of {algorithm}")
        expect(table.locator("tbody tr")).to_have_count(5)
        shown = [cells(row) for row in table.locator("tbody tr").all()]
        for place, first in ((False, 2), (True, 7)):
            mine = [row for row in rows if row["algorithm"] == algorithm and row["in_place"] is place]
            mine.sort(key=lambda row: row["size_bytes"])
            want = [
                [three_digits(row[key]) for key in ("time_us", "algbw_gb_per_s", "busbw_gb_per_s")]
                + [str(row["wrong"])]
                for row in mine
            ]
            assert [[row[first], *row[first + 2 : first + 5]] for row in shown] == want
            medians = [three_digits(row["p50_us"]) for row in mine]
            assert [row[first + 1].split(" ")[0] for row in shown] == medians
            assert [int(row[1]) for row in shown] == [row["count"] for row in mine]
    job = site.get(f"/jobs/{job_id}")
    expect(page.get_by_text(job["summary"]["verdict"])).to_be_visible()
    expect(page.get_by_text("of 20", exact=True)).to_be_visible()


# What a URL fills in, the field, what is said there before anybody submits, and what mends it.
BAD_FIELDS = {
    "ranks=abc": ("ranks", "A whole number is needed, and this is \u201cabc\u201d.", "2"),
    "max=foo": ("max", "This is no size; write it as 8, 64K, 16 MiB or 16 MB.", "64K"),
    "ranks=99": (
        "ranks",
        "99 ranks were asked for, but the cluster has 4 slots; "
        "ask for 4 or fewer, or start an agent with more --slots.",
        "4",
    ),
    "iterations=-1": ("iterations", "-1 is too small; give 1 or more.", "1"),
    "min=64K&max=8": (
        "min",
        "\u201cSmallest\u201d 65536 is larger than \u201cLargest\u201d 8; "
        "lower \u201cSmallest\u201d or raise \u201cLargest\u201d.",
        "8",
    ),
    "ranks=2&collective=broadcast&algorithms=ring&root=5": ("root", "5 is not one of 2 ranks; give 0 to 1.", "1"),
}


@pytest.mark.long
def test_what_is_wrong_with_a_field_is_said_there_while_somebody_types(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.page
    for query, (field, sentence, mended) in BAD_FIELDS.items():
        visit.open(f"/jobs/new?{query}")
        box = page.locator(f"[name={field}]")
        expect(page.get_by_text(sentence, exact=True)).to_have_count(1)
        expect(box).to_have_attribute("aria-invalid", "true")
        page.get_by_role("button", name="Submit the job").click()
        expect(box).to_be_focused()
        assert page.url.startswith(f"{visit.site.url}/jobs/new")
        box.fill(mended)
        expect(page.get_by_text(sentence, exact=True)).to_have_count(0)
        expect(page.locator("[aria-invalid=true]")).to_have_count(0)
    visit.open("/jobs/new?ranks=99&max=foo")
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)
    assert visit.violations() == []
    visit.shoot("new-job-refused")


def test_algorithms_that_this_cluster_cannot_run_are_refused_in_one_sentence(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/jobs/new?ranks=2&algorithms=nccl")
    no_gpu = "Algorithm nccl needs a GPU, and no node that it may use has one; choose others, such as ring and mpi."
    expect(page.get_by_text(no_gpu, exact=True)).to_have_count(1)
    page.get_by_role("checkbox", name="mpi", exact=True).check()
    both = re.compile(
        "needs host memory but .* GPU memory; leave one out|needs GPU memory but .* host memory; leave one out"
    )
    expect(page.get_by_text(both)).to_have_count(1)
    expect(page.get_by_role("checkbox", name="nccl", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_role("checkbox").first).to_be_focused()
    expect(page.get_by_text(both)).to_have_count(1)
    page.get_by_role("checkbox", name="nccl", exact=True).uncheck()
    expect(page.get_by_text(both)).to_have_count(0)


@pytest.mark.long
def test_the_form_is_what_its_address_says(visit: Visit) -> None:
    page = visit.open("/jobs/new")
    ranks, name = page.get_by_label("Ranks", exact=True), page.get_by_label("Name")
    expect(ranks).to_have_value("4")  # as many as there are slots
    ranks.fill("2")
    name.press_sequentially("night")
    expect(name).to_be_focused()
    expect(page).to_have_url(f"{visit.site.url}/jobs/new?name=night&ranks=2")
    page.reload()
    expect(ranks).to_have_value("2")
    page.get_by_role("link", name="New job").first.click()
    expect(page).to_have_url(f"{visit.site.url}/jobs/new")
    expect(ranks).to_have_value("4")
    expect(name).to_have_value("")
    page.go_back()
    expect(ranks).to_have_value("2")
    expect(name).to_have_value("night")


@pytest.mark.parametrize("filled", ["kind=training&global_batch_size=990", "kind=script&file=a.py"])
def test_every_kind_of_job_takes_ranks_and_says_what_is_free(visit: Visit, filled: str) -> None:
    visit.expect_error("422")
    page = visit.open(f"/jobs/new?{filled}&ranks=99")
    expect(page.get_by_text("99 ranks were asked for, but the cluster has 4 slots", exact=False)).to_have_count(1)
    expect(page.get_by_text(re.compile("of 4 slots are free now"))).to_be_visible()
    page.get_by_label("Ranks", exact=True).fill("2")
    expect(page.locator("[aria-invalid=true]")).to_have_count(0)


def test_what_nobody_has_filled_in_is_wrong_once_it_is_submitted(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/jobs/new?kind=script")
    file = page.get_by_label("File")
    expect(page.get_by_text(re.compile("of 4 slots are free now"))).to_be_visible()
    expect(file).not_to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Submit the job").click()
    expect(file).to_have_attribute("aria-invalid", "true")
    expect(file).to_be_focused()


@pytest.mark.long
def test_advanced_options_reach_the_job_and_its_page(visit: Visit) -> None:
    page = visit.open("/jobs/new?ranks=2&algorithms=ring&min=1K&max=3K&iterations=2&warmup=1")
    expect(page.get_by_label("Cycles")).to_be_hidden()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Step").fill("1K")
    page.get_by_label("Cycles").fill("2")
    page.get_by_label("Time of a row").select_option("max")
    page.get_by_label("Use another piece of memory each time").check()
    expect(page.get_by_text("12 rows")).to_be_visible()
    assert visit.violations() == []
    page.get_by_role("button", name="Submit the job").click()
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible()
    job = visit.site.get(f"/jobs/{page.url.rpartition('/')[2]}")
    benchmark = job["spec"]["benchmark"]
    assert (benchmark["step_bytes"], benchmark["step_factor"], benchmark["cycles"]) == (1024, None, 2)
    assert (benchmark["average"], benchmark["rotate"]) == ("max", True)
    assert job["progress"] == {"done": 12, "total": 12}
    expect(page.locator("figcaption")).to_contain_text("on the slowest rank, over 2 cycles")
    page.get_by_role("link", name="Configuration").click()
    expect(page.get_by_text("1 KiB to 3 KiB, step 1 KiB")).to_be_visible()


@pytest.mark.long
def test_run_again_starts_from_the_jobs_fields(visit: Visit) -> None:
    page = visit.open("/jobs/1")
    page.get_by_role("link", name=AGAIN).click()
    expect(page.get_by_role("heading", name="New job like job 1")).to_be_visible()
    expect(page.get_by_label("Smallest")).to_have_value("1 KiB")
    expect(page.get_by_label("Largest")).to_have_value("16 KiB")
    expect(page.get_by_role("checkbox", name="direct")).not_to_be_checked()
    page.get_by_role("button", name="Smoke").click()
    page.reload()
    expect(page.get_by_label("Largest")).to_have_value("1 MiB")

"""Benchmarks beside each other, with what is noise in their differences."""

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, Visit, choose, visiting
from tests.web.many_jobs import add_twin
from tests.web.pages.test_submit import cells, three_digits

TIMES = "\N{MULTIPLICATION SIGN}"
FIRST = 1  # the job that the site has from the beginning
SIZES = 5


def ended_again(site: Site, ranks: int) -> int:
    """Run the first sweep once more, over ``ranks`` ranks."""
    benchmark = site.get(f"/jobs/{FIRST}")["spec"]["benchmark"]
    body = {"name": f"again over {ranks}", "benchmark": benchmark, "placement": {"ranks": ranks}}
    job_id = int(site.post("/jobs", body).json()["id"])
    site.lab.wait_for_state(job_id, "succeeded")
    return job_id


@pytest.fixture(scope="module")
def runs(site: Site) -> tuple[int, int]:
    """Two sweeps alike, of which the second was slower at large messages."""
    return FIRST, add_twin(site.lab.data_dir, "again over 2")


@pytest.fixture(scope="module")
def wider(site: Site) -> int:
    """Submit a job of more ranks."""
    return ended_again(site, 4)


def delta(ratio: float) -> str:
    """The change of a time as the page writes it."""
    times = max(ratio, 1 / ratio)
    number = three_digits(times if times >= 2 else round(100 * abs(ratio - 1), 2))
    amount = number.rstrip("0").rstrip(".") if "." in number else number
    if times < 2 and float(amount) == 0:
        return "equal"
    return f"{amount} {TIMES if times >= 2 else '%'} {'faster' if ratio < 1 else 'slower'}"


def test_benchmarks_are_compared_by_the_servers_rule(visit: Visit, runs: tuple[int, int]) -> None:
    first, second = runs
    page = visit.open(f"/compare?ids={first},{second}")
    choose(page, "Algorithm", "mpi")
    expect(page).to_have_url(re.compile("algorithm=mpi"))
    found = visit.site.get(f"/comparison?job={first}&job={second}&base={first}")
    rows = [
        {row["size_bytes"]: row for row in job["rows"] if row["algorithm"] == "mpi" and not row["in_place"]}
        for job in found["jobs"]
    ]
    table = page.get_by_role("table", name=re.compile(f"^Time and bus bandwidth by message size.* job {first}$"))
    shown = [cells(row) for row in table.locator("tbody tr").all()]
    assert len(shown) == SIZES
    for line, size in zip(shown, sorted(rows[0]), strict=True):
        base, other = (part[size] for part in rows)
        for found_, (time, busbw) in ((base, line[1:3]), (other, line[3:5])):
            median_us = found_["median_us"]  # the ratio is made of it
            of_median = found_["busbw_gb_per_s"] * found_["time_us"] / median_us
            assert (time.split()[0], busbw) == (three_digits(median_us), three_digits(of_median))
        assert line[5].startswith(delta(other["against"]["ratio"]))
        word = "clearly" if other["against"]["is_clear"] else "no clear difference"
        assert word in line[5]
    expect(page.get_by_text("Neither the specifications nor the known nodes and versions differ.")).to_be_visible()
    page.get_by_role("button", name="Options").click()
    choose(page, "Scale", f"{TIMES} job {first}")
    page.keyboard.press("Escape")
    page.get_by_role("radio", name=f"Job {second} as the base job").check()
    page.reload()
    expect(page.get_by_role("heading", name=f"Speed as a multiple of job {second}")).to_be_visible()
    expect(
        page.get_by_role("status").get_by_text(re.compile(f"^Job {first} (is clearly|and job {second})"))
    ).to_be_visible()


@pytest.mark.long
def test_runs_that_do_not_measure_the_same_are_flagged(visit: Visit, wider: int) -> None:
    first = FIRST
    page = visit.open(f"/compare?ids={first},{wider}")
    flags = page.get_by_text(
        f"Job {wider} and job {first} do not measure the same thing: ranks is 4, and 2 in the base job."
    )
    expect(flags).to_be_visible()
    expect(page.get_by_role("row", name="ranks")).to_contain_text("4")
    page.get_by_role("link", name=f"Leave out job {wider}").click()
    expect(flags).to_have_count(0)


def test_without_a_choice_the_page_says_where_to_choose(visit: Visit) -> None:
    page = visit.open("/compare")
    expect(page.get_by_text("Choose jobs to compare")).to_be_visible()
    assert visit.violations() == []


@pytest.mark.long
def test_a_job_that_is_not_there_is_said_once(visit: Visit) -> None:
    visit.expect_error("404")
    page = visit.open("/compare?ids=99999")
    expect(page.get_by_text("There is no job 99999")).to_be_visible()
    expect(page.get_by_text("Choose jobs to compare")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_the_comparison_is_accessible(
    browser: Browser, site: Site, runs: tuple[int, int], wider: int, scheme: str, width: int
) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light", width) as visit:
        page = visit.open(f"/compare?ids={','.join(map(str, (*runs, wider)))}")
        expect(page.get_by_role("region", name="Times by size")).to_be_visible()
        assert visit.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        visit.shoot(f"compare-sweeps-{scheme}-{width}")
        visit.open(f"/compare?ids={','.join(map(str, (*runs, wider)))}&scale=ratio&algorithm=ring")
        expect(page.get_by_role("region", name="Times by size")).to_be_visible()
        visit.shoot(f"compare-ratio-{scheme}-{width}")


def test_the_table_of_two_jobs_fits_a_phone(browser: Browser, site: Site, runs: tuple[int, int]) -> None:
    with visiting(browser, site, width=390) as visit:
        page = visit.open(f"/compare?ids={runs[0]},{runs[1]}")
        region = page.get_by_role("region", name=re.compile("^Times by size"))
        expect(region.get_by_role("columnheader", name=re.compile("difference$"))).to_be_visible()
        beyond = region.evaluate("region => region.scrollWidth - region.clientWidth")
        page_beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert (beyond, page_beyond) == (0, 0)

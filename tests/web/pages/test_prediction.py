"""A prediction of a sweep's times is shown beside the form before it is submitted, and beside its rows afterwards."""

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, Visit, choose, visiting
from tests.web.pages.test_submit import cells, three_digits

FORM = "/jobs/new?ranks=2&algorithms=ring,mpi&min=1K&max=64K&factor=8&iterations=3&warmup=1"
SPEC = {
    "benchmark": {"algorithms": ["ring", "mpi"], "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8}
    | {"iterations": 3, "warmup": 1},
    "placement": {"ranks": 2},
}


@pytest.mark.long
def test_the_form_shows_the_prediction_of_the_api_and_the_result_is_compared_with_it(visit: Visit) -> None:
    page = visit.open(FORM)
    aside = page.get_by_role("complementary", name="What will run")
    expect(aside).to_contain_text("Operations take")
    expect(aside).to_contain_text("Would start now.")
    expect(aside).to_contain_text("Nothing here is measured.")
    found = visit.site.post("/jobs/prediction", SPEC).json()
    aside.get_by_text("As a table").click()
    expect(aside.locator("tbody tr")).to_have_count(len(found["model"]["rows"]))
    shown = [cells(row) for row in aside.locator("tbody tr").all()]
    assert [(row[0], row[2], row[3]) for row in shown] == [
        (row["algorithm"], three_digits(row["time_us"]), three_digits(row["busbw_gb_per_s"]))
        for row in found["model"]["rows"]
    ]
    page.get_by_label("Largest").fill("1K")
    expect(aside.locator("tbody tr")).to_have_count(2)
    page.get_by_label("Largest").fill("64K")
    expect(aside.locator("tbody tr")).to_have_count(6)
    page.get_by_role("button", name="Submit the job").click()
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible()
    choose(page, "Reference", "model")
    expect(page.locator("figcaption")).to_contain_text("Dashed: the cost model")


@pytest.mark.long
def test_warnings_stand_before_the_job_is_submitted(visit: Visit) -> None:
    page = visit.open("/jobs/new?ranks=2&algorithms=ring,direct&iterations=1000000&limit=1")
    warnings = page.get_by_role("list", name="Warnings")
    expect(warnings).to_contain_text("the time limit is 1 s: raise it")
    expect(warnings).to_contain_text("With 2 ranks ring and direct send the same messages")
    page.get_by_label("Ranks", exact=True).fill("1")
    expect(warnings).to_contain_text("One rank sends no data")


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_the_form_with_its_prediction_is_accessible(browser: Browser, site: Site, scheme: str, width: int) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light", width) as visit:
        page = visit.open("/jobs/new")
        expect(page.get_by_text("Nothing here is measured.")).to_be_visible()
        assert visit.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        visit.shoot(f"new-job-{scheme}-{width}")


@pytest.mark.long
def test_a_model_that_was_fitted_here_has_a_band_and_a_knee(visit: Visit) -> None:
    sweep = {"algorithms": ["ring"], "min_bytes": 64, "max_bytes": 4 << 20, "step_factor": 2, "iterations": 20}
    body = {"benchmark": sweep, "placement": {"ranks": 2}}
    visit.site.lab.wait_for_state(int(visit.site.post("/jobs", body).json()["id"]), "succeeded")
    model = visit.site.post("/jobs/prediction", body).json()["model"]
    page = visit.open("/jobs/new?ranks=2&algorithms=ring&min=64&max=4M&factor=2&iterations=20")
    caption = page.locator("figcaption")
    error = three_digits(100 * model["median_error"])
    expect(caption).to_contain_text(f"Half of these rows lie within {error} % of it. The band shows that.")
    for knee in model["knees"]:
        expect(caption).to_contain_text("S* marks where half of the model\u2019s time is latency: " + knee["algorithm"])
    visit.shoot("new-job-fitted")
    assert visit.violations() == []

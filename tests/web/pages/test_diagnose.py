"""The page Diagnose: files of several kinds, each explained in its part."""

from pathlib import Path

from playwright.sync_api import Page, expect
from tests.web.browsing import Visit

TESTS = Path(__file__).parents[2]
DUMPS = sorted((TESTS / "hangs" / "recorded" / "missing").iterdir())
FILES = [
    *DUMPS,
    TESTS / "nccl_log" / "written" / "v2_19_shared_memory_and_sockets.txt",
    TESTS / "nccl_inspector" / "foreign" / "v4_1_verbose_proxy.jsonl",
    TESTS / "nccl_ras" / "foreign" / "status_json_missing_rank.json",
    TESTS / "imports" / "foreign" / "nccl-tests-text" / "alltoall_then_sendrecv_double.txt",
]


def choose(page: Page, *files: Path) -> None:
    page.locator('input[aria-label="Files to explain"]').set_input_files(files)


def test_files_of_several_kinds_are_named_and_explained(visit: Visit) -> None:
    page = visit.open("/diagnose")
    choose(page, *FILES)
    hang = page.get_by_role("region", name="Hang", exact=True)
    expect(hang.get_by_role("row").filter(has_text="not issued")).to_have_count(1)
    expect(hang.get_by_role("row").filter(has_text="waits")).to_have_count(1)
    expect(hang).to_contain_text("has not issued operation")
    log = page.get_by_role("region", name="NCCL's channels")
    expect(log.get_by_role("img", name="Ring of channels")).to_be_visible()
    expect(log).to_contain_text("TCP sockets")
    expect(
        page.get_by_role("region", name="Bandwidth while a job ran").get_by_role("img", name="Bus bandwidth")
    ).to_have_count(2)
    expect(page.get_by_role("region", name="State of communicators")).to_contain_text("not answer")
    expect(page.get_by_role("region", name="Is my number OK?")).to_contain_text("published runs")
    visit.shoot("diagnose-light")
    assert visit.violations() == []
    # The choice stays while the user looks at other pages.
    visit.follow("/nodes")
    visit.follow("/diagnose")
    expect(hang).to_be_visible()


def test_a_file_that_is_no_result_leads_from_the_import_to_its_explanation(visit: Visit) -> None:
    page = visit.open("/jobs")
    page.get_by_label("Files with results").set_input_files([str(path) for path in DUMPS])
    page.get_by_role("button", name="Diagnose these files").click()
    expect(page.get_by_role("region", name="Hang", exact=True)).to_contain_text("has not issued operation")

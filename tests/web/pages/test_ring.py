"""The ring: steps by keys and buttons to 7,14,21, and what it shows for other collectives and many ranks."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.web.browsing import Site, Visit, visiting

PAGES = {
    "ring": "/ring",
    "ring-step": "/ring?step=2",
    "ring-end": "/ring?step=4",
    "ring-nodes": "/ring?n=2x4&algorithm=hierarchical&step=2",
    "ring-many": "/ring?n=32&step=20",
    "ring-broadcast": "/ring?collective=broadcast&algorithm=tree&n=8&step=2",
    "ring-table": "/ring?view=table&step=1",
    "ring-error": "/ring?values=a,b",
}


def settle(page: Page, name: str) -> None:
    """Wait until the page's own data is there."""
    if name == "ring-error":
        expect(page.get_by_label("Numbers")).to_have_attribute("aria-invalid", "true")
    else:
        expect(page.get_by_role("heading", name="In time")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ring_has_no_accessibility_violation(browser: Browser, site: Site, scheme: str) -> None:
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        visit.expect_error("422")
        for name, path in PAGES.items():
            settle(visit.open(path), name)
            visit.shoot(f"{name}-{scheme}")
            assert visit.violations() == [], name


@pytest.mark.long
def test_the_ring_fits_a_phone(browser: Browser, site: Site) -> None:
    with visiting(browser, site, width=375) as visit:
        visit.expect_error("422")
        for name, path in PAGES.items():
            page = visit.open(path)
            settle(page, name)
            visit.shoot(f"{name}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 375, name


def matrix(page: Page) -> Locator:
    """The numbers, a row for each rank."""
    return page.get_by_role("table", name="What each rank holds of each chunk").locator("tbody")


def held(page: Page) -> list[list[str]]:
    """The numbers in the matrix."""
    rows = matrix(page).locator("tr")
    return [row.locator("strong").all_inner_texts() for row in rows.all()]


def test_step_by_step_to_the_sum(visit: Visit) -> None:
    page = visit.open("/ring")
    sentence = page.locator("main p[role=status]")
    expect(sentence).to_have_text("Before step 1 of 4: every rank holds its own input.")
    assert held(page) == [["2", "4", "6"], ["1", "2", "3"], ["4", "8", "12"]]
    told = ["rank 0 sends 2 (chunk 0) to rank 1", "rank 0 sends 18 (chunk 2) to rank 1"]
    told += ["rank 0 sends 14 (chunk 1) to rank 1", "rank 0 sends 7 (chunk 0) to rank 1"]
    steps = visit.site.post("/trace", {"values": [[2, 4, 6], [1, 2, 3], [4, 8, 12]]}).json()["example"]["steps"]
    for number, words in enumerate(told, 1):
        page.keyboard.press("ArrowRight")
        expect(sentence).to_contain_text(f"Step {number} of 4")
        expect(sentence).to_contain_text(words)
        expect(page).to_have_url(f"{visit.site.url}/ring?step={number}")
        assert held(page) == [[f"{value:g}" for value in row] for row in steps[number - 1]["held"]]
    expect(sentence).to_contain_text("Every rank ends with 7, 14, 21.")
    assert held(page) == [["7", "14", "21"]] * 3
    expect(page.get_by_text("3/3 ✓")).to_have_count(9)
    page.reload()
    expect(sentence).to_contain_text("Every rank ends with 7, 14, 21.")


@pytest.mark.long
def test_keys_and_buttons_jump(visit: Visit) -> None:
    page = visit.open("/ring?step=1")
    heading = page.get_by_role("heading", level=2).filter(has_text=re.compile("^(Step|At the start)"))
    expect(heading).to_have_text("Step 1 of 4")
    for keys, words in (
        ("Shift+ArrowRight", "Step 2 of 4"),
        ("Shift+ArrowRight", "Step 4 of 4"),
        ("ArrowRight", "Step 4 of 4"),
        ("Shift+ArrowLeft", "Step 2 of 4"),
        ("ArrowLeft", "Step 1 of 4"),
        ("End", "Step 4 of 4"),
        ("Home", "At the start"),
    ):
        page.keyboard.press(keys)
        expect(heading).to_have_text(words)
    for name, words in (
        ("To the end", "Step 4 of 4"),
        ("Phase back", "Step 2 of 4"),
        ("Step back", "Step 1 of 4"),
        ("Phase forward", "Step 2 of 4"),
        ("Step forward", "Step 3 of 4"),
        ("To the start", "At the start"),
    ):
        page.get_by_role("button", name=name).click()
        expect(heading).to_have_text(words)


@pytest.mark.long
def test_it_plays_to_the_end_and_space_stops_it(visit: Visit) -> None:
    page = visit.open("/ring?speed=4")
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.get_by_text("Every rank ends with 7, 14, 21.")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.goto(f"{visit.site.url}/ring?speed=0.25")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.long
def test_letters_typed_into_a_field_move_nothing(visit: Visit) -> None:
    page = visit.open("/ring?step=1")
    numbers = page.get_by_label("Numbers")
    numbers.fill("1,2;3,4")
    numbers.press("ArrowLeft")
    numbers.press("Home")
    expect(page.get_by_role("heading", name="Step 1 of 4")).to_be_visible()
    numbers.press("Enter")
    expect(page.get_by_role("heading", name="At the start")).to_be_visible()
    # The numbers before stay until the new ones have come.
    expect(matrix(page).locator("strong")).to_have_text(["1", "2", "3", "4"])
    assert held(page) == [["1", "2"], ["3", "4"]]
    page.go_back()
    expect(page.get_by_role("heading", name="Step 1 of 4")).to_be_visible()


@pytest.mark.long
def test_many_ranks_have_no_ring(visit: Visit) -> None:
    page = visit.open("/ring?n=32&step=31")
    expect(page.get_by_text("More than 16 ranks")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Ring in step"))).to_have_count(0)
    table = page.get_by_role("table", name="What each rank holds of each chunk")
    expect(table.locator("tbody tr")).to_have_count(32)
    expect(table.locator("[data-whole]")).to_have_count(32)


@pytest.mark.long
def test_it_saves_a_file_for_perfetto(visit: Visit, tmp_path: Path) -> None:
    page = visit.open("/ring")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save for Perfetto").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "ringscope-ring-3.json"
    assert sum(event["ph"] == "s" for event in json.loads(file.read_text())["traceEvents"]) == 12

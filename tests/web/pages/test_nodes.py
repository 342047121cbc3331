"""A node's page: drain and resume, labels, history, and what is between nodes."""

import pytest
from playwright.sync_api import expect
from tests.web.browsing import Visit


def node_name(visit: Visit) -> str:
    return str(visit.site.get("/nodes")["items"][0]["name"])


def test_a_node_is_drained_and_resumed(visit: Visit) -> None:
    name = node_name(visit)
    page = visit.open(f"/nodes/{name}")
    page.get_by_role("button", name="Drain").click()
    dialog = page.get_by_role("dialog", name=f"Drain node {name}?")
    expect(dialog).to_contain_text("gets no new work until it is resumed")
    expect(dialog).to_contain_text("Nothing runs there now")
    dialog.get_by_role("button", name=f"Drain {name}").click()
    expect(dialog.get_by_text("reason: give a reason")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Why")).to_be_focused()
    assert visit.violations() == []
    visit.shoot("drain")
    page.keyboard.type("new DIMM")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.locator(".page-head").get_by_text("drained", exact=True)).to_be_visible()
    expect(page.get_by_text("Drained by admin: new DIMM", exact=True)).to_be_visible()
    node = visit.site.get(f"/nodes/{name}")
    assert (node["desired"], node["desired_reason"]) == ("drain", "new DIMM")
    visit.follow("/")
    expect(page.locator("[data-health]")).to_contain_text(f"1 node is drained: {name}.")
    visit.shoot("overview-drained")
    visit.follow(f"/nodes/{name}")
    expect(page.get_by_role("region", name="Events")).to_contain_text("drained by admin: new DIMM")
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name=f"Resume {name}").click()
    expect(page.locator(".page-head").get_by_text("ready")).to_be_visible()
    assert visit.site.get(f"/nodes/{name}")["desired"] == "active"


@pytest.mark.long
def test_labels_are_set_and_taken_away(visit: Visit) -> None:
    name = node_name(visit)
    page = visit.open(f"/nodes/{name}")
    box = page.get_by_role("textbox", name="Change labels")
    box.fill("zone")
    box.press("Enter")
    expect(page.get_by_text("is neither key=value nor key-")).to_be_visible()
    box.fill("zone=7")
    box.press("Enter")
    labels = page.get_by_role("region", name="Labels")
    expect(labels).to_contain_text("7 (set by a person)")
    assert visit.site.get(f"/nodes/{name}")["labels"]["zone"] == "7"
    box.fill("zone-")
    box.press("Enter")
    expect(labels).not_to_contain_text("set by a person")


def test_a_node_lists_the_jobs_that_ran_there(visit: Visit) -> None:
    name = node_name(visit)
    page = visit.open(f"/nodes/{name}")
    expect(page.get_by_role("region", name="Jobs", exact=True).get_by_role("row").nth(1)).to_be_visible()
    page.get_by_role("link", name="All jobs that ran here").click()
    expect(page).to_have_url(f"{visit.site.url}/jobs?node={name}")
    expect(page.locator("tbody a[href='/jobs/1']")).to_have_text("first sweep")
    page.get_by_role("button", name=f"on {name}").click()
    expect(page).to_have_url(f"{visit.site.url}/jobs")


@pytest.mark.long
def test_one_node_has_no_link_and_the_page_says_so(visit: Visit) -> None:
    page = visit.open("/nodes")
    expect(page.get_by_text("There is no link yet")).to_be_visible()

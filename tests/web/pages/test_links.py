"""The page draws the links between nodes once a job has measured all of them; a cell opens the link's history."""

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, visiting

pytestmark = pytest.mark.long


def test_links_are_empty_until_the_page_has_measured_them(browser: Browser, pair_site: Site) -> None:
    with visiting(browser, pair_site) as visit:
        page = visit.open("/nodes")
        links = page.get_by_role("region", name="Links")
        expect(links).to_contain_text("No link has been measured")
        links.get_by_role("button", name="Measure all links").click()
        dialog = page.get_by_role("dialog", name="Measure all links?")
        expect(dialog).to_contain_text("one job with one rank on each of 2 nodes")
        dialog.get_by_text("The same as a command").click()
        command = dialog.locator("pre").inner_text()
        assert " links --nodes " in command
        visit.shoot("measure-links")
        dialog.get_by_role("button", name="Measure 1 link").click()
        cells = links.get_by_role("button", name=re.compile(r" to .*GB.s"))
        expect(cells).to_have_count(2, timeout=60_000)
        expect(links.get_by_role("status")).to_contain_text("has measured the links", timeout=60_000)
        expect(links).to_contain_text("1 of 1 pairs measured")
        visit.shoot("links")
        assert visit.violations() == []
        (link,) = pair_site.get("/links")["items"]
        # The very command measures it again, with smaller messages.
        done = pair_site.lab.run_copied(command + " --size 64K")
        assert done.returncode == 0, done.stderr
        visit.open("/nodes")
        cells.first.click()
        history = page.get_by_role("dialog", name=re.compile("Link between"))
        expect(history.get_by_role("row")).to_have_count(3)
        visit.shoot("link-history")
        assert visit.violations() == []
        history.get_by_role("link", name=f"job {link['job_id']}").click()
        expect(page).to_have_url(f"{pair_site.url}/jobs/{link['job_id']}")
        # The ranks of a job on both nodes are joined by what was measured.
        visit.open(f"/jobs/{link['job_id']}?tab=configuration")
        page.get_by_text("Connections between the ranks").click()
        joints = page.get_by_role("region", name="Connections between the ranks")
        expect(joints.get_by_role("link")).to_have_count(2)
        expect(joints.get_by_role("link").first).to_have_text(re.compile(r"^[\d.]+$"))
        visit.shoot("job-topology-net")
        visit.open("/nodes/second")
        expect(page.get_by_role("region", name="Links").get_by_role("button", name=re.compile("GB.s"))).to_have_count(1)
        visit.shoot("node-with-link")

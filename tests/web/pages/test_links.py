"""What is between nodes: nothing is drawn before a sendrecv between two of them has measured it."""

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browsing import Site, visiting

pytestmark = pytest.mark.long


def test_a_link_is_empty_until_a_sendrecv_measured_it(browser: Browser, pair_site: Site) -> None:
    with visiting(browser, pair_site) as visit:
        page = visit.open("/nodes")
        links = page.get_by_role("region", name="Links")
        expect(links).to_contain_text("No link has been measured")
        links.get_by_role("button", name="Measure all links").click()
        dialog = page.get_by_role("dialog", name="Measure all links?")
        expect(dialog).to_contain_text("This submits 1 job")
        dialog.get_by_text("In a terminal").click()
        command = dialog.locator("pre").inner_text()
        visit.shoot("measure-links")
        dialog.get_by_role("button", name="Cancel").click()
        assert "--collective sendrecv" in command
        # The very command, with smaller messages.
        done = pair_site.lab.run_copied(re.sub(r"-b \S+ -e \S+ -f \S+", "-b 1K -e 4K -f 4 -n 2", command))
        assert done.returncode == 0, done.stderr
        visit.open("/nodes")
        (link,) = pair_site.get("/links")["items"]
        expect(links.get_by_role("link")).to_have_count(2)
        expect(links.get_by_role("link").first).to_have_text(re.compile(r"^[\d.]+$"))
        expect(links).to_contain_text("1 of 1 pairs measured")
        visit.shoot("links")
        assert visit.violations() == []
        links.get_by_role("link").first.click()
        expect(page).to_have_url(f"{pair_site.url}/jobs/{link['job_id']}")
        # The ranks of a job on both nodes are joined by what was measured.
        visit.open(f"/jobs/{link['job_id']}?tab=configuration")
        page.get_by_text("Connections between the ranks").click()
        joints = page.get_by_role("region", name="Connections between the ranks")
        expect(joints.get_by_role("link")).to_have_count(2)
        expect(joints.get_by_role("link").first).to_have_text(re.compile(r"^[\d.]+$"))
        visit.shoot("job-topology-net")
        visit.open("/nodes/second")
        expect(page.get_by_role("region", name="Links").get_by_role("link")).to_have_count(1)
        visit.shoot("node-with-link")

"""The README's picture docs/images/job.png: `python -m scripts.job_picture` measures a job and pictures its page.

It needs the built page and chromium, and a machine that is otherwise idle, as other load is marked on the page.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from tests.cluster.lab import running_lab
from tests.web.browsing import FLAGS, ROOT, Site, visiting
from tests.web.conftest import find_chromium, printed_login_link

PICTURE = ROOT / "docs" / "images" / "job.png"
WIDTH_PX, HEIGHT_PX = 1280, 1280
SWEEP = {
    "name": "four algorithms",
    "benchmark": {
        "algorithms": ["ring", "halving_doubling", "direct", "mpi"],
        "min_bytes": 1 << 10,
        "max_bytes": 1 << 26,
        "iterations": 60,
    },
    "placement": {"ranks": 2},
}


def take() -> None:
    """Measure the sweep and take the picture of its page."""
    with (
        tempfile.TemporaryDirectory(prefix="ringscope-") as path,
        running_lab(Path(path)) as (lab, up),
        sync_playwright() as playwright,
    ):
        assert up.stdout is not None
        site = Site(lab, printed_login_link(up.stdout))
        job_id = site.post("/jobs", SWEEP).raise_for_status().json()["id"]
        lab.wait_for_state(job_id, "succeeded")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        with visiting(browser, site, width=WIDTH_PX) as visit:
            visit.page.set_viewport_size({"width": WIDTH_PX, "height": HEIGHT_PX})
            page = visit.open(f"/jobs/{job_id}?beside=nothing")
            expect(page.locator("figure canvas")).to_be_visible()
            expect(page.locator("[data-status=live]")).to_be_visible()
            page.mouse.move(0, 0)
            page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    take()

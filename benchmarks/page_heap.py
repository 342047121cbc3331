"""Whether the page's heap stays flat while it follows a job.

    python benchmarks/page_heap.py [MINUTES]

A real server and agent, a training job that tells of every step, and Chromium on the job's page. Twice a minute the
heap is collected and measured; the first two minutes are left out, in which the curve fills up to its number of points.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import linear_regression

from playwright.sync_api import CDPSession, Page, sync_playwright

from ringscope.cli.stack import StackOptions, running_stack

LOOK_SECONDS = 30
WARM_UP_LOOKS = 4
TARGET_MB_PER_MINUTE = 0.1
MB = 1e6
JOB = {
    "name": "endless",
    "kind": "training",
    "training": {"model": "mlp", "epochs": 100_000},
    "placement": {"ranks": 2},
    "time_limit_seconds": 7200,
}


def main(minutes: float) -> None:
    """Print the heap at each look, and its slope beside the target."""
    with followed_job() as page:
        session = page.context.new_cdp_session(page)
        heaps_mb = list(looks(session, page, round(minutes * 60 / LOOK_SECONDS)))
        nodes = page.evaluate("document.querySelectorAll('*').length")
    slope = slope_mb_per_minute(heaps_mb[WARM_UP_LOOKS:])
    verdict = "met" if slope <= TARGET_MB_PER_MINUTE else "MISSED"
    say(f"{verdict}: {slope:+.3f} MB a minute (asked <= {TARGET_MB_PER_MINUTE:g}); {nodes} elements at the end")


@contextmanager
def followed_job() -> Iterator[Page]:
    """The page of a job that runs."""
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as scratch, ExitStack() as started:
        options = StackOptions(Path(scratch), "127.0.0.1", 0, 2, 0)
        client = started.enter_context(running_stack(options)).client
        job = client.submit(JOB)
        playwright = started.enter_context(sync_playwright())
        executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(client.login_link().url)
        page.goto(f"{client.login_link().url.split('/login')[0]}/jobs/{job.id}")
        page.get_by_role("heading", name="Training").wait_for()
        yield page
        browser.close()


def looks(session: CDPSession, page: Page, count: int) -> Iterator[float]:
    """The used heap in MB after a collection, every LOOK_SECONDS."""
    for _ in range(count):
        page.wait_for_timeout(LOOK_SECONDS * 1000)
        session.send("HeapProfiler.collectGarbage")
        used_mb = session.send("Runtime.getHeapUsage")["usedSize"] / MB
        say(f"{time.strftime('%H:%M:%S')}  {used_mb:.2f} MB")
        yield used_mb


def slope_mb_per_minute(heaps_mb: Sequence[float]) -> float:
    """Of the line through them."""
    return linear_regression(range(len(heaps_mb)), heaps_mb).slope * 60 / LOOK_SECONDS


def say(line: str) -> None:
    """A line for people, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)

"""Measure whether the page's heap stays flat while it follows a job.

    python -m benchmarks.page.heap [MINUTES]

Chromium opens the page of a training job that reports every step, from a real server and agent, then for as long that
of a benchmark whose steps and rows come live. Twice a minute the heap is collected and measured; the first two minutes
are left out, in which the curve fills up to its number of points.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, Any

from benchmarks.command import Parser, exit_with, quantity
from benchmarks.report import Target, judged, say

from ringscope.cli.processes.stack import StackOptions, running_stack
from ringscope.contracts.errors import UserError

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

LOOK_SECONDS = 30
PAGE_SECONDS = 180  # a busy machine takes longer than the 30 s that Playwright waits by itself
WARM_UP_LOOKS = 4
FEWEST_LOOKS = WARM_UP_LOOKS + 2  # a line takes two
TARGET_MB_PER_MINUTE = 0.1
MB = 1e6
ENDLESS: dict[str, Any] = {"name": "endless", "placement": {"ranks": 2}, "time_limit_seconds": 7200}
TRAINING = ENDLESS | {"kind": "training", "training": {"model": "mlp", "epochs": 100_000}}
# What a page shows of rows grows with them; here they come within the first minutes, but for one that takes very long.
SWEEP = {
    "algorithms": ["ring"],
    "iterations": 100_000,
    "min_bytes": 256 << 10,
    "max_bytes": 64 << 20,
    "step_factor": 256,
}
BENCHMARK = ENDLESS | {"benchmark": SWEEP}
# And what its page has once it is followed.
JOBS = {"training": (TRAINING, "Training"), "benchmark": (BENCHMARK, "Steps now")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the heap at each look, and its slope; 1 where a target is missed. UserError without a browser to drive."""
    parser = Parser(__doc__)
    fewest = FEWEST_LOOKS * LOOK_SECONDS / 60
    parser.add_argument(
        "minutes",
        nargs="?",
        type=quantity(),
        default=10.0,
        metavar="MINUTES",
        help=f"on each page, at least {fewest:g}; 10",
    )
    minutes = parser.parse_args(arguments).minutes
    if find_spec("playwright") is None:
        raise UserError("Playwright is not installed: pip install --group test.")
    if chromium() is None:
        raise UserError("Chromium is not installed: apt-get install chromium, or name one in the variable CHROMIUM.")
    looks = max(FEWEST_LOOKS, round(minutes * 60 / LOOK_SECONDS))
    what = "the heap grows by, MB a minute"
    return judged([Target(f"{kind}: {what}", TARGET_MB_PER_MINUTE, slope_of(kind, looks), True) for kind in JOBS])


def chromium() -> str | None:
    """The browser that the variable CHROMIUM names, else the one that PATH finds."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium")


def slope_of(kind: str, count: int) -> float:
    """MB a minute by which the heap of the job's page grows."""
    with followed_job(*JOBS[kind]) as page:
        session = page.context.new_cdp_session(page)
        heaps_mb = list(looks(session, page, count))
        nodes = page.evaluate("document.querySelectorAll('*').length")
    slope = slope_mb_per_minute(heaps_mb[WARM_UP_LOOKS:])
    say(f"{kind}: {slope:+.3f} MB a minute; {nodes} elements at the end")
    return slope


@contextmanager
def followed_job(spec: dict[str, Any], heading: str) -> "Iterator[Page]":
    """The page of a job that runs."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as scratch, ExitStack() as started:
        options = StackOptions(Path(scratch), "127.0.0.1", 0, 2, 0)
        client = started.enter_context(running_stack(options)).client
        job = client.submit(spec)
        playwright = started.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(client.login_link(f"/jobs/{job.id}").url)
        page.get_by_role("heading", name=heading, exact=True).wait_for(timeout=PAGE_SECONDS * 1000)
        yield page
        browser.close()


def looks(session: "CDPSession", page: "Page", count: int) -> Iterator[float]:
    """The used heap in MB after a collection, every LOOK_SECONDS."""
    for _ in range(count):
        page.wait_for_timeout(LOOK_SECONDS * 1000)
        session.send("HeapProfiler.collectGarbage")
        used_mb = session.send("Runtime.getHeapUsage")["usedSize"] / MB
        say(f"{time.strftime('%H:%M:%S')}  {used_mb:.2f} MB")
        yield used_mb


def slope_mb_per_minute(heaps_mb: Sequence[float]) -> float:
    """Return the slope of the line through the measured sizes."""
    return linear_regression(range(len(heaps_mb)), heaps_mb).slope * 60 / LOOK_SECONDS


if __name__ == "__main__":
    exit_with(main)

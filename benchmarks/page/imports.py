"""Measure how long it takes to read another tool's log: on the page from the drop to the preview, and in a terminal.

    PYTHONPATH=. python -m benchmarks.page.imports [PROGRAM]

PROGRAM is a `ringscope` that was installed from a wheel; by default that of this environment. A server and Chromium run
on this machine. Each file is read several times, and the median counts: the first drop of a page also loads the dialog,
and its time is printed beside the median.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentTypeError
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.command import Parser, exit_with
from benchmarks.page.heap import PAGE_SECONDS, chromium
from benchmarks.report import Target, judged, say, watched
from benchmarks.stack import served

from ringscope.contracts.errors import UserError

TIMES = 9
SIZES = [1 << exponent for exponent in range(20, 34)]
HEAD = "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 8589934592 step: 2(factor) iters: 20\n# Using devices\n"
_CELLS = "    time   algbw   busbw #wrong"
COLUMNS = (
    f"#       size         count      type   redop    root {_CELLS} {_CELLS}\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
)
# Sets the time on the page at which the dialog has a run, from the moment of the drop.
DROP = """content => new Promise(done => {
  const transfer = new DataTransfer()
  transfer.items.add(new File([content], 'nccl.log'))
  const began = performance.now()
  const look = () => {
    const shown = document.querySelector('dialog section summary, [role=dialog] section summary')
    if (!shown) return requestAnimationFrame(look)
    requestAnimationFrame(() => done(performance.now() - began))
  }
  window.dispatchEvent(new DragEvent('drop', {dataTransfer: transfer, cancelable: true, bubbles: true}))
  look()
})"""


def log(lines: int) -> str:
    """Return a log of ``lines`` lines of all-reduces on 8 GPUs, with NCCL's messages before each table."""
    devices = "".join(
        f"#  Rank {rank:2} Group  0 Pid {rank} on n0 device {rank} NVIDIA H100 80GB\n" for rank in range(8)
    )
    table = HEAD + devices + COLUMNS + "".join(map(_row, SIZES)) + "# Out of bounds values : 0 OK\n"
    noise = "n0:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
    most = max(1, lines // 1000)  # a table for every thousand lines
    between = (lines - most * table.count("\n")) // most
    text = (noise * between + table) * most
    return text + noise * (lines - text.count("\n"))


def _row(size: int) -> str:
    time_us = 20 + size / 270e3
    algbw = size / (time_us * 1e3)
    cells = f"{time_us:8.2f} {algbw:7.2f} {algbw * 1.75:7.2f}      0"
    return f"{size:12} {size // 4:13}     float     sum      -1 {cells} {cells}\n"


def read_seconds(program: str, path: Path) -> float:
    """The median wall time of `ringscope import --dry-run`."""
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        done = subprocess.run([program, "import", "--dry-run", str(path)], capture_output=True, text=True, check=False)
        taken.append(time.perf_counter() - began)
        if done.returncode not in (0, 1) or "GB/s" not in done.stdout:
            raise UserError(f"{program} import --dry-run failed: {done.stderr[-300:]}")
    return median(taken)


def drop_ms(content: str) -> tuple[float, float]:
    """The time from the drop to the preview in ms: of the first drop on a page, and the median of the next ones."""
    from playwright.sync_api import sync_playwright

    with ExitStack() as started:
        client = started.enter_context(served(1)).client
        playwright = started.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(client.login_link("/jobs").url)
        page.get_by_role("button", name="Import").wait_for(timeout=PAGE_SECONDS * 1000)
        page.wait_for_load_state("networkidle")
        taken = []
        for _ in range(TIMES + 1):
            taken.append(float(page.evaluate(DROP, content)))
            page.get_by_role("button", name="Cancel").click()
            page.get_by_role("dialog").wait_for(state="detached")
        browser.close()
    return taken[0], median(taken[1:])


def _program(text: str) -> str:
    if shutil.which(text) is None:
        raise ArgumentTypeError(f"{text} is no program")
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the times; 1 where a target is missed. UserError without a browser to drive."""
    parser = Parser(__doc__)
    beside = str(Path(sys.executable).with_name("ringscope"))
    parser.add_argument(
        "program", nargs="?", type=_program, default=beside, metavar="PROGRAM", help="the installed `ringscope`"
    )
    program = parser.parse_args(arguments).program
    if find_spec("playwright") is None or chromium() is None:
        raise UserError("Playwright or Chromium is not installed: pip install --group test, apt-get install chromium.")
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as scratch, watched() as conditions:
        targets = []
        for lines, most in ((200, 1.0), (50_000, 2.0)):
            path = Path(scratch) / f"{lines}.log"
            path.write_text(log(lines))
            targets.append(Target(f"import --dry-run of {lines:,} lines, s", most, read_seconds(program, path), True))
        first, later = drop_ms(log(200))
        say(f"first drop, which loads the dialog: {first:.0f} ms")
        targets.append(Target("drop to preview of 200 lines, ms", 300, later, at_most=True))
    say(conditions)
    return judged(targets)


if __name__ == "__main__":
    exit_with(main)

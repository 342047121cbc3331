"""A real server process on an empty data directory, for the benchmarks of the control plane."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import psutil

from ringscope.cli.connection import served_url
from ringscope.client import is_ready
from ringscope.rank.parent_death import end_with_parent

START_SECONDS = 60.0
DATA_DIR_PREFIX = "ringscope-bench-"  # then the process that serves, by which an abandoned directory is known


@dataclass(frozen=True)
class Serving:
    """A running server: its URL, its process, and the tokens for people and for nodes that join."""

    url: str
    data_dir: Path
    process: psutil.Process
    admin_token: str
    join_token: str

    @property
    def cpu_seconds(self) -> float:
        """User and system time of the server process so far."""
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def share(self, cpu_before: float, seconds: float) -> str:
        """Return the share of a core that the server took since then, in words."""
        return f"{(self.cpu_seconds - cpu_before) / seconds:.0%} of one core"


def scratch() -> "tempfile.TemporaryDirectory[str]":
    """A data directory for as long as a benchmark runs."""
    return tempfile.TemporaryDirectory(prefix=f"{DATA_DIR_PREFIX}{os.getpid()}-")


@contextmanager
def serving(folder: str | None = None, **settings: object) -> Iterator[Serving]:
    """A server with these settings; without limits on one client's rate and streams, as it stands here for many.

    ``folder`` is its data directory; without it the server has one of its own, gone afterwards.
    """
    with scratch() if folder is None else nullcontext(folder) as path:
        data_dir = Path(path)
        all_settings = {"data_dir": data_dir, "port": 0, "requests_per_second": 0, "max_streams_per_token": 0}
        variables = {f"RINGSCOPE_{name.upper()}": str(value) for name, value in (all_settings | settings).items()}
        with (data_dir / "server.log").open("wb") as log:
            child = subprocess.Popen(
                [sys.executable, "-m", "ringscope_server"],
                env=os.environ | variables,
                stdout=log,
                stderr=log,
                preexec_fn=end_with_parent,
            )
        try:
            yield _ready(child, data_dir)
        finally:
            child.terminate()
            child.wait()


def _ready(child: "subprocess.Popen[bytes]", data_dir: Path) -> Serving:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        url = served_url(data_dir, child.pid)
        if url is not None and is_ready(url):
            tokens = ((data_dir / f"{role}-token").read_text().strip() for role in ("admin", "join"))
            return Serving(url, data_dir, psutil.Process(child.pid), *tokens)
        if child.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError(f"The server did not start:\n{(data_dir / 'server.log').read_text()}")

"""A server with one agent on this machine for a benchmark, the wait for a state, and a line of times."""

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

import httpx
from benchmarks.report import say

from ringscope.cli.connection import served_url, token
from ringscope.cli.processes.stack import StackOptions, running_stack
from ringscope.client import Client
from ringscope.contracts.errors import UserError

T = TypeVar("T")


@dataclass(frozen=True)
class Served:
    """The server's client, and its REST API for what the client does not read."""

    client: Client
    api: httpx.Client


@contextmanager
def served(slots: int, scripts: Path | None = None) -> Iterator[Served]:
    """Run a server and an agent with this number of slots; the agent runs the scripts of this folder."""
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as scratch:
        options = StackOptions(Path(scratch), "127.0.0.1", 0, slots, 0, scripts=scripts)
        with running_stack(options) as stack:
            headers = {"Authorization": f"Bearer {token(options.data_dir)}"}
            with httpx.Client(base_url=f"{served_url(options.data_dir)}/api/v1/", headers=headers) as api:
                yield Served(stack.client, api)


def wait_for(look: Callable[[], T | None], what: str, seconds: float = 60.0) -> T:
    """Return what ``look`` returns once it is true; UserError if that takes too long."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise UserError(f"{what} did not come within {seconds:g} s")
        time.sleep(0.05)
    return found


def say_times(what: str, seconds: Sequence[float]) -> float:
    """Print median, p95 and worst in one line; return the p95."""
    p95 = sorted(seconds)[math.ceil(len(seconds) * 0.95) - 1]
    say(f"{what:<26} p50 {median(seconds):.2f}  p95 {p95:.2f}  worst {max(seconds):.2f}")
    return p95

"""A server that gets a twentieth of a core while requests pour in: what must run keeps its bounds, times three."""

import json
import logging
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cluster.lab import Lab, eventually, running

from ringscope.cli.connection import token
from ringscope.client import is_ready
from ringscope.contracts.protocol import HEARTBEAT_SECONDS
from ringscope_server.nodes.health import LOST_AFTER

pytestmark = pytest.mark.long

JOIN_TOKEN = "j" * 40
SHARE = 0.05
CPU_GROUPS = Path("/sys/fs/cgroup/cpu")
WATCHED_SECONDS = 60
HANG_SECONDS = 10
TOLD_SECONDS = 3  # by a pulse and a look
MOST_PAUSE_SECONDS = 6.0  # between two passes, after which /readyz says so


class Table:
    """Rows that the server has written, read from its database file, so that no request of the test delays it."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "ringscope.sqlite3"

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=10) as connection:
            return connection.execute(query).fetchall()

    def one(self, query: str) -> object:
        found = self.rows(query)
        return found[0][0] if found else None


@contextmanager
def held_to(pid: int, share: float) -> Iterator[str]:
    """The process gets so much of a core: by its control group, else by stops that take turns with continuations."""
    group = CPU_GROUPS / f"ringscope-test-{pid}"
    try:
        group.mkdir()
        (group / "cpu.cfs_quota_us").write_text(str(int(share * 100_000)))
        for task in Path(f"/proc/{pid}/task").iterdir():
            (group / "tasks").write_text(task.name)
        (group / "cgroup.procs").write_text(str(pid))
    except OSError:
        with stopped_in_turns(pid, share):
            yield "stops"
        return
    try:
        yield "control group"
    finally:
        (CPU_GROUPS / "cgroup.procs").write_text(str(pid))
        group.rmdir()


@contextmanager
def stopped_in_turns(pid: int, share: float) -> Iterator[None]:
    is_over = threading.Event()

    def take_turns() -> None:
        while not is_over.is_set():
            os.kill(pid, 18)
            time.sleep(0.1 * share)
            os.kill(pid, 19)
            time.sleep(0.1 * (1 - share))
        os.kill(pid, 18)

    thread = threading.Thread(target=take_turns)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def at(told: object) -> float:
    """A time of the database in seconds since 1970."""
    return datetime.fromisoformat(str(told)).replace(tzinfo=UTC).timestamp()


class Watch:
    """Looks into the tables four times a second: when passes were made, and how old heartbeats were at most."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.passes: list[float] = []
        self.oldest_heartbeat_seconds = 0.0

    def look(self) -> None:
        told = self._table.one("SELECT expires_at FROM leases WHERE name = 'scheduler'")
        if told is not None and (not self.passes or at(told) != self.passes[-1]):
            self.passes.append(at(told))
        beats = self._table.rows("SELECT last_heartbeat_at FROM nodes WHERE name != 'n8'")
        self.oldest_heartbeat_seconds = max(
            [self.oldest_heartbeat_seconds, *(time.time() - at(beat) for (beat,) in beats)]
        )

    def follow(self, seconds: float) -> None:
        """Look for so long."""
        until = time.time() + seconds
        while time.time() < until:
            self.look()
            time.sleep(0.25)

    @property
    def longest_pause_seconds(self) -> float:
        """The longest time between two passes, or since the last one."""
        ends = [*self.passes[1:], time.time() + 10]
        return max(later - earlier for earlier, later in zip(self.passes, ends, strict=False))


def test_passes_heartbeats_and_detection_keep_their_bounds(data_dir: Path) -> None:
    lab = Lab(data_dir, RINGSCOPE_JOIN_TOKEN=JOIN_TOKEN)
    folder = data_dir / "pouring"
    folder.mkdir()
    table = Table(data_dir)
    with running(lab.start("server", "--port", "0")) as server:
        eventually(lambda: is_ready(lab.url), "the server's readiness")
        command = [sys.executable, "-m", "tests.cluster.servers.pouring_main", lab.url, token(data_dir), JOIN_TOKEN]
        with running(lab.start_program("pouring", [*command, str(folder)])):
            eventually(lambda: table.one("SELECT count(*) FROM nodes WHERE observed = 'ready'") == 8, "eight nodes")
            with lab.client() as client:
                for half in ("first", "second"):
                    client.submit(job(half))
            eventually(lambda: table.one("SELECT count(*) FROM jobs WHERE state = 'running'") == 2, "two running jobs")
            with held_to(server.pid, SHARE):
                (folder / "pour").touch()
                watch = Watch(table)
                watch.follow(20)
                trouble_at = time.time()
                (folder / "cut").touch()
                (folder / "freeze").touch()
                watch.follow(WATCHED_SECONDS)
                lost = table.one("SELECT min(time) FROM events WHERE action = 'node.lost'")
                hang = table.one("SELECT min(since) FROM insights WHERE kind = 'hang'")
                answers = json.loads((folder / "answers.json").read_text())
    figures = {
        "longest pause between passes": watch.longest_pause_seconds,
        "passes": len(watch.passes),
        "oldest heartbeat": watch.oldest_heartbeat_seconds,
        "cut node lost after": at(lost) - trouble_at if lost else None,
        "hang told after": at(hang) - trouble_at if hang else None,
        "answers": len(answers),
        "slowest answer": max((seconds for seconds, _ in answers), default=None),
        "answered": {status: sum(each == status for _, each in answers) for status in {each for _, each in answers}},
    }
    logging.getLogger(__name__).info("%s", json.dumps(figures, indent=1))
    assert watch.longest_pause_seconds < 3 * MOST_PAUSE_SECONDS, figures
    assert watch.oldest_heartbeat_seconds < 3 * LOST_AFTER.total_seconds(), figures
    assert lost is not None, figures
    assert LOST_AFTER.total_seconds() - HEARTBEAT_SECONDS <= at(lost) - trouble_at <= 3 * LOST_AFTER.total_seconds()
    assert hang is not None, figures
    assert HANG_SECONDS <= at(hang) - trouble_at <= 3 * (HANG_SECONDS + TOLD_SECONDS), figures
    wrongly_lost = table.rows("SELECT target_id FROM events WHERE action = 'node.lost' AND target_id != 'n8'")
    assert wrongly_lost == [], figures


def job(half: str) -> dict[str, object]:
    """Return the spec of a job that runs without an end on half of the nodes."""
    return {
        "benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 1_000_000},
        "placement": {"ranks": 4, "selector": {"half": half}},
        "hang_seconds": HANG_SECONDS,
        "max_attempts": 1,
    }

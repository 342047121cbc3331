"""A minute of a run in which the server's disk is full, or its clock is wrong: no job and no row is lost."""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.cluster.lab import DEADLINE_SECONDS, Lab, agent_apart, eventually, running
from tests.cluster.servers import set_clock_main
from tests.cluster.small_disk import fill, small_disk

from ringscope.cli.connection import token

pytestmark = pytest.mark.long

MINUTE_SECONDS = 60.0
NOTICED = "The clock of this machine was set by"
RANKS, SIZES, ITERATIONS = 2, 3, 600
# Few steps, each of them long: what is stored of them fits on the small disk.
SWEEP = ("-b", "32M", "-e", "128M", "-n", str(ITERATIONS), "-w", "1", "--ranks", str(RANKS), "--algorithm", "ring")


def test_of_a_full_disk(data_dir: Path) -> None:
    with small_disk(data_dir / "server") as disk:
        for name in ("said", "agent"):  # only what the server stores lies on it
            (data_dir / name).mkdir()
            (disk / name).symlink_to(data_dir / name)
        lab = Lab(disk)
        with running(lab.start("server", "--port", "0")) as server, running(agent_apart(lab)):
            job_id = begun_job(lab)
            empty_wal(disk)
            ballast = fill(disk)
            eventually(lambda: readiness(lab) == (503, "storage_full"), "a fault of the disk")
            for _ in a_minute():
                assert readiness(lab) == (503, "storage_full")
                assert not lab.job(job_id).is_finished, "what is stored can be read, and this job has lost nothing yet"
            refused = post_job(lab)
            assert (refused.status_code, refused.json()["code"]) == (503, "storage_full")
            assert refused.json()["detail"].startswith("The database's disk is full, and nothing was stored; make room")
            ballast.unlink()
            assert_nothing_lost(lab, job_id)
            # It looks every few seconds whether all can be stored again, and the job may have ended in between.
            eventually(lambda: readiness(lab) == (200, ""), "readiness")
            assert "The database's disk is full" in lab.said(server)
            assert "Traceback" not in lab.said(server)
        assert lab.processes() == []


@pytest.mark.parametrize("ahead_seconds", [3600, -3600])
def test_of_a_wrong_clock(data_dir: Path, ahead_seconds: float) -> None:
    lab, ahead = Lab(data_dir), data_dir / "ahead"
    set_clock(ahead, 0)
    with running(start_server(lab, ahead)) as server, running(agent_apart(lab)):
        job_id = begun_job(lab)
        set_clock(ahead, ahead_seconds)
        eventually(lambda: lab.said(server).count(NOTICED) == 1, "a look at the clock")
        for _ in a_minute():
            job = lab.job(job_id)
            assert not job.is_finished or job.state == "succeeded", f"{job.state}: {job.reason} {job.message}"
        set_clock(ahead, 0)
        eventually(lambda: lab.said(server).count(NOTICED) == 2, "another look at the clock")
        began = time.monotonic()
        assert_nothing_lost(lab, job_id)
        ended = lab.job(job_id)
        assert ended.started_at is not None and ended.finished_at is not None
        lasted_seconds = (ended.finished_at - ended.started_at).total_seconds()
        assert 0 < lasted_seconds < 10 * MINUTE_SECONDS + time.monotonic() - began, "of the hour nothing is left"
        assert "Traceback" not in lab.said(server)
    assert lab.processes() == []


def begun_job(lab: Lab) -> int:
    """A job that has a row by now, and most of its run before it."""
    lab.wait_for_node()
    job_id: int = json.loads(lab.run("submit", "--json", *SWEEP).stdout)["id"]
    eventually(lambda: lab.job(job_id).progress.done > 0, "the first row")
    return job_id


def a_minute() -> Iterator[None]:
    """Now, and then twice a second."""
    until = time.monotonic() + MINUTE_SECONDS
    while time.monotonic() < until:
        yield
        time.sleep(0.5)


def assert_nothing_lost(lab: Lab, job_id: int) -> None:
    """The job succeeds in its first attempt, and has each row once; its node was never taken for lost."""
    lab.wait_for_state(job_id, "succeeded")
    rows = lab.everything(job_id, "measurements")
    assert len({(row["size_bytes"], row["in_place"]) for row in rows}) == len(rows) == 2 * SIZES
    steps = sorted((step["rank"], step["step"]) for step in lab.everything(job_id, "steps"))
    assert steps == list(product(range(RANKS), range(len(rows) * ITERATIONS)))
    told = [event["action"] for event in lab.everything(job_id, "events")]
    assert told.count("job.starting") == told.count("job.succeeded") == 1
    of_node = get(lab, "/api/v1/nodes/apart/events").json()["items"]
    assert "node.lost" not in [event["action"] for event in of_node]


def readiness(lab: Lab) -> tuple[int, str]:
    """Status and code of what the server says of itself."""
    answer = get(lab, "/readyz")
    return answer.status_code, "" if answer.status_code == 200 else answer.json()["code"]


def get(lab: Lab, path: str) -> httpx.Response:
    return httpx.get(f"{lab.url}{path}", headers=authority(lab), timeout=DEADLINE_SECONDS)


def post_job(lab: Lab) -> httpx.Response:
    """Submit a job that takes more space than the file's last page has left."""
    body: dict[str, Any] = {"labels": {f"label-{number}": "x" * 200 for number in range(60)}}
    return httpx.post(f"{lab.url}/api/v1/jobs", json=body, headers=authority(lab), timeout=DEADLINE_SECONDS)


def authority(lab: Lab) -> dict[str, str]:
    return {"Authorization": f"Bearer {token(lab.data_dir)}"}


def empty_wal(disk: Path) -> None:
    """Else the next writes would take the room of earlier ones."""
    connection = sqlite3.connect(disk / "ringscope.sqlite3", timeout=DEADLINE_SECONDS)
    eventually(lambda: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, "an empty log")
    connection.close()


def start_server(lab: Lab, ahead: Path) -> subprocess.Popen[str]:
    flags = ("--data-dir", str(lab.data_dir), "--port", "0")
    return lab.start_program("server", [sys.executable, set_clock_main.__file__, str(ahead), *flags])


def set_clock(ahead: Path, seconds: float) -> None:
    """Set the server's clock ahead by replacing the file at once, as the server may read it at any moment."""
    new = ahead.with_suffix(".new")
    new.write_text(str(seconds))
    new.replace(ahead)

"""Two server processes on one PostgreSQL: one schedules, either serves, and the death of one costs nothing but time."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.cluster.lab import DEADLINE_SECONDS, SLOTS, Lab, eventually, running
from tests.postgres import running_postgres

HAND_OVER_SECONDS = 15.0
LEASE_SECONDS = 10.0  # the default
SWEEP = ("-b", "64K", "-e", "1M", "-n", "200", "-w", "1", "--ranks", "2", "--algorithm", "ring")
LAST_PASS = "ringscope_scheduler_last_pass_timestamp_seconds "


@dataclass
class Site:
    """One server of the two, with a data directory of its own."""

    lab: Lab
    process: subprocess.Popen[str]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {(self.lab.data_dir / 'admin-token').read_text().strip()}"}

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.lab.url}{path}", headers=self.headers, timeout=DEADLINE_SECONDS)

    def schedules(self) -> bool:
        metrics = self.get("/metrics").text
        return any(line.startswith(LAST_PASS) for line in metrics.splitlines())

    def attempts(self, job_id: int) -> int:
        return len(self.get(f"/api/v1/jobs/{job_id}").json()["attempts"])

    def submit(self, *sweep: str) -> int:
        done = self.lab.run_here("submit", "--json", *(sweep or SWEEP))
        assert done.returncode == 0, done.stderr
        job_id: int = json.loads(done.stdout)["id"]
        return job_id


@pytest.fixture
def sites(data_dir: Path) -> Iterator[tuple[Site, Site]]:
    """The one that schedules, and the other; an agent that knows both."""
    with running_postgres() as postgres:
        database = {"RINGSCOPE_DATABASE_URL": postgres.create("ringscope")}
        labs = [Lab(data_dir / name, **database) for name in ("first", "second")]
        processes = [lab.start("server", "--port", "0") for lab in labs]
        with running(processes[0]), running(processes[1]):
            found = [Site(lab, process) for lab, process in zip(labs, processes, strict=True)]
            with running(agent(found)):
                for site in found:
                    site.lab.wait_for_node()
                active = eventually(lambda: [site for site in found if site.schedules()], "a scheduler")
                assert len(active) == 1
                yield active[0], next(site for site in found if site is not active[0])
    assert labs[0].processes() == labs[1].processes() == []


@pytest.mark.long
def test_the_death_of_the_scheduling_server_costs_no_job_and_little_time(sites: tuple[Site, Site]) -> None:
    active, other = sites
    finished = other.submit()
    other.lab.wait_for_state(finished, "succeeded")
    # More than the node has slots for: some run, some wait.
    jobs = [site.submit() for site in (active, other) * 3]
    eventually(lambda: active.lab.job(jobs[0]).state in ("running", "succeeded"), "work")
    active.process.kill()
    killed_at = time.monotonic()
    eventually(other.schedules, "the hand-over", within_seconds=HAND_OVER_SECONDS)
    taken_over_after = time.monotonic() - killed_at
    jobs.append(other.submit())
    for job in jobs:
        other.lab.wait_for_state(job, "succeeded")
        assert other.attempts(job) == 1
        events = [event["action"] for event in other.lab.everything(job, "events")]
        assert events.count("job.starting") == events.count("job.succeeded") == 1
    assert taken_over_after < HAND_OVER_SECONDS


@pytest.mark.long
def test_a_scheduling_server_that_freezes_is_replaced_and_then_serves_on(sites: tuple[Site, Site]) -> None:
    active, other = sites
    jobs = [active.submit() for _ in range(4)]
    eventually(lambda: active.lab.job(jobs[0]).state in ("running", "succeeded"), "work")
    active.process.send_signal(signal.SIGSTOP)
    try:
        eventually(other.schedules, "the hand-over", within_seconds=HAND_OVER_SECONDS)
        jobs.append(other.submit())
        for job in jobs:
            other.lab.wait_for_state(job, "succeeded")
    finally:
        active.process.send_signal(signal.SIGCONT)
    eventually(lambda: not active.schedules(), "the end of its own passes")
    for job in jobs:
        assert active.attempts(job) == 1
    assert other.schedules()


@pytest.mark.long
def test_a_server_that_is_asked_to_stop_hands_over_at_once(sites: tuple[Site, Site]) -> None:
    active, other = sites
    active.process.send_signal(signal.SIGTERM)
    eventually(other.schedules, "the hand-over", within_seconds=LEASE_SECONDS / 2)


@pytest.mark.long  # the gate has it of two servers in one process: tests/server/live/test_bus.py
def test_a_job_of_one_server_is_followed_live_on_the_other(sites: tuple[Site, Site]) -> None:
    active, other = sites
    rows: list[int] = []
    states: list[str] = []
    url = f"{other.lab.url}/api/v1/stream?topics=jobs,job:1"
    with httpx.stream("GET", url, headers=other.headers, timeout=DEADLINE_SECONDS) as live:
        lines = live.iter_lines()
        next(lines)  # the stream stands
        job = active.submit()
        for line in lines:
            if not line.startswith("data: "):
                continue
            data = json.loads(line.removeprefix("data: "))
            if "state" in data and data["id"] == job:
                states.append(data["state"])
            elif data.get("job_id") == job and "items" in data:
                rows += [row["size_bytes"] for row in data["items"] if "size_bytes" in row]
            if states and states[-1] == "succeeded":
                break
    stored = [row["size_bytes"] for row in other.lab.everything(job, "measurements")]
    assert job == 1
    assert rows == stored
    assert {"queued", "starting", "running"} <= set(states)


def agent(sites: list[Site]) -> subprocess.Popen[str]:
    first = sites[0].lab
    eventually(lambda: (first.data_dir / "join-token").exists(), "the server's tokens")
    flags = ("--server", ",".join(site.lab.url for site in sites), "--name", "apart", "--slots", str(SLOTS))
    join = ("--join-token-file", str(first.data_dir / "join-token"))
    return first.start("agent", *flags, *join, "--metrics-port", "0", "--data-dir", str(first.data_dir / "agent"))

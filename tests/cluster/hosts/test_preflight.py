"""`placement.preflight` on hosts with shaped links: a host of half the rate is left out before the program starts."""

import json
import statistics
from collections.abc import Iterator

import pytest
from tests.cluster.hosts.cluster import Cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import eventually, free_port

# The gate judges made-up rates on virtual ranks (tests/bench/pairs/test_preflight.py) and tries again without the named
# node on the server (tests/server/diagnoses/test_preflight.py).
pytestmark = [needs_namespaces, pytest.mark.long]

BIT_PER_S = 200_000_000
SWEEP = ("-b", "64K", "-e", "64K", "-n", "5", "-w", "1", "--algorithm", "ring", "--time-limit", "120")


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("preflight"), free_port())
    try:
        cluster.start_server()
        up = cluster.run("lab", "up", "--hosts", "4", "--rate", "200mbit", "--slots", "1")
        assert up.returncode == 0, up.stderr
        cluster.wait_until_ready()
        yield cluster
    finally:
        cluster.close()


def test_a_host_of_half_the_rate_is_left_out_of_the_next_attempt(four: Cluster) -> None:
    four.hosts.degrade("h2", BIT_PER_S // 2, None, None)
    try:
        # Until the job has its first three hosts the fourth one is drained, so that h2 is among them.
        drained = four.run("drain", "h4", "--reason", "spare")
        assert drained.returncode == 0, drained.stderr
        flags = ("--ranks", "3", "--ranks-per-node", "1", "--max-attempts", "1", "--preflight")
        submitted = four.run("submit", "--json", *SWEEP, *flags)
        assert submitted.returncode == 0, submitted.stderr
        job_id = json.loads(submitted.stdout)["id"]
        eventually(lambda: four.attempts(job_id), "the first attempt")
        resumed = four.run("resume", "h4")
        assert resumed.returncode == 0, resumed.stderr
        four.wait_for_state(job_id, "succeeded")
    finally:
        four.hosts.heal("h2")
    job = json.loads(four.run("show", str(job_id), "--json").stdout)
    first, second = job["attempts"]
    assert (first["reason"], first["bad_node"]) == ("preflight_failed", "h2"), first
    assert "h2 reaches" in first["message"] and "MB/s" in first["message"]
    assert sorted(second["nodes"]) == ["h1", "h3", "h4"]


def test_it_takes_at_most_two_seconds_on_four_hosts(four: Cluster) -> None:
    """The time of whole jobs with and without it, in turns."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(5):
        for is_checked in (True, False):
            flags = ("--ranks", "4", "--ranks-per-node", "1", *(("--preflight",) if is_checked else ()))
            done = four.run("submit", "--json", "--wait", *SWEEP, *flags)
            job = four.job(json.loads(done.stdout)["id"])
            assert job.state == "succeeded" and job.started_at and job.finished_at
            seconds[is_checked].append((job.finished_at - job.started_at).total_seconds())
    added = statistics.median(seconds[True]) - statistics.median(seconds[False])
    assert added <= 2.0, seconds

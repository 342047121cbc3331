"""A host whose link has a fifth of the others' rate is named by one job, and no healthy host is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.hosts.cluster import Cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import DEADLINE_SECONDS, eventually, free_port

from ringscope.client import Insight

pytestmark = [needs_namespaces, pytest.mark.long]

HOSTS = 8
RATE, SLOW_BIT_PER_S = "80mbit", 16_000_000
SLOW = "h5"
RUNS = int(os.environ.get("RINGSCOPE_SLOW_LINK_RUNS", "10"))
# Of each kind the jobs are as short as they can be: eight hosts share the cores of this machine.
JOBS = {
    "ring": {"algorithms": ["ring"], "trace": True, "min_bytes": 2 << 20, "max_bytes": 2 << 20},
    "sendrecv": {"collective": "sendrecv", "algorithms": ["ring", "mpi"], "min_bytes": 1 << 20, "max_bytes": 1 << 20},
}


@pytest.fixture(scope="module")
def slow_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    data_dir: Path = tmp_path_factory.mktemp("slow")
    cluster = Cluster(data_dir, free_port())
    try:
        cluster.start_server()
        up = cluster.run("lab", "up", "--hosts", str(HOSTS), "--rate", RATE, "--slots", "1")
        assert up.returncode == 0, up.stderr
        cluster.hosts.degrade(SLOW, SLOW_BIT_PER_S, None, None)
        yield cluster
    finally:
        cluster.close()


@pytest.mark.parametrize("run", range(RUNS))
@pytest.mark.parametrize("kind", JOBS)
def test_the_slow_host_is_named_and_no_other(slow_cluster: Cluster, kind: str, run: int) -> None:
    job_id = slow_cluster.submit(HOSTS, cycles=1, **JOBS[kind] | {"iterations": 2, "check": False})
    with slow_cluster.client() as client:
        # Eight ranks start, meet and end on the cores of one machine, which other work may share.
        eventually(lambda: client.job(job_id).is_finished, "the end of the job", 4 * DEADLINE_SECONDS)
        job = client.job(job_id)
        assert job.state == "succeeded", job.message
        # The server looks once a second; the last rows of a short job come right before its end.
        eventually(lambda: [one for one in client.insights(job_id) if one.kind == "slow_link"], "a slow link")
        told: list[Insight] = client.insights(job_id)
        [sentence] = client.trace(job_id, None, None, None).slow_links
    assert [(insight.kind, insight.node) for insight in told if insight.kind in ("slow_link", "late_rank")] == [
        ("slow_link", SLOW)
    ], [insight.message for insight in told]
    assert {insight.node for insight in told} <= {SLOW, None}, [insight.message for insight in told]
    assert sentence.startswith(f"The link of node {SLOW} is slow")
    shown = slow_cluster.run("why", str(job_id)).stdout
    assert f"The link of node {SLOW} is slow" in shown, shown

"""Scripts for other launchers run unchanged over two hosts: their ranks find each other by the hosts' addresses."""

import re
from collections.abc import Iterator

import pytest
from tests.cluster.hosts.cluster import Cluster, running_cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.examples.test_scripts import EXAMPLES, SCRIPTS

pytestmark = [needs_namespaces, pytest.mark.long]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("scripts"), 2, options=("--scripts", str(EXAMPLES))) as cluster:
        yield cluster


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_for_another_launcher_learns_over_two_hosts(two: Cluster, name: str) -> None:
    pytest.importorskip(SCRIPTS[name])
    with two.client() as client:
        body = {"kind": "script", "script": {"file": name}, "placement": {"ranks": 4, "nodes": 2}, "max_attempts": 1}
        job_id = client.submit(body).id
    job = two.ended(job_id)
    lines = [row["text"] for row in two.everything(job_id, "log")]
    assert (job.state, job.message) == ("succeeded", ""), lines
    (attempt,) = two.attempts(job_id)
    assert len({member["node"] for member in two.members(attempt["id"])}) == 2
    found = next(match for line in lines if (match := re.fullmatch(r"([0-9]+) ranks, loss ([0-9.]+)", line)))
    assert int(found[1]) == 4
    assert float(found[2]) < 0.05, "the loss of guessing is about 140"

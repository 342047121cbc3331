"""A link that is degraded while a job trains: `auto` finds another algorithm within 50 steps, and says why."""

import re
from typing import Any

import pytest
from tests.cluster.hosts.cluster import Cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import eventually

pytestmark = [needs_namespaces, pytest.mark.long]

MOST_STEPS = 50
SLOW_BIT_PER_S = 20_000_000  # a tenth of the lab's rate
# 400 KiB of gradients, which take 30 ms on the whole link and 300 ms on the slow one.
TRAINING: dict[str, Any] = {
    "strategy": "multi_worker_mirrored",
    "model": "mlp",
    "model_arguments": {"hidden": 256, "layers": 2},
    "dataset": {"name": "digits"},
    "global_batch_size": 32,
    "epochs": 100_000,
}


def changes(cluster: Cluster, job_id: int) -> list[tuple[int, str]]:
    """The steps of the changes, with their sentences."""
    events = cluster.everything(job_id, "events")
    found = [event["message"] for event in events if event["action"] == "job.algorithm_changed"]
    return [(int(re.findall(r"From step (\d+)", message)[0]), message) for message in found]


def steps(cluster: Cluster, job_id: int) -> list[dict[str, Any]]:
    return [row for row in cluster.everything(job_id, "steps") if row["rank"] == 0]


def test_a_link_that_is_degraded_while_the_job_trains_changes_the_algorithm(cluster: Cluster) -> None:
    body = {"kind": "training", "training": TRAINING, "placement": {"ranks": 4, "nodes": 2}}
    with cluster.client() as client:
        job_id = client.submit(body).id
    eventually(lambda: len(steps(cluster, job_id)) > 100, "a hundred steps")
    before = changes(cluster, job_id)
    host = cluster.members(cluster.attempts(job_id)[0]["id"])[0]["node"]
    slow_from = len(steps(cluster, job_id))
    cluster.hosts.degrade(host, SLOW_BIT_PER_S, None, None)

    def since() -> list[tuple[int, str]]:
        assert len(steps(cluster, job_id)) < slow_from + 4 * MOST_STEPS, changes(cluster, job_id)
        return [change for change in changes(cluster, job_id)[len(before) :] if "slower" in change[1]]

    step, message = eventually(since, "another algorithm")[0]
    assert step - slow_from <= MOST_STEPS, (before, message)
    with cluster.client() as client:
        client.cancel(job_id)
    cluster.ended(job_id)

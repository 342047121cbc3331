"""A link that is degraded while a job trains: `auto` tries its algorithms again within 50 steps.

Whether another one is then faster depends on the machine; that it is used then is tested with made-up times.
"""

from typing import Any

import pytest
from tests.cluster.hosts.cluster import Cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import eventually

pytestmark = [needs_namespaces, pytest.mark.long]

MOST_STEPS = 50 + 20  # and those that were made, but not stored yet, when the link was degraded
MOST_TRIAL_STEPS, SETTLED_STEPS = 32, 15
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


def steps(cluster: Cluster, job_id: int) -> list[dict[str, Any]]:
    """The steps of rank 0, oldest first."""
    return [row for row in cluster.everything(job_id, "steps") if row["rank"] == 0]


def settled(rows: list[dict[str, Any]]) -> str | None:
    """The algorithm of the last steps, once they all have the same."""
    last = {row["algorithm"] for row in rows[-SETTLED_STEPS:]}
    return last.pop() if len(last) == 1 and len(rows) > MOST_TRIAL_STEPS + SETTLED_STEPS else None


def tried_again(cluster: Cluster, job_id: int, since: int, using: str) -> int | None:
    """The first step from ``since`` on that another algorithm summed; it must come in time."""
    rows = steps(cluster, job_id)
    other = next((row["step"] for row in rows if row["step"] >= since and row["algorithm"] != using), None)
    assert other is not None or rows[-1]["step"] < since + MOST_STEPS, rows[-1]
    return other


def test_a_link_that_is_degraded_while_the_job_trains_makes_auto_try_again(cluster: Cluster) -> None:
    body = {"kind": "training", "training": TRAINING, "placement": {"ranks": 4, "nodes": 2}}
    with cluster.client() as client:
        job_id = client.submit(body).id
    using = eventually(lambda: settled(steps(cluster, job_id)), "an algorithm for good")
    host = cluster.members(cluster.attempts(job_id)[0]["id"])[0]["node"]
    slow_from = steps(cluster, job_id)[-1]["step"] + 1
    cluster.hosts.degrade(host, SLOW_BIT_PER_S, None, None)
    other = eventually(lambda: tried_again(cluster, job_id, slow_from, using), "another trial")
    assert other - slow_from <= MOST_STEPS
    with cluster.client() as client:
        client.cancel(job_id)
    cluster.ended(job_id)
    for event in cluster.everything(job_id, "events"):
        if event["action"] == "job.algorithm_changed":
            assert event["before"] != event["after"], event
            assert "in turns" in event["message"], event

"""Training over several hosts with real links, and on when one of them goes."""

import os
import signal
from typing import Any

import pytest
from tests.cluster.hosts.cluster import Cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import eventually
from tests.cluster.train.test_elastic import rank_pids

pytestmark = [needs_namespaces, pytest.mark.long]
EPOCHS = 400  # more than a host needs to be called lost


def nodes_of(cluster: Cluster, job_id: int, attempt: int) -> list[str]:
    return [member["node"] for member in cluster.members(cluster.attempts(job_id)[attempt]["id"])]


def submit(cluster: Cluster, placement: dict[str, int] | None = None, **training: Any) -> int:
    body = {
        "kind": "training",
        "training": {"strategy": "multi_worker_mirrored", "model": "mlp", "all_reduce": "ring"} | training,
        "placement": placement or {"ranks": 4, "nodes": 2},
        "max_attempts": 2,
    }
    with cluster.client() as client:
        return client.submit(body).id


def test_gradients_are_summed_over_hosts(cluster: Cluster) -> None:
    job_id = submit(cluster, epochs=3, model_arguments={"hidden": 64})
    job = cluster.ended(job_id)
    assert (job.state, job.message) == ("succeeded", "")
    assert len(set(nodes_of(cluster, job_id, 0))) == 2
    assert job.summary.validation_accuracy is not None and job.summary.validation_accuracy > 0.8
    lines = [row["text"] for row in cluster.everything(job_id, "log")]
    assert any("num_replicas = 4, transport = mpi" in line for line in lines)


@pytest.mark.parametrize(
    ("strategy", "lost"), [("torch_ddp", 0), ("torch_ddp", 2), ("torch_fsdp", 1), ("tf_multi_worker_mirrored", 1)]
)
def test_a_killed_rank_of_another_library_is_named_and_not_the_rank_that_lost_its_connection(
    cluster: Cluster, strategy: str, lost: int
) -> None:
    placement = {"ranks": 3, "ranks_per_node": 1}
    job_id = submit(cluster, placement, strategy=strategy, all_reduce="auto", epochs=100_000)
    eventually(lambda: cluster.job(job_id).summary.steps_done >= 1, "a step")
    os.kill(rank_pids(cluster, job_id)[lost], signal.SIGKILL)
    eventually(lambda: cluster.attempts(job_id)[0]["finished_at"], "the end of the attempt")
    attempt, node = cluster.attempts(job_id)[0], nodes_of(cluster, job_id, 0)[lost]
    assert (attempt["reason"], attempt["bad_rank"]) == ("rank_signal", lost), attempt["message"]
    assert attempt["message"].startswith(f"Rank {lost} on node {node} was killed by SIGKILL (9)"), attempt["message"]
    with cluster.client() as client:
        client.cancel(job_id)
    cluster.ended(job_id)


def test_what_a_lost_host_had_trained_goes_on_from_the_other_ones_checkpoint(cluster: Cluster) -> None:
    job_id = submit(cluster, epochs=EPOCHS, model_arguments={"hidden": 64})
    eventually(lambda: cluster.job(job_id).summary.epochs_done >= 2, "two epochs")
    kept, lost = nodes_of(cluster, job_id, 0)
    cluster.hosts.cut(lost)
    eventually(lambda: len(cluster.attempts(job_id)) == 2, "another try")
    assert cluster.attempts(job_id)[0]["reason"] == "node_lost"
    again = nodes_of(cluster, job_id, 1)
    assert kept in again and lost not in again

    def resumed() -> str | None:
        lines = [row["text"] for row in cluster.everything(job_id, "log")]
        return next((line for line in lines if line.startswith("resumed after step ")), None)

    step = int(eventually(resumed, "the checkpoint").split()[3].rstrip(","))
    assert step >= 2 * 22, "two epochs of digits, of 22 batches each"
    with cluster.client() as client:

        def goes_on() -> bool:
            parts = client.training_curve(job_id).attempts
            return [(part.attempt, part.first_step) for part in parts] == [(1, 0), (2, step)]

        eventually(goes_on, "the joined curve")
        client.cancel(job_id)
    cluster.ended(job_id)

"""Hosts whose own names mean 127.0.1.1, as Debian's installer writes them: other libraries still find each other."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.hosts.cluster import Cluster, running_cluster
from tests.cluster.hosts.conftest import needs_namespaces

pytest.importorskip("torch")
pytestmark = [needs_namespaces, pytest.mark.long]
SCRIPT = """
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.tensor([1.0 + dist.get_rank()])
dist.all_reduce(value)
names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
print(*(os.environ[name] for name in names), value.item(), flush=True)
dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_cluster(Path(path), hosts=2) as cluster:
        scripts = Path(path, "scripts")
        scripts.mkdir()
        (scripts / "made_for_torchrun.py").write_text(SCRIPT)
        names = " ".join(cluster.names)
        cluster.hosts._hosts_file.write_text(f"127.0.0.1 localhost\n127.0.1.1 {names}\n")
        variables = {"RINGSCOPE_SCRIPTS": str(scripts), "RINGSCOPE_JOIN_TOKEN_FILE": str(Path(path, "join-token"))}
        for name in cluster.names:
            agent = cluster.agent(name)
            agent.terminate()
            agent.wait(60)
            cluster.hosts.start_agent(name, variables)
        cluster.wait_until_ready()
        yield cluster


def test_gloo_measures_over_two_hosts(cluster: Cluster) -> None:
    with cluster.client() as client:
        sweep = {"algorithms": ["ring", "gloo"], "min_bytes": 1024, "max_bytes": 1024, "iterations": 3, "warmup": 1}
        job_id = client.submit({"benchmark": sweep, "placement": {"ranks": 2, "nodes": 2}}).id
    job = cluster.ended(job_id)
    assert (job.state, job.message) == ("succeeded", "")


def test_a_script_that_is_made_for_torchrun_spans_two_hosts(cluster: Cluster) -> None:
    body = {"kind": "script", "script": {"file": "made_for_torchrun.py"}, "placement": {"ranks": 4, "nodes": 2}}
    with cluster.client() as client:
        job_id = client.submit(body).id
    job = cluster.ended(job_id)
    assert (job.state, job.message) == ("succeeded", "")
    lines = {row["text"] for row in cluster.everything(job_id, "log")}
    assert {f"{rank} 4 {rank % 2} 2 10.0" for rank in range(4)} <= lines


def test_ddp_trains_over_two_hosts(cluster: Cluster) -> None:
    training = {"strategy": "torch_ddp", "model": "mlp", "epochs": 1, "model_arguments": {"hidden": 16}}
    with cluster.client() as client:
        job_id = client.submit({"kind": "training", "training": training, "placement": {"ranks": 2, "nodes": 2}}).id
    job = cluster.ended(job_id)
    assert (job.state, job.message) == ("succeeded", "")

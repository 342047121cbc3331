"""The manifests of Kubernetes, run by `podman kube play`: the server's as it stands, a worker as a pod.

Podman 4 knows neither a StatefulSet nor a pod's own address nor a memory for /dev/shm that a user may write: a worker's
pod is that of the manifest without them, and tests/deploy/test_kubernetes.py checks the rest by the schemas.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cluster.lab import eventually
from tests.deploy.recipes import KUBERNETES, pods, read_manifests
from tests.images.conftest import Built
from tests.images.podman import Podman

pytestmark = pytest.mark.long

JOIN_TOKEN = "a" * 40
START_SECONDS = 400


@pytest.fixture
def secret(podman: Podman, tmp_path: Path) -> str:
    """The secret that the manifests name, as podman takes it."""
    data = {"join-token": JOIN_TOKEN, "metrics-token": "b" * 40}
    file = tmp_path / "secret.json"
    coded = {name: base64.b64encode(value.encode()).decode() for name, value in data.items()}
    version = tuple(map(int, podman.run("--version").split()[-1].split(".")[:2]))
    document = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "ringscope"}, "data": coded}
    file.write_text(json.dumps(document if version >= (4, 4) else coded))  # Debian 12 has 4.3
    podman.run("secret", "create", "ringscope", file)
    return "ringscope"


@pytest.fixture
def network(podman: Podman, built: Built) -> Iterator[str]:
    podman.run("network", "create", "kube")
    yield "kube"
    podman.remove_all()


def server_pod(podman: Podman) -> str:
    """Return the name of the server's pod: server-pod, and server-pod-0 with podman 4.3."""
    (name,) = podman.run("pod", "ls", "--format", "{{.Name}}").split()
    return name


def worker_pod(server: str) -> dict[str, Any]:
    """Return a pod of the worker's StatefulSet, without what Podman does not know."""
    spec: dict[str, Any] = json.loads(json.dumps(pods(read_manifests())["workers"]))
    (container,) = spec["containers"]
    foreign = ("RINGSCOPE_ADDRESS", "RINGSCOPE_NAME", "RINGSCOPE_SLOTS", "RINGSCOPE_SERVER")
    container["env"] = [variable for variable in container["env"] if variable["name"] not in foreign]
    container["env"] += [
        {"name": "RINGSCOPE_SERVER", "value": f"http://{server}:8000"},
        {"name": "RINGSCOPE_SLOTS", "value": "2"},
    ]
    container["volumeMounts"] = [one for one in container["volumeMounts"] if one["name"] != "shared-memory"]
    spec["volumes"] = [{"name": "temporary", "emptyDir": {}}]
    spec["volumes"].append({"name": "data", "persistentVolumeClaim": {"claimName": "worker"}})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "workers-0"}, "spec": spec}


def ready_nodes(podman: Podman, container: str) -> list[str]:
    """Return the names of the nodes that take jobs, as the command line in the server's container tells them."""
    done = podman.inside("podman", "exec", container, "ringscope", "nodes", "--json")
    nodes = json.loads(done.stdout) if done.returncode == 0 else []
    return [node["name"] for node in nodes if node["observed"] == "ready"]


def test_the_servers_manifest_runs_as_it_stands_and_a_worker_joins(
    podman: Podman, secret: str, network: str, tmp_path: Path
) -> None:
    podman.run("kube", "play", "--network", network, KUBERNETES / "server.yaml")
    pod = server_pod(podman)
    container = f"{pod}-server"
    ready = "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=5)"
    is_ready = ("exec", container, "python", "-c", ready)
    eventually(lambda: podman.succeeds(*is_ready), "the server is ready", START_SECONDS, every_seconds=1)
    status = podman.run("exec", container, "cat", "/proc/1/status")
    assert "\nUid:\t10001\t10001" in status
    assert not podman.succeeds("exec", container, "touch", "/opt/ringscope/x"), "its root is read-only"

    manifest = tmp_path / "worker.yaml"
    manifest.write_text(yaml.safe_dump(worker_pod(pod)))
    podman.run("kube", "play", "--network", network, manifest)
    (name,) = eventually(lambda: ready_nodes(podman, container), "a ready worker", START_SECONDS, every_seconds=1)
    job = podman.inside(
        *("podman", "exec", container, "ringscope", "submit", "--json", "--wait"),
        *("--ranks", "2", "-e", "1M", "-n", "10"),
    )
    assert job.returncode == 0, job.stdout + job.stderr
    assert {member["node"] for member in json.loads(job.stdout)["attempts"][-1]["members"]} == {name}

"""The Dockerfile's commands and Compose's variables work without containers: they build and configure the programs."""

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import pytest
from tests.cluster.images.containers import SECRETS, SERVICES, STAGES, Container
from tests.cluster.images.recipe_run import Workshop
from tests.cluster.lab import eventually, free_port, running
from tests.deploy.recipes import TARGETS, commands_of, last
from tests.deploy.test_dockerfile import CUDA_COMMAND
from tests.postgres import PROGRAMS, running_postgres

pytestmark = pytest.mark.long

# Hosts of their own, as far as MPI can tell; in a container each has its own name for itself.
ADDRESSES = {"worker-1": "127.0.0.2", "worker-2": "127.0.0.3"}
SWEEP = ("-b", "64K", "-e", "1M", "-n", "20", "--algorithm", "ring,mpi", "--ranks", "4")
ENDLESS = ("-b", "1M", "-e", "1M", "-n", "1000000", "--algorithm", "ring", "--ranks", "4")
USER = last(STAGES, "server", "USER").value
DATA = last(STAGES, "server", "VOLUME").value


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ringscope-image-") as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture(scope="module")
def workshop(root: Path) -> Workshop:
    return Workshop(STAGES, root)


@pytest.fixture(scope="module")
def containers(workshop: Workshop) -> Iterator[dict[str, Container]]:
    """PostgreSQL, the server and both workers, built and started in Compose's order; each is healthy before the next.

    The worker is built when the server runs: both images have their Python at one path, and the worker's adds to it.
    """
    port, metrics_port = free_port(), free_port()
    password = SECRETS["POSTGRES_PASSWORD"]
    with running_postgres() as postgres, ExitStack() as stack:
        at = {
            f"postgresql://ringscope:{password}@postgres/ringscope": postgres.create("ringscope"),
            "http://server:8000": f"http://127.0.0.1:{port}",
            "http://127.0.0.1:8000": f"http://127.0.0.1:{port}",
            ":9465": f":{metrics_port}",
        }
        found = {}
        for service in ("server", *ADDRESSES):
            volume = {workshop.here(DATA): str(workshop.root / "volumes" / service)}
            more = {"RINGSCOPE_PORT": str(port)}
            if service != "server":
                more = {"RINGSCOPE_NAME": service, "RINGSCOPE_ADDRESS": ADDRESSES[service]}
                more["RINGSCOPE_METRICS_PORT"] = str(metrics_port)
            found[service] = container = Container(service, workshop, at | volume, more)
            workshop.build(container.target)
            container.make_volume()
            assert not container.is_healthy(), "the check would notice"
            container.process = stack.enter_context(running(container.start()))
            eventually(container.is_healthy, f"the health of {service}")
        yield found


def test_every_command_of_the_dockerfile_was_run_but_cudas(
    workshop: Workshop, containers: dict[str, Container]
) -> None:
    commands = {target: commands_of(STAGES, target) for target in TARGETS}
    assert sorted(workshop.ran) == sorted(commands["server"] | commands["worker"])
    assert commands["worker-cuda"] - set(workshop.ran) == {CUDA_COMMAND}


def test_postgresqls_health_check_tells_whether_it_is_up() -> None:
    program, *flags = SERVICES["postgres"]["healthcheck"]["test"][1:]
    with running_postgres() as postgres:
        # The one of the tests listens on its socket only.
        here = [flag.replace("127.0.0.1", str(postgres.path)) for flag in flags]
        assert subprocess.run([PROGRAMS / program, *here], capture_output=True).returncode == 0
        postgres.stop()
        assert subprocess.run([PROGRAMS / program, *here], capture_output=True).returncode != 0
        postgres.start()


def test_people_get_the_page_and_prometheus_finds_the_workers(containers: dict[str, Container]) -> None:
    url = containers["worker-1"].environment["RINGSCOPE_SERVER"]
    assert "Ringscope's pages need JavaScript" in httpx.get(url).text
    headers = {"Authorization": f"Bearer {SECRETS['RINGSCOPE_METRICS_TOKEN']}"}
    groups = httpx.get(f"{url}/api/v1/prometheus/targets", headers=headers).raise_for_status().json()
    assert [group["labels"]["node"] for group in groups] == list(ADDRESSES)
    for group in groups:
        (target,) = group["targets"]
        assert "ringscope_agent_info" in httpx.get(f"http://{target}/metrics").text


def test_a_job_runs_over_both_workers_and_succeeds(containers: dict[str, Container]) -> None:
    done = containers["server"].run("ringscope", "submit", "--json", "--wait", *SWEEP)
    assert done.returncode == 0, done.stdout + done.stderr
    job = json.loads(done.stdout)
    assert job["state"] == "succeeded"
    assert {member["node"] for member in job["attempts"][-1]["members"]} == set(ADDRESSES)


def test_they_run_as_the_images_user(containers: dict[str, Container]) -> None:
    user = int(USER.split(":")[0]) if os.geteuid() == 0 else os.geteuid()
    for container in containers.values():
        assert psutil.Process(container.process.pid).uids().real == user


def test_sigterm_ends_all_in_time_also_while_a_job_runs(containers: dict[str, Container]) -> None:
    server = containers["server"]
    done = server.run("ringscope", "submit", "--json", *ENDLESS)
    assert done.returncode == 0, done.stderr
    job_id = json.loads(done.stdout)["id"]
    eventually(lambda: state(server, job_id) == "running", "a running job")
    for service in (*ADDRESSES, "server"):
        container = containers[service]
        container.process.send_signal(signal.SIGTERM)
        assert container.process.wait(timeout=container.grace_seconds) == 0
    volumes = str(server.workshop.root / "volumes")
    assert [process for process in psutil.process_iter(["environ"]) if volumes in str(process.info["environ"])] == []


def state(server: Container, job_id: int) -> str:
    return str(json.loads(server.run("ringscope", "show", str(job_id), "--json").stdout)["state"])

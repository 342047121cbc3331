"""The compose file as it stands, without its monitoring: a server on PostgreSQL and two workers run a job."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from tests.cluster.lab import eventually
from tests.deploy.recipes import COMPOSE, read_example_environment
from tests.images.conftest import Built
from tests.images.podman import Podman

from ringscope.contracts.words.version import __version__

pytestmark = pytest.mark.long

SERVICES = ("postgres", "server", "worker-1", "worker-2")
OURS = SERVICES[1:]
START_SECONDS = 400  # 8 s on an idle machine of two cores, but 75 s where twenty processes wanted them
PODMAN_COMPOSE = Path(sys.executable).parent / "podman-compose"
SECRETS = {name: value or uuid4().hex for name, value in read_example_environment().items()}


@dataclass(frozen=True)
class Composed:
    """A project of podman-compose that is up."""

    podman: Podman
    project: str
    environment_file: Path

    def compose(self, *words: str) -> str:
        """Run a command of podman-compose, which must succeed."""
        options = ("--project-name", self.project, "--env-file", self.environment_file, "--file", COMPOSE)
        done = self.podman.inside(PODMAN_COMPOSE, *options, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def name(self, service: str) -> str:
        """Return the name of a service's container."""
        return f"{self.project}_{service}_1"

    def ringscope(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the server's container."""
        return self.podman.inside("podman", "exec", self.name("server"), "ringscope", *words)

    def is_healthy(self, service: str) -> bool:
        """Run a health check as an engine with a timer does."""
        return self.podman.succeeds("healthcheck", "run", self.name(service))

    def ready_nodes(self) -> list[str]:
        """Return the names of the nodes that take jobs."""
        found = self.ringscope("nodes", "--json")
        nodes = json.loads(found.stdout) if found.returncode == 0 else []
        return sorted(node["name"] for node in nodes if node["observed"] == "ready")


@pytest.fixture(scope="module")
def composed(podman: Podman, built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    file = tmp_path_factory.mktemp("compose") / ".env"
    file.write_text("".join(f"{name}={value}\n" for name, value in SECRETS.items()))
    composed = Composed(podman, f"rs{uuid4().hex[:6]}", file)
    composed.compose("up", "--detach", "--no-build", *SERVICES)
    try:
        at_hand = ["worker-1", "worker-2"]
        eventually(lambda: composed.ready_nodes() == at_hand, "two ready workers", START_SECONDS, every_seconds=1)
        yield composed
    finally:
        composed.compose("down", "--volumes")
    assert composed.project not in podman.run("ps", "--all", "--format", "{{.Names}}")
    assert composed.project not in podman.run("volume", "ls", "--quiet")
    podman.remove_all()


def test_every_health_check_passes(composed: Composed) -> None:
    for service in SERVICES:
        eventually(lambda service=service: composed.is_healthy(service), f"the health of {service}", START_SECONDS, 1)


def test_a_job_runs_over_both_workers(composed: Composed) -> None:
    done = composed.ringscope("submit", "--json", "--wait", "--ranks", "4", "-e", "16M", "-n", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    job = json.loads(done.stdout)
    assert job["state"] == "succeeded"
    assert {member["node"] for member in job["attempts"][-1]["members"]} == {"worker-1", "worker-2"}


def test_a_submission_prints_the_page_at_the_address_that_people_reach(composed: Composed) -> None:
    done = composed.ringscope("submit", "--wait", "--ranks", "2", "-e", "64K", "-n", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SECRETS['RINGSCOPE_PUBLIC_URL']}/jobs/" in done.stdout + done.stderr
    assert "0.0.0.0" not in done.stdout + done.stderr


def test_the_page_is_served_at_the_published_port(composed: Composed) -> None:
    program = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8000/').read().decode())"
    assert "Ringscope's pages need JavaScript" in composed.podman.inside(sys.executable, "-c", program).stdout


def test_the_programs_run_as_a_user_without_rights_on_files_that_they_cannot_change(composed: Composed) -> None:
    for service in OURS:
        name = composed.name(service)
        status = composed.podman.run("exec", name, "cat", "/proc/1/status", "/proc/self/status")
        fields = [line.split() for line in status.splitlines()]
        assert {tuple(words[1:]) for words in fields if words[0] == "Uid:"} == {("10001",) * 4}
        assert {words[1] for words in fields if words[0] in ("CapEff:", "CapBnd:")} == {"0" * 16}
        assert {words[1] for words in fields if words[0] == "NoNewPrivs:"} == {"1"}
        for path in ("/opt/ringscope/x", "/usr/x", "/etc/x"):
            assert not composed.podman.succeeds("exec", name, "touch", path), path
        mounts = composed.podman.run("exec", name, "cat", "/proc/mounts").splitlines()
        (root,) = (line.split() for line in mounts if line.split()[1] == "/")
        assert "ro" in root[3].split(",")
        assert composed.podman.succeeds("exec", name, "touch", "/var/lib/ringscope/x", "/tmp/x")


def test_a_job_that_shared_memory_is_too_small_for_says_which_option_enlarges_it(composed: Composed) -> None:
    (network,) = (name for name in composed.podman.run("network", "ls", "--quiet").split() if composed.project in name)
    name = f"{composed.project}-small"
    variables = {
        "RINGSCOPE_SERVER": "http://server:8000",
        "RINGSCOPE_JOIN_TOKEN": SECRETS["RINGSCOPE_JOIN_TOKEN"],
        "RINGSCOPE_SLOTS": "2",
    }
    given = [option for variable, value in variables.items() for option in ("--env", f"{variable}={value}")]
    options = ("--detach", "--init", "--read-only", "--shm-size", "64m", "--name", name, "--hostname", "small")
    composed.podman.run("run", *options, "--network", network, *given, f"ringscope-worker:{__version__}")
    try:
        eventually(lambda: "small" in composed.ready_nodes(), "the small worker is ready", START_SECONDS, 1)
        here = ("submit", "--json", "--wait", "--node", "small", "--ranks", "2", "-n", "5")
        fits = composed.ringscope(*here, "-e", "4M")
        assert fits.returncode == 0, fits.stdout + fits.stderr
        done = composed.ringscope(*here, "-b", "64M", "-e", "64M", "--max-attempts", "1")  # larger ones are left out
        assert done.returncode == 1, done.stdout + done.stderr
        job = json.loads(done.stdout)
        assert "or enlarge /dev/shm (of a container with --shm-size)" in json.dumps(job)
    finally:
        composed.podman.run("rm", "--force", "--time", "2", name)


def test_sigterm_ends_all_in_the_time_that_the_compose_file_gives(composed: Composed) -> None:
    for service in ("worker-2", "server"):
        name = composed.name(service)
        composed.podman.run("stop", "--time", "20", name)
        state = json.loads(composed.podman.run("inspect", "--format", "{{json .State}}", name))
        assert state["ExitCode"] == 0, state

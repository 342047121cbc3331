"""Podman with storage, settings and a network of its own: nothing of it is left, and its containers reach nobody."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

STORAGE = '[storage]\ndriver = "overlay"\ngraphroot = "{folder}/storage"\nrunroot = "{folder}/run"\n'
# Without systemd: cgroups by files, events to a file. Limits that a container of root need not raise.
SETTINGS = """
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
network_config_dir = "{folder}/networks"
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""
COMMAND_SECONDS = 300


@dataclass(frozen=True)
class Podman:
    """Podman's commands; ``namespace`` is the network namespace in which containers run."""

    folder: Path
    namespace: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which podman and buildah take this storage; builds use this machine's network."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
        return kept | {
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "BUILD_OPTIONS": "--network host --isolation chroot",
            "TMPDIR": str(self.folder),
        }

    def inside(self, *command: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the network namespace of the containers, with further variables."""
        return subprocess.run(
            ["nsenter", f"--net=/run/netns/{self.namespace}", *command],
            env=self.environment | more,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )

    def run(self, *arguments: str | Path) -> str:
        """Run a command of podman, which must succeed, and return its output."""
        done = self.inside("podman", *arguments)
        assert done.returncode == 0, f"podman {arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout.strip()

    def succeeds(self, *arguments: str | Path) -> bool:
        """Run a command of podman and return whether it succeeded."""
        return self.inside("podman", *arguments).returncode == 0

    def remove_all(self) -> None:
        """Remove pods, containers, volumes, secrets and networks; images stay."""
        for words in ("pod rm --all --force --time 2", "rm --all --force --time 2 --volumes", "volume prune --force"):
            self.inside("podman", *words.split())
        self.inside("podman", "network", "prune", "--force")
        for secret in self.inside("podman", "secret", "ls", "--quiet").stdout.split():
            self.inside("podman", "secret", "rm", secret)


@contextmanager
def podman_in(folder: Path) -> Iterator[Podman]:
    """Podman with its files in ``folder``, in a new network namespace that is gone at the end."""
    (folder / "networks").mkdir(exist_ok=True)
    (folder / "storage.conf").write_text(STORAGE.format(folder=folder))
    (folder / "containers.conf").write_text(SETTINGS.format(folder=folder))
    namespace = f"images-{uuid4().hex[:8]}"
    _ip("netns", "add", namespace)
    podman = Podman(folder, namespace)
    try:
        _ip("-n", namespace, "link", "set", "lo", "up")
        yield podman
        podman.remove_all()
    finally:
        _ip("netns", "del", namespace)


def remove_storage(podman: Podman) -> None:
    """Remove the images, and unmount and delete all files."""
    podman_command = ["podman", "system", "reset", "--force"]
    subprocess.run(podman_command, env=podman.environment, capture_output=True, timeout=COMMAND_SECONDS)
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted((mount for mount in mounts if mount.startswith(f"{podman.folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", mount], check=False)
    shutil.rmtree(podman.folder)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)

"""Services of the compose file as processes: the image's command and environment, Compose's variables, no engine."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster.images.recipe_run import Workshop
from tests.deploy.recipes import (
    fill_in,
    health_command,
    last,
    read_compose,
    read_dockerfile,
    read_example_environment,
)

STAGES = read_dockerfile()
SECRETS = {name: value or f"{name.lower():x<40}" for name, value in read_example_environment().items()}
SERVICES: dict[str, dict[str, Any]] = fill_in(read_compose()["services"], SECRETS)
COMMAND_SECONDS = 120


@dataclass
class Container:
    """A service, with ``substitutes``: all that is otherwise on this machine than in a container."""

    service: str
    workshop: Workshop
    substitutes: dict[str, str]
    more: dict[str, str]  # variables that keep services on one machine apart
    process: subprocess.Popen[str] = field(init=False)

    @property
    def target(self) -> str:
        """The target of the Dockerfile."""
        return str(SERVICES[self.service]["build"]["target"])

    @property
    def grace_seconds(self) -> int:
        """The seconds for which Compose waits after SIGTERM."""
        return int(SERVICES[self.service]["stop_grace_period"].removesuffix("s"))

    @property
    def environment(self) -> dict[str, str]:
        """The image's variables with Compose's over them; none of the tests' own."""
        merged = self.workshop.environment(self.target) | SERVICES[self.service]["environment"]
        return {name: self._here(value) for name, value in merged.items()} | self.more

    def start(self) -> subprocess.Popen[str]:
        """Start the entrypoint and the command as the engine does, as the image's user if this process is root."""
        words = last(STAGES, self.target, "ENTRYPOINT").words() + last(STAGES, self.target, "CMD").words()
        return subprocess.Popen(
            self._command(words),
            env=self.environment,
            cwd=self.environment["RINGSCOPE_DATA_DIR"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`docker compose exec SERVICE WORDS…`."""
        return subprocess.run(
            self._command([self._here(word) for word in words]),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )

    def is_healthy(self) -> bool:
        """Run the engine's health check and return whether it passes."""
        return self.run(*health_command(STAGES, self.target)).returncode == 0

    def make_volume(self) -> Path:
        """A new volume, with owner and mode of the image's folder."""
        folder = self.workshop.here(last(STAGES, self.target, "VOLUME").value)
        status = Path(folder).stat()
        volume = Path(self._here(folder))
        volume.mkdir(parents=True)
        volume.chmod(status.st_mode)
        os.chown(volume, status.st_uid, status.st_gid)
        return volume

    def _here(self, text: str) -> str:
        for there, here in self.substitutes.items():
            text = text.replace(there, here)
        return text

    def _command(self, words: list[str]) -> list[str]:
        found = shutil.which(words[0], path=self.environment["PATH"])
        assert found is not None, words[0]
        return [*as_user(last(STAGES, self.target, "USER").value), found, *words[1:]]


def as_user(user: str) -> list[str]:
    """A prefix that runs a command as another user, of whom this machine knows as little as the image does.

    It may still read what root may: the Python of the tests can lie in root's home.
    """
    if os.geteuid() != 0:
        return []
    uid, gid = user.split(":")
    may_read = (f"--{kind}=-all,+dac_read_search" for kind in ("inh-caps", "ambient-caps", "bounding-set"))
    return ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs", *may_read]

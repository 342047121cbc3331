"""Runs the Dockerfile's commands without an engine: below a folder of its own, and otherwise word for word."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.deploy.recipes import ROOT, Stage, lineage

# The folders that the Dockerfile fills, as whole words.
_FOLDER = re.compile(r"(?<![\w./-])/(?:opt/ringscope|var/lib/ringscope|wheels|src)(?![\w-])")
USER_ID = "10001"
COMMAND_SECONDS = 600


@dataclass
class Workshop:
    """A folder in which the stages are carried out; ``ran`` are the commands as the Dockerfile has them."""

    stages: Mapping[str, Stage]
    root: Path
    ran: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def build(self, name: str) -> None:
        """Carry a stage out, with all that it is built on and takes from, as far as that was not done before."""
        for stage in lineage(self.stages, name):
            if stage.name in self.done:
                continue
            self.done.add(stage.name)
            folder = Path("/")
            for line in stage.instructions:
                match line.word:
                    case "WORKDIR":
                        folder = Path(self.here(line.value))
                        folder.mkdir(parents=True, exist_ok=True)
                    case "COPY":
                        self._copy(line.value.split(), folder)
                    case "RUN":
                        self._run(line.value, folder, self.environment(stage.name))

    def environment(self, name: str) -> dict[str, str]:
        """Return the ENV variables of a stage and of the stages below it, over the PATH of a base image."""
        found = {"PATH": usual_path()}
        for stage in lineage(self.stages, name):
            for line in stage.instructions:
                if line.word == "ENV":
                    variable, _, value = line.value.partition("=")
                    found[variable] = self.here(value).replace("$PATH", found["PATH"])
        return found

    def here(self, text: str) -> str:
        """A line of the Dockerfile with this folder's paths and, where only root may have another, this user."""
        text = _FOLDER.sub(lambda match: str(self.root) + match[0], text)
        if os.geteuid() == 0:
            return text
        return text.replace(f"--group={USER_ID}", f"--group={os.getegid()}").replace(USER_ID, str(os.geteuid()))

    def _copy(self, words: list[str], folder: Path) -> None:
        if words[0].startswith("--from="):  # its path is the same, so there is nothing to move
            self.build(words[0].removeprefix("--from="))
        else:
            copy(words[:-1], folder / words[-1])

    def _run(self, command: str, folder: Path, environment: dict[str, str]) -> None:
        # The caches of this machine's pip and npm stand in for the engine's; nothing else of its environment counts.
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_QUIET": "2", "NPM_CONFIG_UPDATE_NOTIFIER": "false"}
        done = subprocess.run(
            ["/bin/sh", "-c", self.here(command)],
            cwd=folder,
            env=environment | kept | quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        self.ran.append(command)


def copy(sources: Iterable[str], target: Path) -> None:
    """COPY from the tree, without what .dockerignore keeps back; a folder's contents go into the target."""
    ignored = shutil.ignore_patterns("node_modules", "dist", "__pycache__", "*.tsbuildinfo")
    for source in sources:
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, target, ignore=ignored, dirs_exist_ok=True)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, target)


def usual_path() -> str:
    """PATH of the base images: ``python`` is the one that runs the tests."""
    return f"{Path(sys.executable).parent}:{os.environ['PATH']}"

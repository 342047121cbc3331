"""The images, built once by `make images` on bases of Debian's packages: a quarter of an hour on two cores."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.deploy.recipes import ROOT
from tests.images.podman import Podman, podman_in, remove_storage

BUILD_SECONDS = 3000
# A folder whose images are used, and made if they are not there; without it everything is made anew and removed.
KEPT = os.environ.get("IMAGES_FOLDER")


@dataclass(frozen=True)
class Built:
    """The output of `make images`, and the folder of its lists."""

    said: str
    lists: Path


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    folder = Path(KEPT) if KEPT else Path(tempfile.mkdtemp(prefix="ringscope-images-", dir="/var/tmp"))
    folder.mkdir(exist_ok=True)
    with podman_in(folder) as podman:
        yield podman
    if not KEPT:
        remove_storage(podman)


@pytest.fixture(scope="session")
def built(podman: Podman) -> Built:
    lists = podman.folder / "lists"
    done = subprocess.run(
        [sys.executable, "-m", "scripts.images", "--engine", "podman", "--local-bases", "--lists", str(lists)],
        cwd=ROOT,
        env=podman.environment,
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return Built(done.stdout, lists)

"""Other processors: on Linux with aarch64 every package that a server, a worker or a client requires has a wheel."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.deploy.recipes import ROOT

pytestmark = pytest.mark.long

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# glibc 2.28 is that of RHEL 8; wheels for an older one run there as well.
PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (28, 27, 26, 24, 17)] + ["manylinux2014_aarch64"]


@pytest.mark.parametrize("extra", ["", "worker", "postgres"])
@pytest.mark.parametrize("python", ["3.11", "3.14"])
def test_every_required_package_has_a_wheel_for_aarch64(tmp_path: Path, python: str, extra: str) -> None:
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("\n".join(PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--only-binary=:all:"]
    command += ["--target", str(tmp_path / "none"), "--python-version", python, "--implementation", "cp"]
    command += [word for platform in PLATFORMS for word in ("--platform", platform)]
    done = subprocess.run([*command, "--requirement", str(wanted)], capture_output=True, text=True)
    assert done.returncode == 0, [line for line in done.stderr.splitlines() if line.startswith("ERROR")]

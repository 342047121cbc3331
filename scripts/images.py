"""`make images`: the container images of the server and of a worker, each below a size, with a list of what is in it.

    python -m scripts.images [--engine docker|podman] [--local-bases] [--lists FOLDER] [TARGET …]

The list of an image is a CycloneDX document: its packages of Debian and of Python, with their versions.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringscope.contracts.words.version import __version__

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = ROOT / "deploy" / "docker" / "Dockerfile"
# Unpacked, in MB, on a base image that Debian's packages make (228 MB; the published one has about 130): what was
# measured, and a tenth more. CUDA's libraries are most of worker-cuda, which was not measured.
MOST_MB = {"server": 480, "worker": 570, "worker-cuda": 6000}
USUAL_TARGETS = ("server", "worker")
ENGINES = ("docker", "podman")
# It runs in the image: no tool is there but Python.
_PACKAGES = """
import importlib.metadata, json, pathlib
found = [["pypi", d.metadata["Name"], d.version, d.metadata["License-Expression"] or ""]
         for d in importlib.metadata.distributions()]
for entry in pathlib.Path("/var/lib/dpkg/status").read_text().split("\\n\\n"):
    fields = dict(line.split(": ", 1) for line in entry.splitlines() if line[:1].isalpha() and ": " in line)
    if fields.get("Status") == "install ok installed":
        found.append(["deb", fields["Package"], fields["Version"], ""])
print(json.dumps(found))
"""


class ImageError(Exception):
    """The images cannot be made; the message is one sentence."""


@dataclass(frozen=True)
class Engine:
    """Docker, or Podman with its compatible command line."""

    name: str

    def build(self, target: str, *, local_bases: bool) -> str:
        """Build a target of the Dockerfile and return its tag. Raises ImageError."""
        tag = f"ringscope-{target}:{__version__}"
        command = [self.name, "build", "--file", str(DOCKERFILE), "--target", target, "--tag", tag]
        if self.name == "podman":
            command += ["--format", "docker", "--layers"]  # OCI's format has no health check
            command += ["--pull=never"] if local_bases else []
        command += shlex.split(os.environ.get("BUILD_OPTIONS", ""))
        if subprocess.run([*command, str(ROOT)], cwd=ROOT).returncode:
            raise ImageError(f"{self.name} could not build the target {target}.")
        return tag

    def size_mb(self, tag: str) -> int:
        """Return the size of an image's layers, unpacked, in MB."""
        return int(self._output("image", "inspect", "--format", "{{.Size}}", tag)) // 10**6

    def packages(self, tag: str) -> list[list[str]]:
        """Return the packages of an image: kind, name, version and licence of each."""
        program = ("run", "--rm", "--network", "none", "--entrypoint", "python", tag, "-c", _PACKAGES)
        found: list[list[str]] = json.loads(self._output(*program))
        return found

    def _output(self, *arguments: str) -> str:
        done = subprocess.run([self.name, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise ImageError(f"{self.name} {' '.join(arguments[:2])} failed: {done.stderr.strip()}")
        return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the images; return the exit code."""
    parser = argparse.ArgumentParser(description="Build the container images, check their sizes, list their packages.")
    parser.add_argument("--engine", choices=ENGINES, help="the first one that works by default")
    parser.add_argument("--local-bases", action="store_true", help="make the base images of Debian's packages (root)")
    parser.add_argument("--lists", type=Path, default=ROOT / "dist", help="the folder of the lists, dist by default")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(MOST_MB)}; the first two if none")
    options = parser.parse_args(arguments)
    if unknown := set(options.targets) - MOST_MB.keys():
        parser.error(f"there is no target {', '.join(sorted(unknown))}; choose of {', '.join(MOST_MB)}")
    try:
        engine = Engine(options.engine) if options.engine else find_engine()
        if options.local_bases:
            make_bases(engine)
        for target in options.targets or USUAL_TARGETS:
            _say(make(engine, target, options.lists, local_bases=options.local_bases))
    except ImageError as error:
        print(f"images: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def make(engine: Engine, target: str, lists: Path, *, local_bases: bool) -> str:
    """Build a target and write its list; return a sentence about both. Raises ImageError."""
    tag = engine.build(target, local_bases=local_bases)
    size_mb = engine.size_mb(tag)
    if size_mb > MOST_MB[target]:
        raise ImageError(f"{tag} has {size_mb} MB, but {MOST_MB[target]} MB is the most; find out what has grown.")
    listing = bill_of_materials(tag, engine.packages(tag))
    lists.mkdir(parents=True, exist_ok=True)
    path = lists / f"{tag.replace(':', '-')}.cdx.json"
    path.write_text(json.dumps(listing, indent=2, sort_keys=True) + "\n")
    return f"{tag} has {size_mb} MB (at most {MOST_MB[target]}) and {len(listing['components'])} packages: {path}"


def find_engine() -> Engine:
    """Return the first engine that answers. Raises ImageError."""
    for name in ENGINES:
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True).returncode == 0:
            return Engine(name)
    raise ImageError("Neither docker nor podman works here; start one, or on Debian: scripts/system-packages images.")


def make_bases(engine: Engine) -> None:
    """Make the base images where no registry is reachable. Raises ImageError."""
    if engine.name != "podman":
        raise ImageError("--local-bases needs podman, which shares its images with buildah; give --engine podman.")
    if subprocess.run(["scripts/bases"], cwd=ROOT).returncode:
        raise ImageError("scripts/bases could not make the base images.")


def bill_of_materials(tag: str, packages: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the CycloneDX 1.6 document of an image with these packages: kind, name, version and licence of each."""
    name, _, version = tag.partition(":")
    this = f"pkg:oci/{name}@{version}"
    components = {
        purl: {
            "type": "library",
            "bom-ref": purl,
            "name": package,
            "version": its_version,
            "purl": purl,
            "licenses": [{"expression": licence}] if licence else [],
        }
        for kind, package, its_version, licence in packages
        for purl in [_purl(kind, package, its_version)]
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "container", "bom-ref": this, "name": name, "version": version}},
        "components": [components[purl] for purl in sorted(components)],
        "dependencies": [{"ref": this, "dependsOn": sorted(components)}],
    }


def _purl(kind: str, package: str, version: str) -> str:
    escaped = version.replace("+", "%2B").replace(":", "%3A")
    if kind == "deb":
        return f"pkg:deb/debian/{package}@{escaped}"
    return f"pkg:pypi/{package.lower().replace('_', '-')}@{escaped}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

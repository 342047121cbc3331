"""``make release``: the wheel and the sdist in dist/, built twice with one checksum, and a list of what is in them.

Both contain the built page, so that nobody who installs them needs Node. A build depends on nothing but its sources:
SOURCE_DATE_EPOCH, the time of the last commit unless it is set, is the time of every file in them.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from email.parser import BytesParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "frontend" / "dist"
INDEX_IN_WHEEL = "ringscope_server/static/index.html"
INDEX_IN_SDIST = "frontend/dist/index.html"
LICENSES = "licenses.txt"


class ReleaseError(Exception):
    """The release cannot be made; the message is one sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build into the folder of the first argument, dist by default; return the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    folder = Path(given[0] if given else ROOT / "dist").resolve()
    try:
        for path in release(folder):
            print(f"{digest(path)}  {path.name}")  # noqa: T201  # the terminal is this script's job
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def release(folder: Path) -> list[Path]:
    """Replace the release in ``folder`` and return its files. Raises ReleaseError."""
    for name in ("index.html", LICENSES):
        if not (PAGE / name).is_file():
            raise ReleaseError(f"{PAGE / name} is missing; build the page with: make ui.")
    with tempfile.TemporaryDirectory(prefix="ringscope-release-") as scratch:
        first, second = (build(Path(scratch) / name) for name in ("first", "second"))
        for one, other in zip(first, second, strict=True):
            if digest(one) != digest(other):
                raise ReleaseError(f"Two builds of {one.name} differ; compare both with diffoscope.")
        check(first)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("ringscope-*"):
            old.unlink()
        files = [Path(shutil.copy(path, folder)) for path in first]
    (wheel,) = (path for path in files if path.suffix == ".whl")
    listing = folder / f"{wheel.name.removesuffix('-py3-none-any.whl')}.cdx.json"
    listing.write_text(json.dumps(bill_of_materials(wheel), indent=2, sort_keys=True) + "\n")
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{digest(path)}  {path.name}\n" for path in [*files, listing]))
    return [*files, listing, sums]


def build(folder: Path) -> list[Path]:
    """Build the sdist, and the wheel from it, as everybody who builds from the sdist does."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(source_date())}
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"The build failed:\n{done.stdout}{done.stderr}")
    return sorted(folder.iterdir())


def source_date() -> int:
    """Return SOURCE_DATE_EPOCH, or the time of the last commit, in seconds since 1970. Raises ReleaseError."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError("Git does not tell the time of the last commit; set SOURCE_DATE_EPOCH.")
    return int(done.stdout)


def check(files: Sequence[Path]) -> None:
    """Raise ReleaseError unless there are a wheel and an sdist, both with the page and its licences."""
    if [path.name.endswith((".tar.gz", ".whl")) for path in files] != [True, True]:
        raise ReleaseError(f"The build made {[path.name for path in files]} and no pair of wheel and sdist.")
    for path in files:
        names, index = contents(path), INDEX_IN_WHEEL if path.suffix == ".whl" else INDEX_IN_SDIST
        for wanted in (index, index.replace("index.html", LICENSES)):
            if not any(name.endswith(wanted) for name in names):
                raise ReleaseError(f"{path.name} has no {wanted}; build the page with: make ui.")


def contents(path: Path) -> list[str]:
    """Return the names of the files in a wheel or an sdist."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as sdist:
        return sdist.getnames()


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def bill_of_materials(wheel: Path) -> dict[str, Any]:
    """Return the CycloneDX 1.6 document of a wheel: what it requires, and the packages that its page is made of."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = BytesParser().parsebytes(archive.read(name))
    this = f"pkg:pypi/{metadata['Name']}@{metadata['Version']}"
    component = {
        "type": "application",
        "bom-ref": this,
        "name": metadata["Name"],
        "version": metadata["Version"],
        "purl": this,
        "licenses": [{"license": {"id": metadata["License-Expression"]}}],
        "hashes": [{"alg": "SHA-256", "content": digest(wheel)}],
    }
    required = [_required(requirement) for requirement in metadata.get_all("Requires-Dist", [])]
    packages = [*_page_packages(), *{one["bom-ref"]: one for one in required}.values()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component},
        "components": packages,
        "dependencies": [{"ref": this, "dependsOn": sorted(one["bom-ref"] for one in packages)}],
    }


def _required(requirement: str) -> dict[str, Any]:
    """Return a package that the wheel requires: its version is chosen by who installs it."""
    wanted, _, marker = requirement.partition(";")
    name = wanted
    for sign in "[<>=!~ (":
        name = name.partition(sign)[0]
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name.strip()}#{requirement}",
        "name": name.strip(),
        "purl": f"pkg:pypi/{name.strip()}",
        "scope": "optional" if "extra ==" in marker else "required",
        "properties": [{"name": "ringscope:requirement", "value": requirement}],
    }


def _page_packages() -> list[dict[str, Any]]:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text())
    return [
        _page_package(folder.rpartition("node_modules/")[2], found)
        for folder, found in sorted(lock["packages"].items())
        if folder and not found.get("dev") and not found.get("optional")
    ]


def _page_package(name: str, found: dict[str, Any]) -> dict[str, Any]:
    purl = f"pkg:npm/{name.replace('@', '%40')}@{found['version']}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": found["version"],
        "purl": purl,
        "licenses": [{"expression": found["license"]}] if "license" in found else [],
    }


if __name__ == "__main__":
    sys.exit(main())

"""`make release`: one version, files with the page in them, and an installation from them without Node."""

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from scripts import release
from tests.deploy.recipes import DOCKERFILE, ROOT

from ringscope.contracts.words.version import OLDEST_AGENT, __version__

METADATA = """Metadata-Version: 2.4
Name: ringscope
Version: 1.2.3
License-Expression: Apache-2.0
Requires-Dist: numpy>=2.0
Requires-Dist: mpi4py>=4.1; extra == 'worker'
Requires-Dist: sqlalchemy[asyncio]<3,>=2.0.44
"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "ringscope-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ringscope-1.2.3.dist-info/METADATA", METADATA)
        archive.writestr(release.INDEX_IN_WHEEL, "<html>")
    return path


def test_the_version_stands_in_one_module_and_everything_else_follows() -> None:
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
    for name in ("package.json", "package-lock.json"):
        assert json.loads((ROOT / "frontend" / name).read_text())["version"] == __version__, name
    found = re.findall(r"ringscope-(?:server|worker|worker-cuda):(\d[\w.]*)", DOCKERFILE.read_text())
    assert found and set(found) == {__version__}
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"## {__version__}" in changelog
    minors = [*dict.fromkeys(re.findall(r"^## (\d+\.\d+)", changelog, re.MULTILINE))]
    assert minors[:2][-1] == OLDEST_AGENT, "a server accepts agents of the minor version before its own"


def test_constraints_have_a_version_of_all_that_tests_are_installed_with() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["worker"]]
    wanted += [one for group in project["dependency-groups"].values() for one in group if isinstance(one, str)]
    names = {re.split(r"[^\w-]", one, maxsplit=1)[0].lower().replace("_", "-") for one in wanted}
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    assert names - pinned == set(), "make pins KEEP=1"


def test_the_list_of_packages_has_what_the_wheel_requires_and_what_the_page_is_made_of(wheel: Path) -> None:
    listing = release.bill_of_materials(wheel)
    this = listing["metadata"]["component"]
    assert (this["purl"], this["hashes"][0]["content"]) == ("pkg:pypi/ringscope@1.2.3", release.digest(wheel))
    scopes = {one["name"]: one["scope"] for one in listing["components"] if "scope" in one}
    assert scopes == {"numpy": "required", "mpi4py": "optional", "sqlalchemy": "required"}
    page = {one["name"]: one for one in listing["components"] if one["purl"].startswith("pkg:npm")}
    assert page["react"]["licenses"] == [{"expression": "MIT"}]
    assert page["@mantine/core"]["purl"].startswith("pkg:npm/%40mantine/core@")
    assert "vitest" not in page, "the page has no tools of its tests"
    assert all(one["licenses"] for one in page.values())
    refs = [one["bom-ref"] for one in listing["components"]]
    assert len(refs) == len(set(refs)) and listing["dependencies"][0]["dependsOn"] == sorted(refs)


def test_a_wheel_without_the_licences_of_the_page_is_no_release(wheel: Path, tmp_path: Path) -> None:
    sdist = tmp_path / "ringscope-1.2.3.tar.gz"
    with pytest.raises(release.ReleaseError, match="no pair of wheel and sdist"):
        release.check([wheel])
    with pytest.raises(release.ReleaseError, match=r"has no ringscope_server/static/licenses.txt; .*: make ui\.$"):
        release.check([wheel, sdist])


def test_two_builds_that_differ_are_no_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    for name in ("index.html", release.LICENSES):
        (page / name).write_text(name)
    monkeypatch.setattr(release, "PAGE", page)

    def build(folder: Path) -> list[Path]:
        folder.mkdir()
        (folder / "ringscope-1.whl").write_text(folder.name)
        return [folder / "ringscope-1.whl"]

    monkeypatch.setattr(release, "build", build)
    with pytest.raises(release.ReleaseError, match=r"^Two builds of ringscope-1\.whl differ; "):
        release.release(tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def run(*command: str | Path, folder: Path) -> str:
    """Run a command with nothing of this environment on its path, least of all Node."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSCOPE_", "PYTHON"))}
    environment |= {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long  # it loads packages from an index and builds four times
def test_what_was_built_twice_alike_installs_into_an_empty_environment_and_runs(tmp_path: Path) -> None:
    built = tmp_path / "dist"
    subprocess.run([sys.executable, "-m", "scripts.release", built], cwd=ROOT, check=True)
    (wheel,) = built.glob("*.whl")
    (listing,) = built.glob("*.cdx.json")
    assert wheel.name == f"ringscope-{__version__}-py3-none-any.whl"
    assert json.loads(listing.read_text())["metadata"]["component"]["version"] == __version__
    run("/usr/bin/sha256sum", "--check", built / "SHA256SUMS", folder=built)

    venv.create(tmp_path / "empty", with_pip=True)
    programs, here = tmp_path / "empty" / "bin", Path(sys.executable).parent
    run(programs / "pip", "install", "--no-compile", f"{wheel}[worker]", folder=tmp_path)
    assert run(programs / "ringscope", "--version", folder=tmp_path).split()[-1] == __version__
    assert "Traceback" not in run(programs / "ringscope", "demo", "--exit", "--port", "0", folder=tmp_path)
    for program in (("pipx", "run", "--spec"), ("uvx", "--from")):
        command = (here / program[0], *program[1:], wheel, "ringscope", "--version")
        assert run(*command, folder=tmp_path).split()[-1] == __version__
    page = (
        "from fastapi.testclient import TestClient; from fastapi import FastAPI; from ringscope_server.http import ui; "
        "app = FastAPI(); ui.install(app, ui.built_files()); client = TestClient(app); "
        "print(client.get('/jobs/1', headers={'accept': 'text/html'}).text, client.get('/licenses.txt').text)"
    )
    shown = run(programs / "python", "-W", "ignore", "-c", page, folder=tmp_path)
    assert '<div id="root">' in shown and "react-dom" in shown

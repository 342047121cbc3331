"""`make images` with an engine that only writes down what it is asked; tests/images has a real one."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from scripts import images
from tests.deploy.recipes import ROOT, TARGETS

from ringscope.contracts.words.version import __version__

ENGINE = """#!/bin/sh
echo "$@" >>"{folder}/asked"
case "$1 $2" in
"info ") ;;
"image inspect") echo {size_bytes} ;;
"run --rm") echo '{packages}' ;;
esac
"""
PACKAGES = [["pypi", "Typing_Extensions", "4.1", "PSF-2.0"], ["deb", "libc6", "2.36-9+deb12u1", ""]]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only engine on PATH is a `podman` of 400 MB images; return its folder."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("BUILD_OPTIONS", raising=False)
    monkeypatch.setattr(images, "ENGINES", ("podman",))
    write(tmp_path, size_bytes=400_000_000)
    return tmp_path


def write(folder: Path, size_bytes: int) -> None:
    program = folder / "podman"
    program.write_text(ENGINE.format(folder=folder, size_bytes=size_bytes, packages=json.dumps(PACKAGES)))
    program.chmod(0o755)


def test_it_builds_each_role_and_lists_what_is_in_it(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert images.main(["--lists", str(engine / "lists")]) == 0
    builds = [line for line in (engine / "asked").read_text().splitlines() if line.startswith("build")]
    assert [line.split("--target ")[1].split()[0] for line in builds] == ["server", "worker"]
    assert all("--format docker" in line and "--pull" not in line for line in builds)
    assert f"ringscope-worker:{__version__} has 400 MB (at most 570) and 2 packages" in capsys.readouterr().out
    listing = json.loads((engine / "lists" / f"ringscope-server-{__version__}.cdx.json").read_text())
    assert [(one["purl"], one["licenses"]) for one in listing["components"]] == [
        ("pkg:deb/debian/libc6@2.36-9%2Bdeb12u1", []),
        ("pkg:pypi/typing-extensions@4.1", [{"expression": "PSF-2.0"}]),
    ]
    assert listing["metadata"]["component"]["name"] == "ringscope-server"


def test_an_image_above_its_size_is_an_error(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(engine, size_bytes=481_000_000)
    assert images.main(["--lists", str(engine / "lists"), "server"]) == 1
    assert f"ringscope-server:{__version__} has 481 MB, but 480 MB is the most" in capsys.readouterr().err
    assert not (engine / "lists").exists()


def test_every_target_of_the_dockerfile_has_a_size() -> None:
    assert images.MOST_MB.keys() == {*TARGETS}


def test_without_an_engine_one_sentence_says_so(
    engine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "ENGINES", ("nothing-of-this-name",))
    assert images.main([]) == 1
    assert "Neither docker nor podman works here; start one" in capsys.readouterr().err


def test_local_bases_are_for_podman_only(
    engine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "ENGINES", ("docker", "podman"))
    assert images.main(["--engine", "docker", "--local-bases"]) == 1
    assert "give --engine podman" in capsys.readouterr().err


def test_a_target_that_is_not_there_is_refused(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        images.main(["agent"])
    assert "there is no target agent; choose of server, worker, worker-cuda" in capsys.readouterr().err


@pytest.mark.parametrize("script", ["bases", "pythons", "system-packages"])
def test_a_shell_script_is_well_formed(script: str) -> None:
    assert subprocess.run(["bash", "-n", ROOT / "scripts" / script]).returncode == 0
    assert os.access(ROOT / "scripts" / script, os.X_OK)

"""The library names the commit that it was checked out from."""

import subprocess
from pathlib import Path

import pytest

from ringscope import revision


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    command = ("git", "-C", str(folder), *identity, *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "--message", "first")
    return folder


def test_a_checkout_is_known_by_its_commit_however_git_keeps_it(checkout: Path) -> None:
    commit = git(checkout, "rev-parse", "HEAD")
    inside = checkout / "workers" / "ringscope"
    inside.mkdir(parents=True)
    assert revision._checked_out(inside) == commit
    git(checkout, "pack-refs", "--all")
    assert revision._checked_out(inside) == commit, "packed"
    git(checkout, "checkout", "--detach")
    assert revision._checked_out(inside) == commit, "on no branch"


def test_a_further_worktree_has_a_commit_of_its_own(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(checkout, "worktree", "add", "-b", "other", str(other))
    git(other, "commit", "--allow-empty", "--message", "second")
    assert revision._checked_out(other) == git(other, "rev-parse", "HEAD") != git(checkout, "rev-parse", "HEAD")


def test_what_lies_in_somebody_elses_checkout_has_none(checkout: Path) -> None:
    installed = checkout / ".venv" / "lib" / "site-packages" / "ringscope"
    installed.mkdir(parents=True)
    assert revision._checked_out(installed) == ""
    assert revision._checked_out(Path("/")) == ""


def test_a_checkout_without_a_commit_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init")
    assert revision._checked_out(tmp_path) == ""

"""Which revision a server says it was made of."""

import subprocess
from pathlib import Path

from ringscope_server.monitoring import build


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return subprocess.run(("git", "-C", folder, *identity, *arguments), capture_output=True, text=True).stdout.strip()


def test_a_checkout_is_known_by_its_commit(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "first")
    assert build._checked_out(tmp_path) == git(tmp_path, "rev-parse", "HEAD") != ""


def test_what_lies_in_somebody_elses_checkout_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "first")
    installed = tmp_path / ".venv" / "lib" / "site-packages" / "ringscope_server"
    installed.mkdir(parents=True)
    assert build._checked_out(installed) == ""
    assert build._checked_out(Path("/")) == ""

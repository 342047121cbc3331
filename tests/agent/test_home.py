"""The agent's data directory."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.choice.tuning_file import read
from ringscope.contracts.protocol import Assignment
from ringscope.contracts.words.machine import Machine
from ringscope_agent.home import DataHome
from ringscope_agent.settings import SettingsError


def test_what_ranks_said_is_for_nobody_else(tmp_path: Path) -> None:
    home = DataHome(tmp_path / "below" / "data", "n1")
    home.close()
    assert (tmp_path / "below" / "data").stat().st_mode & 0o777 == 0o700
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    DataHome(shared, "n1").close()
    assert shared.stat().st_mode & 0o777 == 0o755, "whoever made it has said who may read it"


def test_an_agent_starts_on_a_full_disk_and_holds_the_directory_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, text: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    home = DataHome(tmp_path, "n1")
    with pytest.raises(SettingsError, match="another agent uses"):
        DataHome(tmp_path, "n1")
    home.close()


def test_ranks_know_their_machine_where_the_server_sends_no_times(
    tmp_path: Path, assignment: Callable[..., Assignment]
) -> None:
    home, machine = DataHome(tmp_path, "n1"), Machine(hardware="measured here", call_us=2.5)
    folder = home.new_attempt(assignment())
    assert folder.state.assignment.tuning is None
    assert read(folder.prepare(machine).kit.tuning).machine == machine
    folder.delete()
    home.close()

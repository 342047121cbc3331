"""What a machine is like is measured once, and again where its hardware is another one."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from ringscope.contracts.machine import Machine
from ringscope.engine import cores
from ringscope.rank import machine


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[object]:
    """The commands that were run; the first one is real, and so are all others."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run, commands = subprocess.run, []

    def watched(command: object, **more: Any) -> object:
        commands.append(command)
        return run(command, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", watched)
    return commands


def test_it_is_measured_once(measured: list[object]) -> None:
    first = machine.known_machine()
    assert (first.hardware, first.cores) == (cores.hardware(), cores.own_place().at_once)
    assert first != Machine(hardware=first.hardware, cores=first.cores), "nothing was measured"
    assert machine.known_machine() == first
    assert len(measured) == 1


def test_another_hardware_is_measured_anew(measured: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    machine._write(machine._path(), Machine(hardware="the one before", cores=64))
    assert machine.known_machine().cores == cores.own_place().at_once
    assert len(measured) == 1


def test_where_it_cannot_be_measured_the_models_own_machine_stands_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(machine.sys, "executable", str(tmp_path / "none"))
    here = Machine(hardware=cores.hardware(), cores=cores.own_place().at_once)
    assert machine.known_machine() == here
    assert not machine._path().exists(), "so that the next start tries again"


def test_where_ranks_may_run_nothing_is_measured_beside_them(measured: list[object]) -> None:
    here = Machine(hardware=cores.hardware(), cores=cores.own_place().at_once)
    assert machine.known_machine(may_measure=False) == here
    assert measured == []

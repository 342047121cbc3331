"""A machine's constants are measured once, and again if its hardware has changed."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ringscope.choice.tuning_file import write
from ringscope.contracts.protocol import Load
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.machine import Machine
from ringscope.engine import cores
from ringscope.rank import api, machine
from ringscope.rank.load import LoadMeter


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[object]:
    """The commands that were run; the first one is real, and so are all others."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run, commands = subprocess.run, []

    def watched(command: object, **more: Any) -> object:
        commands.append(command)
        return run(command, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", watched)
    monkeypatch.setattr(machine, "_TIMEOUT_SECONDS", 600.0)  # a busy machine starts a process late
    others_took(monkeypatch, 0.0)
    return commands


def others_took(monkeypatch: pytest.MonkeyPatch, processors: float) -> None:
    """Let other processes use this many of four processors during the measurement."""
    load = Load(machine="", processors=4, seconds=0.5, busy_seconds=1 + processors * 0.5, own_seconds=1)
    monkeypatch.setattr(LoadMeter, "read", lambda _: load)


def test_it_is_measured_once(measured: list[object]) -> None:
    first = machine.known_machine()
    assert (first.hardware, first.cores) == (cores.hardware(), cores.own_cores().at_once)
    assert first != Machine(hardware=first.hardware, cores=first.cores), "nothing was measured"
    assert machine.known_machine() == first
    assert len(measured) == 1


def test_what_was_measured_beside_other_load_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = [Machine(hardware=cores.hardware(), call_us=call_us) for call_us in (9.0, 1.0, 7.0)]
    told = iter([subprocess.CompletedProcess([], 0, stdout=one.model_dump_json()) for one in found])
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: next(told))
    others_took(monkeypatch, 1.0)
    assert machine.known_machine() == found[0], "it is better than nothing"
    others_took(monkeypatch, 0.1)
    assert [machine.known_machine() for _ in range(2)] == [found[1]] * 2


def test_two_agents_with_other_cores_do_not_take_turns_in_measuring(
    measured: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [Machine(hardware=f"x; cores [{core}]", call_us=1.0 + core) for core in (0, 1)]
    for one in both:
        machine._write(machine._path(one.hardware), one)
    for one in both:
        monkeypatch.setattr(machine, "hardware", lambda one=one: one.hardware)
        assert machine.known_machine() == one
    assert measured == []


def test_another_hardware_is_measured_anew(measured: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    machine._write(machine._path(cores.hardware()), Machine(hardware="the one before", cores=64))
    assert machine.known_machine().cores == cores.own_cores().at_once
    assert len(measured) == 1


def test_where_it_cannot_be_measured_the_models_own_machine_stands_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(machine.sys, "executable", str(tmp_path / "none"))
    here = Machine(hardware=cores.hardware(), cores=cores.own_cores().at_once)
    assert machine.known_machine() == here
    assert not machine._path(cores.hardware()).exists(), "so that the next start tries again"


def test_where_ranks_may_run_nothing_is_measured_beside_them(measured: list[object]) -> None:
    here = Machine(hardware=cores.hardware(), cores=cores.own_cores().at_once)
    assert machine.known_machine(may_measure=False) == here
    assert measured == []


def on_cores(count: int, call_us: float) -> Machine:
    """Return a machine with this processor, as measured on ``count`` cores; one rank has fewer of them."""
    processor, _, rest = cores.hardware().partition("; cores ")
    line = f"{processor}; cores {list(range(count))}, {count} at once; {rest.rpartition('; ')[2]}"
    return Machine(hardware=line, cores=count, call_us=call_us)


def test_a_program_under_mpiexec_goes_by_what_was_measured_here_though_it_is_bound(
    measured: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for one in (on_cores(64, 2.5), on_cores(3, 9.0), Machine(hardware="another; cores [0], 1 at once; NumPy 2")):
        machine._write(machine._path(one.hardware), one)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0}, raising=False)
    monkeypatch.setenv("RINGSCOPE_TUNING", str(tmp_path / "tuning.json"))
    monkeypatch.setattr(api, "_communicator", None)
    monkeypatch.setattr(api, "Communicator", lambda *_, table, **__: table)
    table = api.init()
    bound = Machine(hardware=cores.hardware(), cores=1, call_us=2.5)
    assert table() == Table(machine=bound)
    write(tmp_path / "tuning.json", Table(machine=Machine(hardware="another; cores [0], 1 at once; NumPy 2")))
    assert table() == Table(machine=bound), "a file from another machine says nothing about this one's speed"
    tuned = Table(machine=on_cores(2, 7.0))
    write(tmp_path / "tuning.json", tuned)
    assert table() == tuned
    assert measured == [], "ranks would disturb it"

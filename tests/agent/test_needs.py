"""The agent checks what a node needs to run ranks before it reports ready."""

import asyncio
import resource
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.errors import UserError
from ringscope_agent import needs, process_group
from ringscope_agent.launch import mpi_start
from ringscope_agent.needs import find_lacks
from ringscope_agent.settings import AgentSettings

EVERY_KIND = ["benchmark", "training", "script", "strategy_search", "diagnosis"]
AWAY = {"server": "http://10.9.9.9:8000"}


def lacks(mpi_fault: str = "", **settings: object) -> list[tuple[str, list[str]]]:
    found = find_lacks(AgentSettings.model_validate({"name": "n1", "slots": 2} | settings), mpi_fault)
    return [(lack.sentence, list(lack.kinds)) for lack in found]


def test_this_machine_lacks_nothing(tmp_path: Path) -> None:
    assert lacks(scripts=tmp_path) == []


def test_without_mpi_a_node_gets_no_job() -> None:
    assert lacks("MPICH is missing.") == [("MPICH is missing.", EVERY_KIND)]


def test_without_a_folder_for_sockets_a_node_gets_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise UserError("TMPDIR: no folder.")

    monkeypatch.setattr(needs, "socket_room", none)
    assert lacks() == [("TMPDIR: no folder.", EVERY_KIND)]


@pytest.mark.parametrize(("most", "kinds"), [(1, []), (0, EVERY_KIND)])
def test_little_shared_memory_is_told_and_leaves_what_fits(
    monkeypatch: pytest.MonkeyPatch, most: int, kinds: list[str]
) -> None:
    monkeypatch.setattr(needs, "shared_memory_fault", lambda ranks, whole: "" if ranks <= most else "It is too small.")
    assert lacks() == [("It is too small.", kinds)]


def test_few_descriptors_are_raised_or_told(monkeypatch: pytest.MonkeyPatch) -> None:
    limits, raised = {"now": (64, 1024)}, []
    monkeypatch.setattr(resource, "getrlimit", lambda what: limits["now"])
    monkeypatch.setattr(resource, "setrlimit", lambda what, limit: raised.append(limit))
    assert (lacks(), raised) == ([], [(160, 1024)])
    limits["now"] = (64, 64)
    assert lacks() == [
        ("It may open 64 files and 2 slots need 160; raise it with ulimit -n, or lower --slots.", []),
    ]


def test_few_processes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "free_processes", lambda: 9)
    ((sentence, kinds),) = lacks()
    assert sentence.startswith(
        "Its control group lets it start 9 more processes and 2 slots may need 48; raise pids.max"
    )
    assert kinds == []
    monkeypatch.setattr(needs, "free_processes", lambda: None)
    monkeypatch.setattr(needs, "free_user_processes", lambda: 9)
    ((sentence, kinds),) = lacks()
    assert sentence.startswith("Its user's limit lets it start 9 more processes and 2 slots may need 48; raise it with")
    assert kinds == []


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.1.1", "localhost"])
def test_an_address_that_others_cannot_reach_is_told(address: str) -> None:
    assert lacks(address=address) == []  # the server is here, too
    ((sentence, _),) = lacks(address=address, **AWAY)
    assert sentence.startswith(f"Its address {address} means this machine alone, and the server is elsewhere")


def test_an_unknown_address_is_told() -> None:
    ((sentence, _),) = lacks(address="n1.invalid", **AWAY)
    assert sentence == "Its address n1.invalid is unknown here; give another with --address, such as its number."


def test_scripts_that_cannot_be_read_take_scripts_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(needs.os, "access", lambda path, mode: False)
    ((sentence, kinds),) = lacks(scripts=tmp_path)
    assert (kinds, f"{tmp_path} cannot be read" in sentence) == (["script"], True)


async def test_one_rank_of_mpi_starts_here() -> None:
    assert await mpi_start.find_fault() == ""


async def test_a_rank_that_cannot_start_is_told_with_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (sys.executable, "-c", "import sys; sys.exit('libfabric is missing')")
    monkeypatch.setattr(mpi_start, "_PROGRAM", program)
    fault = await mpi_start.find_fault()
    assert fault.startswith("A rank of MPI cannot start here (exit code 1): ")
    assert "libfabric is missing" in fault


async def test_a_start_that_hangs_is_ended_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpi_start, "_PROGRAM", (sys.executable, "-c", "import threading; threading.Event().wait()"))
    fault = await mpi_start.find_fault(0.5)
    assert fault.startswith("A rank of MPI did not start within 0.5 s")


async def test_a_start_whose_agent_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    mark = f"9{uuid4().int % 10**8:08d}"
    rank = f"from mpi4py import MPI; open({str(tmp_path / 'begun')!r}, 'w'); MPI.COMM_WORLD.recv(source=0)  # {mark}"
    agent = (
        "import asyncio, sys; from ringscope_agent.launch import mpi_start\n"
        "mpi_start._PROGRAM = (sys.executable, '-c', sys.argv[1]); asyncio.run(mpi_start.find_fault())"
    )
    with await asyncio.to_thread(subprocess.Popen, [sys.executable, "-c", agent, rank]) as process:
        await eventually((tmp_path / "begun").exists)
        assert len(carrying(mark)) == 3, "the agent, mpiexec and the rank"
        process.kill()
    await eventually(lambda: carrying(mark) == [])


def carrying(mark: str) -> list[int]:
    """The processes with this word in their command lines."""
    commands = process_group.with_commands(table := process_group.table(), table)
    return [process.pid for process in commands if mark in process.command]

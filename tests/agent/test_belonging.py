"""Real processes belong to an attempt by their descent or their control group, although they carry no mark."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.agent.conftest import eventually
from tests.agent.groups import needed

from ringscope_agent import process_group
from ringscope_agent.belonging import Belonging
from ringscope_agent.control_group import ControlGroup

# As a shim does: it is a subreaper, and a child of its child leaves everything behind that could be dropped.
SHIM = """
import os, sys
from ringscope_agent import process_group
process_group.become_subreaper()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["sleep", sys.argv[1]], {})
    os._exit(0)
os.wait()
print("started", flush=True)
sys.stdin.read()
"""


class Shim:
    """A stand-in for a shim, and what it has started."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str) -> None:
        self.process = process
        self.mark = mark

    def started(self) -> list[int]:
        table = process_group.table()
        return [
            found.pid for found in process_group.with_commands(table, table) if found.command == f"sleep {self.mark}"
        ]


def started_shim(mark: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SHIM, mark], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.fixture
async def shim() -> AsyncIterator[Shim]:
    mark = f"9{uuid4().int % 10**8:08d}"
    process = started_shim(mark)
    process_group.manage(process.pid)
    assert process.stdin is not None and process.stdout is not None
    process.stdout.readline()
    shim = Shim(process, mark)
    await eventually(lambda: len(shim.started()) == 1)
    yield shim
    for pid in shim.started():
        os.kill(pid, signal.SIGKILL)
    process.stdin.close()
    process.stdout.close()
    await asyncio.to_thread(process.wait)
    process_group.release(process.pid)


@pytest.fixture(scope="module", autouse=True)
def subreaper() -> Iterator[None]:
    process_group.become_subreaper()
    yield
    process_group.reap_orphans()


def sleeping(group: ControlGroup | None = None) -> subprocess.Popen[bytes]:
    enter = None if group is None else group.enter
    return subprocess.Popen(["/bin/sleep", "1000"], env={}, start_new_session=True, preexec_fn=enter)


def belonging(folder: Path) -> Belonging:
    return Belonging(uuid4().hex, folder, folder / "note")


async def test_what_descends_from_a_shim_is_ended_without_any_mark(shim: Shim, tmp_path: Path) -> None:
    ours = belonging(tmp_path)
    ours.follow(shim.process.pid)
    assert [found.pid for found in ours.processes()] == shim.started()
    assert ours.is_provable
    assert await ours.end(1.0) == []
    assert (shim.started(), shim.process.poll()) == ([], None)


async def test_what_a_dead_shim_leaves_comes_to_its_agent_and_is_ended(shim: Shim, tmp_path: Path) -> None:
    ours, other = belonging(tmp_path), belonging(tmp_path / "other")
    ours.follow(shim.process.pid)
    shim.process.kill()
    await asyncio.to_thread(shim.process.wait)
    assert other.processes() == [], "an attempt that has no shim has left nothing"
    assert [found.pid for found in ours.processes()] == shim.started()
    assert ours.is_provable
    assert await ours.end(1.0) == []
    assert shim.started() == []


async def test_a_child_that_is_being_started_is_taken_for_no_orphan(tmp_path: Path) -> None:
    with process_group.starting():
        child = sleeping()
        assert child.pid not in process_group.orphans(process_group.table())
        process_group.manage(child.pid)
    assert child.pid not in process_group.orphans(process_group.table())
    process_group.release(child.pid)
    assert child.pid in process_group.orphans(process_group.table())
    child.kill()
    child.wait()


async def test_a_shim_whose_agent_is_gone_proves_nothing_once_it_is_dead(shim: Shim, tmp_path: Path) -> None:
    ours = belonging(tmp_path)
    ours.follow(shim.process.pid)
    ours._inherits = False  # it is a child of somebody else
    ours.look()
    assert ours.is_provable, "it lives"
    shim.process.kill()
    await asyncio.to_thread(shim.process.wait)
    assert not ours.is_provable
    assert [found.pid for found in ours.processes()] == shim.started(), "what was seen is known by pid and start"
    assert await ours.end(1.0) == []


async def test_a_process_that_came_by_a_known_pid_is_left_alone(shim: Shim, tmp_path: Path) -> None:
    ours = belonging(tmp_path)
    [pid] = shim.started()
    seen = process_group.read(pid)
    assert seen is not None
    ours._seen[pid] = replace(seen, started=seen.started - 1)
    assert ours.processes() == []
    process_group.kill_now([replace(seen, started=seen.started - 1)])
    assert process_group.read(pid) is not None


async def test_a_control_group_alone_is_proof(tmp_path: Path) -> None:
    ours = belonging(tmp_path)
    group = needed(ours.open_group())
    process = sleeping(group)
    process_group.manage(process.pid)
    assert [found.pid for found in ours.processes()] == [process.pid]
    assert ours.is_provable
    assert await ours.end(1.0) == []
    assert await asyncio.to_thread(process.wait) == -signal.SIGTERM
    ours.forget()
    assert not group.path.exists()
    assert ControlGroup.known(tmp_path / "note") is not None, "it is known that it was removed"

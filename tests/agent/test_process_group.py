import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.rank_process import TOKEN_VARIABLE
from ringscope_agent import process_group
from ringscope_agent.process_group import Process

STUBBORN = """
import os, signal, threading
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
print(os.getpid(), flush=True)
threading.Event().wait()
"""
CLEARED = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import threading; print(1, flush=True); threading.Event().wait()"], env={})
"""


HOME = Path("/data/of/this/agent")


@pytest.fixture
def token() -> Iterator[str]:
    token = uuid.uuid4().hex
    yield token
    process_group.kill_now(process_group.processes_of(token, HOME))


def start(token: str, program: str, lines: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {TOKEN_VARIABLE: token, process_group.HOME_VARIABLE: str(HOME)},
        stdout=subprocess.PIPE,
    )
    process_group.manage(process.pid)  # its exit code is this test's, not the reaper's
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    process.stdout.close()
    return process


async def end(token: str, home: Path, grace_seconds: float) -> list[Process]:
    return await process_group.end_processes(lambda: process_group.processes_of(token, home), grace_seconds)


async def test_a_double_forked_child_that_ignores_sigterm_is_found_killed_and_proven_gone(token: str) -> None:
    process = start(token, STUBBORN, lines=2)
    assert len(process_group.processes_of(token)) == 2
    assert await end(token, HOME, 0.2) == []
    assert process_group.processes_of(token) == []
    assert await asyncio.to_thread(process.wait) == -9


async def test_a_child_that_cleared_its_environment_is_found_by_its_parent(token: str) -> None:
    process = start(token, CLEARED, lines=1)
    assert len(process_group.processes_of(token)) == 2
    assert await end(token, HOME, 2.0) == []
    assert await asyncio.to_thread(process.wait) == -15


async def test_another_token_is_left_alone(token: str) -> None:
    process = start(token, CLEARED, lines=1)
    other = uuid.uuid4().hex
    assert await end(other, HOME, 0.2) == []
    assert process.poll() is None
    process_group.kill_now(process_group.processes_of(token, HOME))
    await asyncio.to_thread(process.wait)


async def test_the_share_of_another_agent_on_this_machine_is_left_alone(token: str) -> None:
    process = start(token, CLEARED, lines=1)
    assert await end(token, Path("/data/of/another/agent"), 0.2) == []
    assert process.poll() is None
    process_group.kill_now(process_group.processes_of(token, HOME))
    await asyncio.to_thread(process.wait)


async def test_what_cannot_be_ended_is_named(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    process = start(token, STUBBORN, lines=2)
    with monkeypatch.context() as patch:
        patch.setattr(process_group, "_send", lambda *_: None)
        patch.setattr(process_group, "KILL_SECONDS", 0.1)
        left = await end(token, HOME, 0.1)
    assert process.pid in {found.pid for found in left}
    assert len(left) == 2
    assert await end(token, HOME, 0.0) == []
    await asyncio.to_thread(process.wait)


async def test_what_is_stopped_ends_at_once_and_not_only_after_the_grace(token: str) -> None:
    process = start(token, CLEARED, lines=1)
    process.send_signal(signal.SIGSTOP)
    await eventually(lambda: process_group.state_of(process.pid) == "T")
    async with asyncio.timeout(20):
        assert await end(token, HOME, 60) == []
    assert await asyncio.to_thread(process.wait) == -15
    assert process_group.state_of(process.pid) == ""

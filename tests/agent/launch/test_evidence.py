"""The agent finds out what living ranks do, also what a stopped rank does, and without tools that are missing."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.protocol import MAX_STACK_CHARACTERS
from ringscope_agent import process_group
from ringscope_agent.launch import evidence

PROGRAM = """
import sys
from ringscope.rank import stacks
stacks.answer(sys.argv[1] or None, 0)
def wait_for_a_message_that_never_comes(depth):
    if depth: return wait_for_a_message_that_never_comes(depth - 1)
    sys.stdin.readline()
print("ready", flush=True)
wait_for_a_message_that_never_comes(int(sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def no_spy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "spy_program", lambda: None)


async def started(folder: str, depth: int = 0) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, folder, str(depth)]
    rank = await asyncio.to_thread(subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert rank.stdout is not None and rank.stdout.readline() == b"ready\n"
    await eventually(lambda: process_group.state_of(rank.pid) == "S")
    return rank


@pytest.fixture
async def rank(tmp_path: Path) -> AsyncIterator[subprocess.Popen[bytes]]:
    with await started(str(tmp_path)) as rank:
        yield rank
        rank.kill()


async def test_a_rank_that_waits_says_where(rank: subprocess.Popen[bytes], tmp_path: Path) -> None:
    (found,) = await evidence.take({0: rank.pid}, tmp_path)
    assert (found.rank, found.state, found.source) == (0, "S", "faulthandler")
    assert "wait_for_a_message_that_never_comes" in found.stack
    again = (await evidence.take({0: rank.pid}, tmp_path))[0]
    assert again.stack.count("Current thread") == 1, "only what was written this time"


async def test_a_stopped_rank_says_where_it_was_stopped(rank: subprocess.Popen[bytes], tmp_path: Path) -> None:
    os.kill(rank.pid, signal.SIGSTOP)
    await eventually(lambda: process_group.state_of(rank.pid) == "T")
    (found,) = await evidence.take({0: rank.pid}, tmp_path)
    assert (found.state, found.source) == ("T", "faulthandler")
    assert "wait_for_a_message_that_never_comes" in found.stack


async def test_a_long_stack_keeps_both_ends(tmp_path: Path) -> None:
    with await started(str(tmp_path), depth=90) as rank:
        (found,) = await evidence.take({0: rank.pid}, tmp_path)
        rank.kill()
    assert len(found.stack) <= MAX_STACK_CHARACTERS and "\n…\n" in found.stack
    assert found.stack.startswith("Current thread") and found.stack.rstrip().endswith("<module>")


async def test_ranks_that_cannot_be_asked_are_told_of_and_not_ended(tmp_path: Path) -> None:
    with await started("") as gone:
        gone.kill()
    with await started("") as deaf:
        found = await evidence.take({0: deaf.pid, 1: gone.pid}, tmp_path)
        assert deaf.poll() is None
        deaf.kill()
    assert [one.source for one in found] == ["", ""]
    assert found[0].stack == "It gave no answer (state S)."
    assert found[1].stack == "It has ended."


async def test_py_spy_is_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = tmp_path / "py-spy"
    spy.write_text('#!/bin/sh\necho "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setattr(evidence, "spy_program", lambda: str(spy))
    (found,) = await evidence.take({5: os.getpid()}, tmp_path)
    assert (found.source, found.stack) == ("py-spy", f"dump --nonblocking --pid {os.getpid()}\n")

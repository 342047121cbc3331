"""Frozen control groups of both versions, as this system has them."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agent.conftest import eventually
from tests.agent.groups import FREEZERS, Freezer, freezer_of, made_group

from ringscope_agent import process_group
from ringscope_agent.belonging import Belonging
from ringscope_agent.control_group import MEMBERS
from ringscope_agent.launch.stopped import LOOK_SECONDS, STOPPED_SECONDS, StoppedWatch
from ringscope_agent.process_group import FROZEN, standstill_of


@pytest.fixture(params=FREEZERS, ids=["version 2", "version 1"])
def freezer(request: pytest.FixtureRequest) -> Iterator[Freezer]:
    with freezer_of(request.param) as freezer:
        yield freezer


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["/bin/sleep", "1000"])
    process_group.manage(process.pid)
    yield process
    process.kill()
    process.wait()
    process_group.release(process.pid)


async def test_a_frozen_process_is_told_from_one_that_waits(freezer: Freezer, process: subprocess.Popen[bytes]) -> None:
    await eventually(lambda: standstill_of(process.pid) == "S")
    freezer.freeze(process.pid)
    await eventually(lambda: standstill_of(process.pid) == FROZEN)
    watch = StoppedWatch()
    for look in range(int(STOPPED_SECONDS / LOOK_SECONDS) + 1):
        found = watch.look({"Rank 1": process.pid}, {"Rank 1": FROZEN}, look * LOOK_SECONDS)
    assert found is not None
    how = "has been frozen for 5 s (by its control group)"
    assert found.sentence("n1") == f"Rank 1 on node n1 (pid {process.pid}) {how}"
    freezer.thaw()
    await eventually(lambda: standstill_of(process.pid) == "S")


@pytest.mark.parametrize(("grace_seconds", "number"), [(0.0, signal.SIGKILL), (60.0, signal.SIGTERM)])
async def test_what_is_frozen_ends_at_once(
    freezer: Freezer, process: subprocess.Popen[bytes], grace_seconds: float, number: int
) -> None:
    freezer.freeze(process.pid)
    await eventually(lambda: standstill_of(process.pid) == FROZEN)
    found = process_group.table()[process.pid]
    async with asyncio.timeout(20):
        alive = lambda: [found] if process_group.read(process.pid) is not None else []  # noqa: E731
        assert await process_group.end_processes(alive, grace_seconds) == []
    assert await asyncio.to_thread(process.wait) == -number


async def test_an_attempt_whose_own_group_is_frozen_ends(process: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with made_group(tmp_path / "note") as group:
        (group.path / MEMBERS).write_text(str(process.pid))
        for name, word in (("cgroup.freeze", "1"), ("freezer.state", "FROZEN")):
            if (group.path / name).exists():
                (group.path / name).write_text(word)
        await eventually(lambda: standstill_of(process.pid) == FROZEN)
        async with asyncio.timeout(20):
            assert await Belonging("no token", tmp_path, tmp_path / "note").end(60.0) == []
        assert await asyncio.to_thread(process.wait) == -signal.SIGTERM


def test_no_process_is_frozen_that_is_not_there() -> None:
    assert standstill_of(2**22 + 1) == ""
    assert standstill_of(os.getpid()) == "R"

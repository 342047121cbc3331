"""The watch finds stopped launchers and the end of all ranks by looking at real processes."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.record import Done, Hello
from ringscope_agent import process_group
from ringscope_agent.launch.launcher_watch import FINISH_SECONDS, LEFT_SECONDS, LauncherWatch
from ringscope_agent.launch.outcome import RankBoard
from ringscope_agent.launch.stopped import LOOK_SECONDS, STOPPED_SECONDS

Start = Callable[[], subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    processes: list[subprocess.Popen[bytes]] = []

    def started() -> subprocess.Popen[bytes]:
        processes.append(subprocess.Popen(["/bin/sleep", "1000"]))
        process_group.manage(processes[-1].pid)
        return processes[-1]

    yield started
    for process in processes:
        process.kill()
        process.wait()
        process_group.release(process.pid)


def board_of(*ranks: subprocess.Popen[bytes]) -> RankBoard:
    board = RankBoard(range(len(ranks)))
    for rank, process in enumerate(ranks):
        hello = Hello(rank=rank, local_rank=rank, ranks=len(ranks), pid=process.pid, host="h", device="cpu", time_ns=1)
        board.fold(hello)
    return board


def look_for(watch: LauncherWatch, launchers: dict[str, int], began: float, seconds: float) -> float:
    """Look again and again for so long, by a clock that is set; the time of the last look."""
    now = began
    while now < began + seconds:
        now += LOOK_SECONDS
        watch.look(launchers, None, now)
    return now


async def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    await eventually(lambda: process_group.state_of(process.pid) == "T")


async def test_a_stopped_launcher_is_told_from_one_that_waits(start: Start) -> None:
    mpiexec, proxy, rank = start(), start(), start()
    watch = LauncherWatch(board_of(rank), is_alone=True)
    launchers = {"mpiexec": mpiexec.pid, "hydra_pmi_proxy": proxy.pid}
    now = look_for(watch, launchers, 0.0, 100.0)
    assert watch.stopped is None
    await stop(proxy)
    look_for(watch, launchers, now, STOPPED_SECONDS + 2 * LOOK_SECONDS)
    assert watch.stopped is not None
    assert (watch.stopped.name, watch.stopped.pid) == ("hydra_pmi_proxy", proxy.pid)


async def test_ranks_are_over_once_they_are_done_and_have_ended_whoever_holds_their_pipes(start: Start) -> None:
    ranks = [start(), start()]
    board = board_of(*ranks)
    watch = LauncherWatch(board, is_alone=True)
    now = look_for(watch, {}, 0.0, LOOK_SECONDS)
    for rank in (0, 1):
        board.fold(Done(rank=rank, dropped=0))
    now = look_for(watch, {}, now, 100.0)
    assert not watch.ranks_are_over, "they run on, as whoever has threads or handlers at the exit does"
    for process in ranks:
        process.kill()
    await eventually(lambda: all(process_group.state_of(process.pid) == "Z" for process in ranks))
    now = look_for(watch, {}, now, LOOK_SECONDS)
    assert not watch.ranks_are_over, "Hydra has a moment to end by itself"
    look_for(watch, {}, now, LEFT_SECONDS + LOOK_SECONDS)
    assert watch.ranks_are_over


async def test_ranks_that_ended_without_being_done_are_not_over(start: Start) -> None:
    rank = start()
    watch = LauncherWatch(board_of(rank), is_alone=True)
    rank.kill()
    await eventually(lambda: process_group.state_of(rank.pid) == "Z")
    look_for(watch, {}, 0.0, 100.0)
    assert not watch.ranks_are_over


@pytest.mark.parametrize("is_alone", [True, False])
async def test_a_rank_that_is_stopped_after_it_was_done_is_waited_for_only_by_other_nodes(
    start: Start, is_alone: bool
) -> None:
    rank = start()
    board = board_of(rank)
    watch = LauncherWatch(board, is_alone)
    board.fold(Done(rank=0, dropped=0))
    await stop(rank)
    look_for(watch, {}, 0.0, STOPPED_SECONDS + LEFT_SECONDS + 3 * LOOK_SECONDS)
    assert watch.ranks_are_over == is_alone
    assert watch.lingering_pids == ({} if is_alone else {0: rank.pid})


@pytest.mark.parametrize("is_alone", [True, False])
async def test_a_rank_that_waits_in_its_end_for_a_stopped_one_is_waited_for_a_while(
    start: Start, is_alone: bool
) -> None:
    ranks = [start(), start()]
    board = board_of(*ranks)
    watch = LauncherWatch(board, is_alone)
    for rank in (0, 1):
        board.fold(Done(rank=rank, dropped=0))
    await stop(ranks[0])
    now = look_for(watch, {}, 0.0, STOPPED_SECONDS + LEFT_SECONDS + 3 * LOOK_SECONDS)
    assert not watch.ranks_are_over
    look_for(watch, {}, now, FINISH_SECONDS)
    assert watch.ranks_are_over == is_alone
    assert watch.stopped_done is not None
    assert (watch.stopped_done.name, watch.stopped_done.pid) == ("Rank 0", ranks[0].pid)


async def test_a_rank_that_is_stopped_before_it_said_hello_is_found_as_a_child_of_the_proxy() -> None:
    program = 'import os, subprocess; subprocess.run(["/bin/sleep", "1000"], env={"PMI_RANK": "3"})'
    proxy = await asyncio.to_thread(subprocess.Popen, [sys.executable, "-c", program])
    process_group.manage(proxy.pid)
    try:
        await eventually(lambda: process_group.children_of(proxy.pid) != [])
        [rank] = process_group.children_of(proxy.pid)
        await eventually(lambda: process_group.environment_of(rank).get(b"PMI_RANK") == b"3")
        watch = LauncherWatch(RankBoard(range(3, 4)), is_alone=True)
        process_group._send(process_group.table()[rank], signal.SIGSTOP)
        await eventually(lambda: process_group.state_of(rank) == "T")
        for place in range(int(STOPPED_SECONDS / LOOK_SECONDS) + 2):
            watch.look({}, proxy.pid, place * LOOK_SECONDS)
        assert watch.stopped_rank is not None
        assert (watch.stopped_rank.name, watch.stopped_rank.pid) == ("Rank 3", rank)
        process_group.kill_now([process_group.table()[rank]])
    finally:
        proxy.kill()
        proxy.wait()
        process_group.release(proxy.pid)

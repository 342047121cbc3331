"""Both ends of a keeper's control socket."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.protocol import Proxy
from ringscope_agent.launch.control import Status, Wanted
from ringscope_agent.launch.control_server import ControlServer
from ringscope_agent.launch.keeper_link import KeeperLink

PROXY = Proxy(control_host="10.0.0.1", control_port=4000, proxy_id=1)


class Ends:
    """A keeper's end, and what it was told."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "keeper.sock"
        self.wanted: list[Wanted] = []
        self.status = Status()
        self.links: list[KeeperLink] = []
        self.server = ControlServer(self.wanted.append, lambda: self.status)

    async def connect(self) -> tuple[KeeperLink, asyncio.Event]:
        news = asyncio.Event()
        link = await KeeperLink.connect(self.path, news.set)
        self.links.append(link)
        return link, news


@pytest.fixture
async def ends(tmp_path: Path) -> AsyncIterator[Ends]:
    ends = Ends(tmp_path)
    await ends.server.start(ends.path)
    yield ends
    await ends.server.close()
    for link in ends.links:
        await eventually(lambda link=link: link.is_gone)


async def test_whoever_connects_is_told_all_and_then_what_changes(ends: Ends) -> None:
    ends.status.is_listening = True
    ends.status.proxies = [PROXY]
    link, news = await ends.connect()
    await news.wait()
    news.clear()
    assert link.status == Status(is_listening=True, proxies=[PROXY])
    assert link.pid == os.getpid()
    ends.status.is_running = True
    ends.server.tell()
    await news.wait()
    assert link.status.is_running
    later, news = await ends.connect()
    await news.wait()
    assert later.status == link.status


async def test_what_is_wanted_is_said_once(ends: Ends) -> None:
    link, _ = await ends.connect()
    for wanted in (Wanted(launch=True), Wanted(launch=True), Wanted(launch=True, proxy=PROXY)):
        link.want(wanted)
    await eventually(lambda: len(ends.wanted) == 2)
    assert ends.wanted == [Wanted(launch=True), Wanted(launch=True, proxy=PROXY)]


async def test_a_grown_spool_is_told_without_the_status(ends: Ends) -> None:
    link, news = await ends.connect()
    await news.wait()
    news.clear()
    before = link.status
    for _ in range(100):
        ends.server.nudge()
    await news.wait()
    assert link.status is before


async def test_the_keeper_knows_how_long_no_agent_was_there(ends: Ends) -> None:
    await eventually(lambda: ends.server.alone_seconds > 0)
    first, _ = await ends.connect()
    second, _ = await ends.connect()
    await eventually(lambda: len(ends.server.agent_pids) == 2)
    assert ends.server.alone_seconds == 0
    first._writer.close()
    await eventually(lambda: first.is_gone)
    assert ends.server.alone_seconds == 0, "its successor is there"
    second._writer.close()
    await eventually(lambda: ends.server.alone_seconds > 0)


async def test_a_keeper_that_ends_is_gone_and_nobody_answers_any_more(ends: Ends) -> None:
    link, news = await ends.connect()
    await news.wait()
    news.clear()
    await ends.server.close()
    await eventually(lambda: link.is_gone)
    await news.wait()
    link.want(Wanted(close=True))
    with pytest.raises(OSError):
        await ends.connect()


async def test_a_keeper_that_is_stopped_is_found_by_its_pid_although_it_answers_nothing(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        link = await KeeperLink.connect(tmp_path / "s", lambda: None)
        assert (link.pid, link.status, link.is_gone) == (os.getpid(), Status(), False)
    await eventually(lambda: link.is_gone)


async def test_an_agent_that_is_stopped_counts_as_away_and_is_back_when_it_goes_on(ends: Ends) -> None:
    program = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\nwhile s.recv(99): pass"
    agent = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(ends.path))
    await eventually(lambda: ends.server.agent_pids == [agent.pid])
    assert ends.server.alone_seconds == 0
    agent.send_signal(signal.SIGSTOP)
    await eventually(lambda: ends.server.alone_seconds > 0)
    agent.send_signal(signal.SIGCONT)
    await eventually(lambda: ends.server.alone_seconds == 0)
    agent.kill()
    await agent.wait()
    await eventually(lambda: ends.server.agent_pids == [])


async def test_an_agent_that_is_stopped_and_reads_nothing_does_not_keep_its_keeper_from_ending(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringscope_agent.launch.control_server.CLOSE_SECONDS", 0.05)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.connect(str(ends.path))
        await eventually(lambda: bool(ends.server.agent_pids))
        ends.status.proxies = [PROXY] * 100_000
        ends.server.tell()
        async with asyncio.timeout(20):
            await ends.server.close()

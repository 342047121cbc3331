"""Both ends of a shim's control socket."""

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
from ringscope_agent.shim.connection import ShimConnection
from ringscope_agent.shim.messages import Status, Wanted
from ringscope_agent.shim.server import ControlServer

PROXY = Proxy(control_host="10.0.0.1", control_port=4000, proxy_id=1)


class Ends:
    """A shim's end of its connection, and the messages that it got."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "shim.sock"
        self.wanted: list[Wanted] = []
        self.status = Status()
        self.links: list[ShimConnection] = []
        self.server = ControlServer(self.wanted.append, lambda: self.status)

    async def connect(self) -> tuple[ShimConnection, asyncio.Event]:
        news = asyncio.Event()
        link = await ShimConnection.connect(self.path, news.set)
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


async def test_the_shim_knows_how_long_no_agent_was_there(ends: Ends) -> None:
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


async def test_a_shim_that_ends_is_gone_and_nobody_answers_any_more(ends: Ends) -> None:
    link, news = await ends.connect()
    await news.wait()
    news.clear()
    await ends.server.close()
    await eventually(lambda: link.is_gone)
    await news.wait()
    link.want(Wanted(close=True))
    with pytest.raises(OSError):
        await ends.connect()


async def test_a_shim_that_is_stopped_is_found_by_its_pid_although_it_answers_nothing(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        link = await ShimConnection.connect(tmp_path / "s", lambda: None)
        assert (link.pid, link.status, link.is_gone) == (os.getpid(), Status(), False)
    await eventually(lambda: link.is_gone)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Call a process that does not answer mute after a tenth of a second, however busy this machine is."""
    monkeypatch.setattr("ringscope_agent.launch.mute.MUTE_SECONDS", 0.1)
    monkeypatch.setattr("ringscope_agent.shim.connection.LOOK_SECONDS", 0.01)
    for end in ("connection", "server"):
        monkeypatch.setattr(f"ringscope_agent.shim.{end}.crowding", lambda: 1.0)


@pytest.mark.usefixtures("impatient")
async def test_a_shim_that_was_heard_and_then_answers_nothing_is_mute(tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(Status(answers=True).model_dump_json().encode() + b"\n")
        assert await reader.readline() == b"\n"
        asked.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_unix_server(answer_once, path=str(tmp_path / "s"))
    link = await ShimConnection.connect(tmp_path / "s", lambda: None)
    await asked.wait()
    assert link.mute("The shim") is None
    await eventually(lambda: link.mute("The shim") is not None)
    link._writer.close()
    server.close()
    await eventually(lambda: link.is_gone)
    assert link.mute("The shim") is None, "it is gone, which says more"


@pytest.mark.usefixtures("impatient")
async def test_a_shim_that_says_nothing_at_all_is_mute(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        link = await ShimConnection.connect(tmp_path / "s", lambda: None)
        await eventually(lambda: link.mute("The shim") is not None)
    await eventually(lambda: link.is_gone)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("answers", [True, False])
async def test_a_shim_that_goes_on_is_not_mute_nor_is_one_that_cannot_be_asked(ends: Ends, answers: bool) -> None:
    ends.status.answers = answers
    link, _ = await ends.connect()
    began = asyncio.get_running_loop().time()
    await eventually(lambda: (link._mute._looked_at or 0.0) > began + 0.3)
    assert link.mute("The shim") is None
    assert not link._owes_answer or answers
    assert ends.wanted == [], "a question is no wish"


@pytest.mark.usefixtures("impatient")
async def test_an_agent_that_asked_and_no_longer_does_counts_as_away_and_is_back_when_it_asks_again(ends: Ends) -> None:
    with socket.socket(socket.AF_UNIX) as agent:
        agent.connect(str(ends.path))
        await eventually(lambda: bool(ends.server.agent_pids))
        assert ends.server.alone_seconds == 0
        await asyncio.sleep(0.2)
        assert ends.server.alone_seconds == 0, "one of an older version never asks"
        agent.sendall(b"\n")
        await eventually(lambda: ends.server.alone_seconds > 0)
        assert "has not answered for" in ends.server.why_alone(20.0)
        agent.sendall(b"\n")
        await eventually(lambda: ends.server.alone_seconds == 0)


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


async def test_an_agent_that_is_stopped_and_reads_nothing_does_not_keep_its_shim_from_ending(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringscope_agent.shim.server.CLOSE_SECONDS", 0.05)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.connect(str(ends.path))
        await eventually(lambda: bool(ends.server.agent_pids))
        ends.status.proxies = [PROXY] * 100_000
        ends.server.tell()
        async with asyncio.timeout(20):
            await ends.server.close()


async def test_a_shim_that_is_stopped_on_its_last_steps_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringscope_agent.shim.connection.EXIT_SECONDS", 0.1)
    program = (
        "import os, signal, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()\n"
        "print(flush=True); s.accept()[0].close(); os.kill(os.getpid(), signal.SIGSTOP)"
    )
    path = tmp_path / "s"
    shim = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(path), stdout=asyncio.subprocess.PIPE
    )
    assert shim.stdout is not None and await shim.stdout.readline() == b"\n"
    link = await ShimConnection.connect(path, lambda: None)
    await eventually(lambda: link.is_gone)
    assert await link.wait_until_gone(60.0)
    assert await shim.wait() in (0, -signal.SIGKILL)

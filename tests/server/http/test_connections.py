"""Clients that connect and say nothing, or too little: they need no token, and must not keep others out."""

import asyncio
import os
import re
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
import uvicorn
from tests.server.conftest import Clock

from ringscope_server.__main__ import listen
from ringscope_server.http import ui
from ringscope_server.http.middleware.connections import (
    IDLE_SECONDS,
    LEAST_BYTES_PER_SECOND,
    MOST_DESCRIPTORS,
    MOST_REQUEST_SECONDS,
    REQUEST_SECONDS,
    RESERVED_DESCRIPTORS,
    UNREAD_SECONDS,
    Connection,
    Connections,
    raise_limit,
)

DEADLINE_SECONDS = 60


@pytest.mark.parametrize(
    ("limits", "raised", "room"),
    [
        ((1024, 4096), (4096, 4096), (4096 - RESERVED_DESCRIPTORS) // 2),
        (
            (1024, resource.RLIM_INFINITY),
            (MOST_DESCRIPTORS, resource.RLIM_INFINITY),
            (MOST_DESCRIPTORS - RESERVED_DESCRIPTORS) // 2,
        ),
        ((100, 100), None, 25),
    ],
)
def test_the_limit_of_descriptors_is_raised_as_far_as_it_goes_and_a_client_has_two(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], raised: tuple[int, int] | None, room: int
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda what, wanted: told.append(wanted))
    assert raise_limit() == room
    assert told == ([] if raised is None else [raised])


class FakeConnection:
    """Notes that it was closed."""

    def __init__(self) -> None:
        self.is_open = True
        self.moves = False

    def abort(self) -> None:
        self.is_open = False

    def is_moving(self) -> bool:
        return self.moves


def all_of_them(clock: Clock, most: int = 100) -> Connections:
    return Connections(most, clock=lambda: clock.elapsed)


def test_who_asks_nothing_is_closed_and_who_is_being_answered_is_not(clock: Clock) -> None:
    connections, silent, answered = all_of_them(clock), FakeConnection(), FakeConnection()
    connections.wait(silent, REQUEST_SECONDS)
    connections.wait(answered, REQUEST_SECONDS)
    connections.end(answered)
    clock.advance(REQUEST_SECONDS - 1)
    connections.sweep()
    assert silent.is_open
    clock.advance(1)
    connections.sweep()
    assert (silent.is_open, answered.is_open) == (False, True)


def test_a_slow_link_has_time_and_a_byte_now_and_then_gives_none(clock: Clock) -> None:
    connections, slow, trickling = all_of_them(clock), FakeConnection(), FakeConnection()
    for connection in (slow, trickling):
        connections.wait(connection, REQUEST_SECONDS, MOST_REQUEST_SECONDS)
    for second in range(int(MOST_REQUEST_SECONDS)):
        assert slow.is_open
        assert trickling.is_open == (second < REQUEST_SECONDS + 1)
        connections.heard(slow, 1000)
        connections.heard(trickling, 1)
        clock.advance(1)
        connections.sweep()
    assert not slow.is_open, "nothing takes for ever"


def test_who_takes_a_long_answer_slowly_gets_the_whole_of_it(clock: Clock) -> None:
    connections, slow = all_of_them(clock), FakeConnection()
    connections.wait(slow, UNREAD_SECONDS)
    for slow.moves in (True, True, False):
        assert slow.is_open
        clock.advance(UNREAD_SECONDS)
        connections.sweep()
    assert not slow.is_open


def test_where_there_are_too_many_the_longest_silent_ones_go(clock: Clock) -> None:
    connections, some = all_of_them(clock, most=3), [FakeConnection() for _ in range(5)]
    for connection in some:
        connections.wait(connection, REQUEST_SECONDS)
    connections.end(some[0])
    connections.make_room(5)
    assert [connection.is_open for connection in some] == [True, False, False, True, True]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers with its headers once the body is whole, but to `/early` at once."""
    assert scope["type"] == "http"
    while scope["path"] != "/early":
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        if not message["more_body"]:
            break
    body = b" ".join([*(name for name, _ in scope["headers"]), b"ok"])
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


class Served:
    """A real server with a clock that a test turns."""

    def __init__(self, port: int, connections: Connections, clock: Clock) -> None:
        self._port = port
        self._connections = connections
        self._clock = clock
        self._writers: list[asyncio.StreamWriter] = []

    async def client(self, says: bytes = b"") -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers.append(writer)
        await self.say(says)
        return reader

    async def say(self, more: bytes) -> None:
        """Send more from the newest client."""
        self._writers[-1].write(more)
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self._writers[-1].drain()

    async def answer(self) -> bytes:
        """Return the answer to another client, by which the server has read everything that was sent before."""
        reader = await self.client(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        async with asyncio.timeout(DEADLINE_SECONDS):
            return await reader.read()

    def pass_by(self, seconds: float) -> None:
        self._clock.advance(seconds)
        self._connections.sweep()

    def close(self) -> None:
        for writer in self._writers:
            writer.close()


@asynccontextmanager
async def serving(clock: Clock, most: int = 100) -> AsyncIterator[Served]:
    connections = all_of_them(clock, most)
    http: Any = partial(Connection, connections)
    server = uvicorn.Server(uvicorn.Config(app, http=http, ws="none", lifespan="off", log_level="error"))
    listener = listen("127.0.0.1", 0)
    task = asyncio.create_task(server._serve([listener]))
    served = Served(listener.getsockname()[1], connections, clock)
    try:
        yield served
    finally:
        served.close()
        server.should_exit = True
        await task


async def closed(reader: asyncio.StreamReader) -> bytes:
    """Return the bytes that a client still got before the server closed its connection."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        try:
            return await reader.read()
        except ConnectionError:
            return b""


POST = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1"


@pytest.mark.parametrize(
    ("says", "seconds", "answers"),
    [
        (b"", REQUEST_SECONDS, []),
        (b"GET / HTTP/1.1\r\nHos", REQUEST_SECONDS + 1, [408]),
        (POST % b"/", REQUEST_SECONDS + 1, [408]),
        (POST % b"/early", REQUEST_SECONDS + 1, [200]),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", IDLE_SECONDS, [200]),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\nG", REQUEST_SECONDS + 1, [200, 408]),
    ],
)
async def test_a_request_must_come_as_a_whole(
    clock: Clock, says: bytes, seconds: float, answers: Sequence[int]
) -> None:
    async with serving(clock) as served:
        reader = await served.client(says)
        assert (await served.answer()).endswith(b"ok")
        served.pass_by(seconds)
        told = await closed(reader)
        assert [int(status) for status in re.findall(rb"HTTP/1.1 (\d+)", told)] == answers


async def test_a_head_without_end_is_not_kept(clock: Clock) -> None:
    async with serving(clock) as served:
        reader = await served.client(b"GET / HTTP/1.1\r\n")
        with suppress(ConnectionError):
            for _ in range(1000):
                await served.say(b"X-Pad: %s\r\n" % (b"x" * 8000))
        await closed(reader)


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"


async def test_what_follows_the_last_chunk_is_no_header(clock: Clock) -> None:
    async with serving(clock) as served:
        reader = await served.client(CHUNKED + b"2\r\nhi\r\n0\r\nAuthorization: x\r\n\r\n")
        assert (await closed(reader)).endswith(b"host connection transfer-encoding ok")


@pytest.mark.parametrize("more", [b"a: b\r\n" * 1000, b"x" * 8000])
async def test_headers_behind_the_last_chunk_have_an_end(clock: Clock, more: bytes) -> None:
    async with serving(clock) as served:
        reader = await served.client(CHUNKED + b"0\r\na: ")
        with suppress(ConnectionError):
            for _ in range(1000):
                await served.say(more)
        await closed(reader)


async def test_a_long_body_is_no_head(clock: Clock) -> None:
    async with serving(clock) as served:
        reader = await served.client(CHUNKED)
        for _ in range(100):
            await served.say(b"1f40\r\n")
            await served.say(b"x" * 8000 + b"\r\n")
        await served.say(b"0\r\n\r\n")
        assert (await closed(reader)).endswith(b"ok")


def connection_of(connections: Connections) -> Connection:
    config = uvicorn.Config(app)
    config.load()
    state = uvicorn.server.ServerState()
    return Connection(connections, config=config, server_state=state, app_state={})


async def test_the_last_answer_before_a_close_must_be_taken_as_well(clock: Clock) -> None:
    connections = all_of_them(clock)
    connection = connection_of(connections)
    connection.transport = Mock(is_closing=lambda: True, get_write_buffer_size=lambda: 1000)
    connection.connections.add(connection)
    connection.on_response_complete()
    clock.advance(UNREAD_SECONDS)
    connections.sweep()
    connection.transport.abort.assert_called_once()


async def test_an_answer_must_be_taken_as_fast_as_a_request_comes(clock: Clock) -> None:
    connection = connection_of(all_of_them(clock))
    left = 1_000_000
    connection.transport = Mock(get_write_buffer_size=lambda: left)
    connection.is_moving()  # from now on
    left -= 1_000
    assert not connection.is_moving(), "a byte now and then"
    left -= int(LEAST_BYTES_PER_SECOND * UNREAD_SECONDS)
    assert connection.is_moving()
    left = 0
    assert not connection.is_moving(), "it has all of it"


async def test_newcomers_are_answered_however_many_are_silent(clock: Clock) -> None:
    async with serving(clock, most=5) as served:
        silent = [await served.client() for _ in range(20)]
        assert (await served.answer()).endswith(b"ok")
        for reader in silent[:15]:
            await closed(reader)


@contextmanager
def process(data_dir: Path, descriptors: tuple[int, int]) -> Iterator[tuple[int, str]]:
    """A whole server, by its process and its URL."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    command = [sys.executable, "-m", "ringscope_server", "--data-dir", str(data_dir), "--port", "0"]
    with (data_dir / "log").open("w") as log, ExitStack() as held:
        started = held.enter_context(
            subprocess.Popen(
                [*command, "--poll-seconds", "0.1"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=kept,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors),
            )
        )
        held.callback(started.kill)
        assert started.stdout is not None
        yield started.pid, started.stdout.readline().split()[-1]


def slow_socket(address: tuple[str, int]) -> socket.socket:
    """Takes a little of an answer, and leaves the rest with the server."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1460)
    client.connect(address)
    return client


def largest_file() -> bytes:
    """Return the path of the largest file of the built page; / if the page is not built."""
    page = ui.built_files()
    files = [path for path in page.rglob("*") if path.is_file()] if page else []
    largest = max(files, key=lambda path: path.stat().st_size, default=None)
    return f"/{largest.relative_to(page)}".encode() if page and largest else b"/"


@pytest.mark.long  # the gate has five connections and twenty silent clients above
def test_agents_go_on_beside_more_silent_sockets_than_there_are_descriptors(tmp_path: Path) -> None:
    with process(tmp_path, (128, 256)) as (pid, url), ExitStack() as held:
        assert resource.prlimit(pid, resource.RLIMIT_NOFILE) == (256, 256)
        token = (tmp_path / "join-token").read_text().strip()
        address = (httpx.URL(url).host, httpx.URL(url).port or 0)
        agent = held.enter_context(httpx.Client(base_url=url, timeout=DEADLINE_SECONDS))
        agent.headers["Authorization"] = f"Bearer {token}"
        joined = agent.post("/api/v1/agents/join", json={"name": "n1"}).raise_for_status().json()
        agent.headers["Authorization"] = f"Bearer {joined['token']}"
        node = {"name": "n1", "address": "n1", "slots": 1, "metrics_address": "n1:9465", "versions": {}, "labels": {}}
        inventory = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 1, "memory_bytes": 1}
        answer = agent.post("/api/v1/agents/register", json=node | {"inventory": inventory})
        assert answer.status_code == 200, answer.text
        for _ in range(4):
            for _ in range(50):
                held.enter_context(socket.create_connection(address))
                asking = held.enter_context(slow_socket(address))
                with suppress(ConnectionError):  # the server had no room for it
                    asking.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % largest_file())
            poll = {"epoch": answer.json()["epoch"], "seen": -1}
            assert httpx.post(
                f"{url}/api/v1/agents/n1/poll", json=poll, headers=agent.headers, timeout=DEADLINE_SECONDS
            ).is_success
            assert httpx.get(f"{url}/readyz", timeout=DEADLINE_SECONDS).json() == {"status": "ready"}
    assert len((tmp_path / "log").read_text().splitlines()) <= 1  # that it schedules from now on

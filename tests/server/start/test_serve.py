"""The server gives uvicorn a configuration with which small answers are sent at once."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvicorn

from ringscope_server import __main__ as server_main
from ringscope_server.__main__ import StartError, listen
from ringscope_server.settings import Settings

DEADLINE_SECONDS = 60


def config_of_a_server(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> uvicorn.Config:
    """Return the configuration of uvicorn with which a server would run."""
    started: list[uvicorn.Config] = []

    def start(config: uvicorn.Config, *_: object) -> Mock:
        started.append(config)
        raise StartError

    monkeypatch.setattr(server_main, "Server", start)
    monkeypatch.setattr(server_main, "raise_limit", lambda: 1)
    with listen("127.0.0.1", 0) as listener, suppress(StartError):
        server_main.serve(Settings(data_dir=data_dir), listener)
    return started[0]


def test_small_answers_are_sent_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer would wait 42 ms for the acknowledgement of the one before without TCP_NODELAY."""
    config = config_of_a_server(tmp_path, monkeypatch)

    async def is_set() -> bool:
        loop, told = asyncio.get_running_loop(), asyncio.Queue[int]()

        class Telling(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                accepted = transport.get_extra_info("socket")
                told.put_nowait(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

        with listen("127.0.0.1", 0) as listener, socket.socket() as client:
            server = await loop.create_server(Telling, sock=listener)
            client.connect(listener.getsockname())
            async with asyncio.timeout(DEADLINE_SECONDS):
                found = await told.get()
            server.close()
        return bool(found)

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        assert runner.run(is_set())

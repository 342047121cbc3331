"""A lab's relay takes every answer to the client that asked, and ends quietly when it is stopped."""

import asyncio
import gc
import signal
import socket
import subprocess
import sys

import pytest

from ringscope.lab.relay import relay

HERE = "127.0.0.1"
LOOPBACK = "lo"  # a device that is there
DEADLINE_SECONDS = 30.0


async def test_an_answer_reaches_who_has_nothing_more_to_say(capsys: pytest.CaptureFixture[str]) -> None:
    """The tasks that wait for such an answer refer only to each other, and the garbage collector must not take them."""
    is_asked, may_answer, is_over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.read() == b"question"
        is_asked.set()
        await may_answer.wait()
        writer.write(b"answer")
        writer.close()

    async with asyncio.timeout(DEADLINE_SECONDS):
        server = await asyncio.start_server(answer, HERE, 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            running = asyncio.create_task(relay(HERE, HERE, port, LOOPBACK, is_over))
            while not (said := capsys.readouterr().out):  # noqa: ASYNC110 - its port, on standard output
                await asyncio.sleep(0)
            reader, writer = await asyncio.open_connection(HERE, int(said))
            writer.write(b"question")
            writer.write_eof()
            await is_asked.wait()
            gc.collect()
            may_answer.set()
            assert await reader.read() == b"answer"
            writer.close()
            is_over.set()
            await running


async def test_it_ends_with_its_gateway() -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        await relay(HERE, HERE, 1, "removed0", asyncio.Event())


def test_told_to_end_it_does_so_quietly_whoever_still_waits() -> None:
    with socket.create_server((HERE, 0)) as server:
        port = str(server.getsockname()[1])
        command = [sys.executable, "-m", "ringscope.lab.relay", HERE, HERE, port, LOOPBACK]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with running:
            assert running.stdout is not None
            relay_port = int(running.stdout.readline())
            askers = [socket.create_connection((HERE, relay_port)) for _ in range(4)]
            for asker in askers:
                asker.sendall(b"question")
            asked = [server.accept()[0] for _ in askers]
            assert {peer.recv(100) for peer in asked} == {b"question"}
            askers[0].shutdown(socket.SHUT_WR)
            running.send_signal(signal.SIGTERM)
            said = running.communicate(timeout=DEADLINE_SECONDS)
        for one in askers + asked:
            one.close()
    assert (running.returncode, *said) == (0, "", "")

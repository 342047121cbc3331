"""The agent asks NCCL's RAS, of which a fake one gives recorded answers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ringscope_agent.ras_watch import RasWatch

FOREIGN = Path(__file__).parents[1] / "nccl_ras" / "foreign"
BEHIND = (FOREIGN / "status_mismatch_progressing.txt").read_bytes()


@asynccontextmanager
async def ras(answer: bytes, greeting: bytes = b"SERVER PROTOCOL 2\n") -> AsyncIterator[str]:
    """A RAS at an address, which greets and gives one answer to each who asks."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.readline()).startswith(b"CLIENT PROTOCOL ")
        writer.write(greeting)
        if await reader.readline() == b"VERBOSE STATUS\n":
            writer.write(answer)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_the_minority_of_ranks_is_named_and_a_second_answer_says_whether_they_hang() -> None:
    async with ras(BEHIND) as address:
        watch = RasWatch(address)
        assert watch.state() is None
        await watch.ask()
        first = watch.state()
        await watch.ask()
        second = watch.state()
    assert first is not None and second is not None
    assert first.answer.startswith(
        "Ranks 0, 2, 3, 4, 5 and 7 of communicator 27a079b828ff1a75 (32 ranks) are 1 operation"
    )
    assert (first.error, first.communicators, first.remarks[0].ranks) == (None, 1, [0, 2, 3, 4, 5, 7])
    assert [first.remarks[0].kind, second.remarks[0].kind] == ["behind", "hanging"]


async def test_json_that_misses_commas_is_read() -> None:
    whole = (FOREIGN / "status_json_missing_rank.json").read_bytes()
    async with ras(whole.replace(b",\n", b"\n")) as address:
        watch = RasWatch(address)
        await watch.ask()
    state = watch.state()
    assert state is not None and state.is_repaired
    assert "does not answer" in state.answer


@pytest.mark.parametrize(
    ("answer", "greeting", "sentence"),
    [
        (b"", b"HTTP/1.1 400 Bad Request\n", "The answer is no report of RAS: the program there does not speak"),
        (b"hello\n", b"SERVER PROTOCOL 2\n", "The answer is no report of RAS: there is no report of RAS here"),
        (b'{"communicators": [', b"SERVER PROTOCOL 2\n", "The answer is no report of RAS: line 1: the JSON is broken"),
    ],
)
async def test_what_is_no_report_gets_a_sentence(answer: bytes, greeting: bytes, sentence: str) -> None:
    async with ras(answer, greeting) as address:
        watch = RasWatch(address)
        await watch.ask()
    state = watch.state()
    assert state is not None and (state.error or "").startswith(sentence)


async def test_nothing_listens_while_no_job_runs() -> None:
    async with ras(b"") as address:
        pass
    watch = RasWatch(address)
    await watch.ask()
    state = watch.state()
    assert state is not None and (state.error or "").startswith(f"No NCCL job answers at {address} (")

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.record import Done, Hello, Record
from ringscope_agent.telemetry.listener import Listener

HELLO = Hello(rank=3, local_rank=0, ranks=4, pid=1, host="h", time_ns=0).model_dump_json().encode()


class Heard:
    """A listener, and what it passed on."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.records: list[Record] = []
        self.hang_ups: dict[int, int] = {}
        self.complaints: list[str] = []
        self.listener = Listener(self._take, self.hang_ups.__setitem__, self.complaints.append)

    def _take(self, line: bytes, record: Record) -> None:
        self.lines.append(line)
        self.records.append(record)


@pytest.fixture
async def heard(tmp_path: Path) -> AsyncIterator[Heard]:
    heard = Heard()
    await heard.listener.start(tmp_path / "s")
    yield heard
    await heard.listener.close()


async def tell(folder: Path, data: bytes) -> None:
    _, writer = await asyncio.open_unix_connection(folder / "s")
    writer.write(data)
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def test_lines_are_handed_on_untouched_and_the_hang_up_is_told(heard: Heard, tmp_path: Path) -> None:
    spaced = b'{ "type": "done",  "rank": 3, "dropped": 0 }'
    await tell(tmp_path, HELLO + b"\n" + spaced + b"\n")
    await heard.listener.drain(5.0)
    assert heard.lines == [HELLO, spaced]
    assert heard.records[1] == Done(rank=3, dropped=0)
    assert heard.hang_ups == {3: 0}
    assert heard.complaints == []


async def test_nonsense_costs_its_line_only(heard: Heard, tmp_path: Path) -> None:
    await tell(tmp_path, b"nonsense\n" + b'{"type":"dance"}\n' + HELLO + b"\n" + b'{"type":"do')
    await heard.listener.drain(5.0)
    assert heard.lines == [HELLO]
    assert len(heard.complaints) == 3
    assert heard.hang_ups == {3: 0}


async def test_a_line_that_is_too_long_costs_its_line_only(
    heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringscope_agent.telemetry.listener.MAX_RECORD_BYTES", 1000)
    await heard.listener.close()
    await heard.listener.start(tmp_path / "s")
    await tell(tmp_path, b"x" * 5000 + b"\n" + HELLO + b"\n")
    await heard.listener.drain(5.0)
    assert heard.lines == [HELLO]
    assert heard.complaints


async def test_a_stranger_who_never_said_hello_hangs_up_unnoticed(heard: Heard, tmp_path: Path) -> None:
    await tell(tmp_path, b"")
    await heard.listener.drain(5.0)
    assert heard.hang_ups == {}


async def test_hang_ups_are_counted_in_their_order_however_much_is_still_to_be_read(
    heard: Heard, tmp_path: Path
) -> None:
    hellos = [HELLO.replace(b'"rank":3', b'"rank":%d' % rank) + b"\n" for rank in range(3)]
    ranks = [socket.socket(socket.AF_UNIX) for _ in hellos]
    for rank, hello in zip(ranks, hellos, strict=True):
        rank.connect(str(tmp_path / "s"))
        rank.sendall(hello)
    await eventually(lambda: len(heard.records) == len(ranks))
    # All of it happens before the listener gets to read anything.
    ranks[2].sendall(b'{"type":"dance"}\n' * 5000)
    for rank in (2, 0, 1):
        ranks[rank].close()
    await heard.listener.drain(5.0)
    assert len(heard.complaints) == 5000
    assert heard.hang_ups == {2: 0, 0: 1, 1: 2}
    assert list(heard.hang_ups) != [2, 0, 1], "the first was read to its end last"

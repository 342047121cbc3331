"""Lines of output, and lines that are drawn again and again."""

import asyncio

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.record import Log
from ringscope_agent.launch import output
from ringscope_agent.launch.output import Output


async def test_a_redrawn_line_is_told_while_it_changes_and_each_state_replaces_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(output, "REDRAW_SECONDS", 0.01)
    lines: list[Log] = []
    heard: list[tuple[int | None, str]] = []
    reader = asyncio.StreamReader()
    reading = asyncio.create_task(
        Output("stderr", lines.append, lambda rank, text: bool(heard.append((rank, text)))).read(reader)
    )
    for place, piece in enumerate((b"\x1e1\x1f\r 10%\r 20%", b"\x1e1\x1f\r 30%"), start=1):
        reader.feed_data(piece)
        await eventually(lambda place=place: len(lines) == place)
    reader.feed_data(b"\x1e1\x1f\r100%\n\x1e1\x1fnext\n")
    reader.feed_eof()
    await reading
    assert [line.text for line in lines] == [" 20%", " 30%", "100%", "next"]
    assert [line.replaces_ns for line in lines] == [None, lines[0].time_ns, lines[1].time_ns, None]
    assert {(line.rank, line.stream) for line in lines} == {(1, "stderr")}
    assert heard == [(1, "100%"), (1, "next")], "only a finished line is learned from"


async def test_what_was_never_told_before_its_end_replaces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "REDRAW_SECONDS", 1000.0)
    lines: list[Log] = []
    reader = asyncio.StreamReader()
    reader.feed_data(b"\x1e0\x1f 1%\r 2%\r 3%\r\n\x1e0\x1fover")
    reader.feed_eof()
    await Output("stdout", lines.append, lambda *_: False).read(reader)
    assert [(line.text, line.replaces_ns) for line in lines] == [(" 3%", None), ("over", None)]


async def test_a_line_for_somebody_else_is_not_in_the_log() -> None:
    lines: list[Log] = []
    reader = asyncio.StreamReader()
    reader.feed_data(b"HYDRA_LAUNCH_END\nhello\n")
    reader.feed_eof()
    await Output("stdout", lines.append, lambda _, text: text == "HYDRA_LAUNCH_END").read(reader)
    assert [line.text for line in lines] == ["hello"]

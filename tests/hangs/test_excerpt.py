"""The newest operations of a dump are enough for the same verdict."""

from pathlib import Path

import pytest

from ringscope.contracts.protocol import MAX_DUMP_CHARACTERS
from ringscope.hangs import excerpt as module
from ringscope.hangs.dumps import read_dump
from ringscope.hangs.excerpt import excerpt
from ringscope.hangs.model import Dump, Frame
from ringscope.hangs.sentences import answer
from ringscope.hangs.verdict import explain

RECORDED = Path(__file__).with_name("recorded")


def dumps(kind: str) -> list[Dump]:
    return [read_dump(path.name, path.read_bytes()) for path in sorted((RECORDED / kind).glob("dump_?"))]


@pytest.mark.parametrize("kind", ["missing", "order", "size"])
def test_an_excerpt_gives_the_same_answer(kind: str) -> None:
    whole = dumps(kind)
    parts = [read_dump(f"dump_{dump.rank}", excerpt(dump).encode()) for dump in whole]
    assert answer(explain(parts)) == answer(explain(whole))


def test_an_excerpt_has_room_in_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    dump = dumps("missing")[0]
    assert len(excerpt(dump)) <= MAX_DUMP_CHARACTERS
    monkeypatch.setattr(module, "MAX_DUMP_CHARACTERS", 1500)
    short = excerpt(dump)
    assert 0 < len(short) <= 1500
    kept = read_dump("dump_0", short.encode()).operations
    assert kept[-1].record == dump.operations[-1].record, "the newest ones are kept"
    monkeypatch.setattr(module, "MAX_DUMP_CHARACTERS", 10)
    assert excerpt(dump) == ""


def test_the_watch_of_a_script_is_not_taken_for_the_script() -> None:
    assert Frame("/x/ringscope/rank/watch/calls.py", 88, "call").is_internal
    assert not Frame("/x/train.py", 3, "main").is_internal

"""The dumps of a hanging script are asked for, read and cut."""

import asyncio
from pathlib import Path

import pytest
from tests.agent.conftest import eventually

from ringscope.contracts.protocol import RankEvidence
from ringscope.rank.flight_recorder import REQUEST
from ringscope_agent.launch import dumps

RECORDED = Path(__file__).parents[2] / "hangs" / "recorded" / "missing" / "dump_0"


def found(*states: str) -> list[RankEvidence]:
    return [RankEvidence(rank=rank, state=state, source="", stack="") for rank, state in enumerate(states)]


async def test_ranks_answer_a_request_with_their_dumps(tmp_path: Path) -> None:
    async def answer() -> None:
        await eventually((tmp_path / REQUEST).exists)
        (tmp_path / "dump_0").write_bytes(RECORDED.read_bytes())
        (tmp_path / "dump_1.none").touch()

    answering = asyncio.create_task(answer())
    async with asyncio.timeout(10):
        taken = await dumps.add(found("S", "S", "T"), tmp_path)
    await answering
    assert [one.dump is not None for one in taken] == [True, False, False], "a stopped rank is not waited for"
    assert '"entries"' in str(taken[0].dump)


async def test_a_rank_that_does_not_answer_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "DUMP_SECONDS", 0.05)
    (tmp_path / "dump_1").write_text("no dump")
    given = found("S", "S")
    assert await dumps.add(given, tmp_path) == given
    assert await dumps.add(given, tmp_path / "missing") == given


async def test_a_report_has_room_for_the_dumps_of_a_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "MOST_CHARACTERS", 10)
    (tmp_path / "dump_0").write_bytes(RECORDED.read_bytes())
    (taken,) = await dumps.add(found("S"), tmp_path)
    assert taken.dump is None

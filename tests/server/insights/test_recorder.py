"""Dumps of several ranks are explained together, also if they come from different nodes."""

from pathlib import Path

import pytest
from tests.server.insights.test_insights import Cluster, cluster  # noqa: F401 - a fixture

from ringscope.contracts.protocol import RankEvidence
from ringscope.hangs.dumps import read_dump
from ringscope.hangs.excerpt import excerpt
from ringscope_server.insights import recorder

RECORDED = Path(__file__).parents[2] / "hangs" / "recorded" / "missing"


def evidence(rank: int) -> RankEvidence:
    path = RECORDED / f"dump_{rank}"
    text = excerpt(read_dump(path.name, path.read_bytes()))
    return RankEvidence(rank=rank, state="S", source="", stack="", dump=text)


def test_the_ranks_of_two_nodes_are_explained_together() -> None:
    first = recorder.gathered({}, [evidence(0)])
    assert recorder.explained(first) is None, "one dump shows only what its rank waits in"
    found = recorder.explained(recorder.gathered(first, [evidence(1), evidence(2), evidence(3)]))
    assert found is not None
    assert found["findings"][0]["kind"] == "missing"
    assert "not issued operation" in found["answer"]


def test_what_no_dump_is_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [RankEvidence(rank=rank, state="S", source="", stack="", dump="{}") for rank in (0, 1)]
    assert recorder.explained(recorder.gathered({}, odd)) is None
    other = evidence(0).model_copy(update={"rank": 3})
    assert recorder.explained(recorder.gathered({}, [other, evidence(1)])) is None, "it says that it is of another rank"
    monkeypatch.setattr(recorder, "MAX_CHARACTERS", 3)
    assert recorder.shortened(recorder.gathered({}, odd)) == {}, "without room for an operation nothing is kept"


def test_an_insight_keeps_the_newest_operations_in_a_bounded_place(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = recorder.gathered({}, [evidence(rank) for rank in range(4)])
    assert recorder.shortened(whole) == whole
    monkeypatch.setattr(recorder, "MAX_CHARACTERS", sum(map(len, whole.values())) // 2)
    kept = recorder.shortened(whole)
    assert sorted(kept) == ["0", "1", "2", "3"]
    assert sum(map(len, kept.values())) <= recorder.MAX_CHARACTERS
    late = recorder.gathered(recorder.shortened({rank: whole[rank] for rank in "012"}), [evidence(3)])
    answers = [found and found["answer"] for found in map(recorder.explained, (whole, kept, late))]
    assert answers[0]
    assert answers == [answers[0]] * 3, "the newest operations tell the same, also beside a later node's whole dump"


async def test_a_hang_says_what_the_dumps_of_its_ranks_say(cluster: Cluster) -> None:
    await cluster.agent.report(cluster.attempt_id, "stalled", rank=1, message="Rank 1 stands still.")
    taken = [evidence(rank).model_dump() for rank in range(3)]
    for _ in range(2):  # a report may come twice
        response = await cluster.agent.report(cluster.attempt_id, "evidence", evidence=taken)
        assert response.status_code == 204, response.text
    (found,) = await cluster.insights()
    assert found["message"].startswith("Rank 1 stands still. Flight Recorder: ")
    assert found["message"].count("Flight Recorder: ") == 1
    assert found["message"].endswith(found["evidence"]["flight_recorder"]["answer"])
    assert {stack["rank"] for stack in found["evidence"]["stacks"]} == {0, 1, 2}
    assert "dump" not in found["evidence"]["stacks"][0]

"""Every kind of hang is explained with its rank, operation and line, and healthy ranks give no finding."""

from pathlib import Path

import pytest
from tests.hangs.virtual import START_NS, dump, entry, pending

from ringscope.hangs.dumps import read_dump
from ringscope.hangs.model import Dump, Group
from ringscope.hangs.sentences import answer
from ringscope.hangs.verdict import Verdict, explain

FOLDER = Path(__file__).parent / "foreign"
HISTORY = [entry(seq, "nccl:all_reduce" if seq % 2 else "nccl:broadcast") for seq in range(1, 9)]


def told(verdict: Verdict) -> tuple[str, tuple[int, ...], int]:
    finding = verdict.findings[0]
    return finding.kind, finding.ranks, finding.seq


def ranks(*last: list[dict[str, object]]) -> list[Dump]:
    """Four ranks with the same history and these entries at its end."""
    return [dump(rank, HISTORY + own) for rank, own in enumerate(last)]


def test_healthy_ranks_give_no_finding() -> None:
    verdict = explain(ranks([], [], [], []))
    assert verdict.is_clean and verdict.compared == 8
    assert answer(verdict).startswith("No finding: 8 operations of 4 ranks were compared")


def test_a_missing_rank() -> None:
    verdict = explain(ranks([pending(9)], [pending(9)], [], [pending(9)]))
    assert told(verdict) == ("missing", (2,), 9)
    assert answer(verdict) == (
        "Rank 2 has not issued operation 9 of group 0 (default_pg), all_reduce at /home/me/train.py:19, in which ranks "
        "0, 1 and 3 wait; the last that it issued is broadcast at /home/me/train.py:18."
    )


def test_a_published_hang() -> None:
    paths = sorted(FOLDER.glob("synthetic_hang_rank_?.json"))
    verdict = explain([read_dump(str(path), path.read_bytes()) for path in paths])
    assert told(verdict) == ("missing", (1,), 4)
    assert verdict.findings[0].waiting == (0,)


def test_a_swapped_order() -> None:
    verdict = explain(ranks([pending(9)], [pending(9)], [pending(9, "nccl:broadcast")], [pending(9)]))
    assert told(verdict) == ("order", (2,), 9)
    assert "issued broadcast at /home/me/train.py:19" in answer(verdict)


def test_another_size() -> None:
    other = pending(9, input_sizes=[[2, 8]], output_sizes=[[2, 8]])
    verdict = explain(ranks([pending(9)], [pending(9)], [pending(9)], [other]))
    assert told(verdict) == ("size", (3,), 9)
    assert "shape [2, 8], where ranks 0, 1 and 2 issued it with shape [4, 8]" in answer(verdict)


def test_a_shape_with_as_many_elements_fits() -> None:
    other = pending(9, input_sizes=[[32]], output_sizes=[[32]])
    assert explain(ranks([pending(9)], [pending(9)], [pending(9)], [other])).findings[0].kind == "stuck"


def test_another_type() -> None:
    other = pending(9, input_dtypes=["Double"], output_dtypes=["Double"])
    verdict = explain(ranks([other], [pending(9)], [pending(9)], [pending(9)]))
    assert told(verdict) == ("type", (0,), 9)
    assert "dtype Double, where ranks 1, 2 and 3 issued it with dtype Float" in answer(verdict)


def test_half_the_ranks_against_the_other_half_blames_the_ranks_that_differ_from_the_first() -> None:
    other = pending(9, "nccl:broadcast")
    assert told(explain(ranks([pending(9)], [other], [pending(9)], [other])))[0] == "order"


@pytest.mark.parametrize("name", ["nccl:all_to_all", "nccl:ALLTOALL_BASE", "gloo:all_to_all"])
def test_all_to_all_may_differ_in_size(name: str) -> None:
    rows = [[pending(9, name, input_sizes=[[rank + 1]], output_sizes=[[9]])] for rank in range(4)]
    assert explain(ranks(*rows)).findings[0].kind == "stuck"


def test_only_the_root_has_what_gather_and_scatter_collect() -> None:
    for name, root, others in (
        ("gloo:gather", ([[8]], [[4, 8]]), ([[8]], [])),
        ("gloo:scatter", ([[4, 8]], [[8]]), ([], [[8]])),
    ):
        rows = [
            [entry(9, name, input_sizes=sizes[0], output_sizes=sizes[1], state="scheduled")]
            for sizes in (root, others, others, others)
        ]
        assert explain(ranks(*rows)).is_clean


def test_a_rank_that_came_late() -> None:
    late = entry(9, time_created_ns=START_NS + 90_000_000 + 3_000_000_000)
    after = entry(10, "nccl:broadcast", time_created_ns=START_NS + 3_200_000_000)
    verdict = explain(ranks([entry(9), after], [entry(9), after], [late, after], [entry(9), after]))
    assert told(verdict) == ("slow", (2,), 9)
    assert answer(verdict) == (
        "Rank 2 came 3.0 s after all others to operation 9 of group 0 (default_pg), all_reduce at "
        "/home/me/train.py:19; no rank hangs."
    )


def test_a_clock_that_is_wrong_is_not_a_late_rank() -> None:
    ahead = [{**one, "time_created_ns": one["time_created_ns"] + 60_000_000_000} for one in HISTORY]
    assert explain([dump(0, HISTORY, ranks=2), dump(1, ahead, ranks=2)]).is_clean


def test_buffers_that_wrapped_are_compared_from_the_first_common_operation() -> None:
    long = [entry(seq) for seq in range(1, 41)]
    verdict = explain([dump(0, [*long[20:], pending(41)], ranks=2), dump(1, long[25:], ranks=2)])
    assert told(verdict) == ("missing", (1,), 41)
    assert verdict.compared == 16
    assert explain([dump(0, long[20:], ranks=2), dump(1, long[25:], ranks=2)]).is_clean


def test_a_rank_without_a_dump_is_named() -> None:
    verdict = explain(ranks([pending(9)], [pending(9)], [pending(9)]))
    assert told(verdict) == ("no_dump", (3,), 9)
    assert verdict.without_dump == (3,)


def test_ranks_that_all_wait_in_the_same_operation_are_stuck() -> None:
    verdict = explain(ranks(*[[pending(9)]] * 4))
    assert told(verdict) == ("stuck", (0, 1, 2, 3), 9)
    assert answer(verdict).startswith("No rank is missing")


def test_the_cause_comes_before_what_waits_for_it() -> None:
    """Ranks 0 and 1 wait for rank 2 in the group of all, which waits for rank 3 in a group of two."""
    pair = {"groups": {"7": [2, 3]}}
    other = pending(1, "nccl:broadcast", process_group=("7", "pipe"), record_id=9)
    verdict = explain(
        [
            dump(0, [*HISTORY, pending(9)], **pair),
            dump(1, [*HISTORY, pending(9)], **pair),
            dump(2, [*HISTORY, other], **pair),
            dump(3, [*HISTORY, entry(0, process_group=("7", "pipe"), record_id=9)], **pair),
        ]
    )
    assert [(one.group.name, one.ranks) for one in verdict.findings] == [("7", (3,)), ("0", (2, 3))]


def test_a_group_that_gloo_lists_without_its_name_is_of_the_ranks_that_used_it() -> None:
    def gloo(rank: int, entries: list[dict[str, object]]) -> Dump:
        read = dump(rank, entries)
        read.groups = {"": Group("", "", (0, 1))}
        return read

    mine = ("1", "undefined")
    first = [entry(1, "gloo:all_reduce", process_group=mine), entry(2, "gloo:all_reduce", process_group=mine)]
    second = [entry(3, "gloo:all_reduce", process_group=("0", "default_pg"))]
    dumps = [gloo(0, first + second), gloo(1, first + second), gloo(2, second), gloo(3, second)]
    assert explain(dumps).is_clean


def test_a_send_without_its_receive() -> None:
    send = pending(1, "nccl:send 0->1", is_p2p=True, p2p_seq_id=1, record_id=9)
    receive = pending(1, "nccl:recv 1<-0", is_p2p=True, p2p_seq_id=1, record_id=9)
    lonely = explain(ranks([send], [], [], []))
    assert not lonely.is_clean
    assert answer(lonely) == (
        "Rank 0 sends to rank 1 at /home/me/train.py:11 and waits, but rank 1 waits in no receive of this pair."
    )
    assert explain(ranks([send], [receive], [], [])).pairs == []
    short = {**receive, "output_sizes": [[2, 8]]}
    assert "it has shape [4, 8], where rank 1 expects shape [2, 8]" in answer(explain(ranks([send], [short], [], [])))


def test_a_rank_that_left_the_group() -> None:
    """gloo ends an operation on the ranks whose connection was closed; an all-reduce cannot end otherwise."""
    ended, waits = entry(9, "gloo:all_reduce", state="scheduled"), pending(9, "gloo:all_reduce")
    verdict = explain(ranks([waits], [ended], [], [ended]))
    assert told(verdict) == ("torn_down", (2,), 9)
    assert "closed the connections of the group" in answer(verdict)
    rooted = entry(9, "gloo:broadcast", state="scheduled")
    assert told(explain(ranks([rooted], [rooted], [], [rooted]))) == ("missing", (2,), 9), "its root does not wait"


def test_a_type_that_differs_is_told_also_where_all_ranks_went_on() -> None:
    other = entry(9, "gloo:all_reduce", input_dtypes=["Int"], output_dtypes=["Int"])
    assert told(explain(ranks(*[[entry(9, "gloo:all_reduce")]] * 3, [other])))[:2] == ("type", (3,))


def test_uneven_parts_of_all_gather_and_reduce_scatter_fit() -> None:
    for rank_rows in (
        [
            [entry(9, "nccl:all_gather", input_sizes=[[rank + 1]], output_sizes=[[1], [2], [3], [4]])]
            for rank in range(4)
        ],
        [[entry(9, "nccl:reduce_scatter", input_sizes=[[9]], output_sizes=[[rank + 1]])] for rank in range(4)],
    ):
        assert explain(ranks(*rank_rows)).is_clean


def test_a_rank_that_is_absent_beside_one_without_a_dump_is_not_blamed_alone() -> None:
    verdict = explain([dump(0, HISTORY), dump(1, [*HISTORY, pending(9)]), dump(3, [*HISTORY, pending(9)])])
    assert told(verdict) == ("missing", (0,), 9)
    assert answer(verdict).endswith("rank 2 has no dump here and may be the cause.")

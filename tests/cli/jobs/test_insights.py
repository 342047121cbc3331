"""The terminal shows the evidence of an insight: numbers in one line, and each rank's stack."""

from ringscope.cli.commands.insights import evidence_lines


def stack(rank: int, address: str, line: int) -> dict[str, object]:
    text = f'Current thread 0x{address} (most recent call first):\n  File "peers.py", line {line} in wait'
    return {"rank": rank, "node": "n1", "source": "faulthandler", "stack": text}


def test_numbers_stand_in_a_line_and_each_rank_in_its_own() -> None:
    evidence = {"behind": [2], "score": 0.123456, "ranks": [{"rank": 2, "state": "T"}, {"rank": 3, "state": None}]}
    assert list(evidence_lines(evidence)) == ["behind=[2] score=0.1235", "rank=2 state=T", "rank=3"]


def test_ranks_that_wait_at_the_same_place_are_shown_together() -> None:
    lines = list(evidence_lines({"stacks": [stack(0, "7fa0", 73), stack(1, "7fb0", 73), stack(2, "7fa0", 74)]}))
    assert lines == [
        "rank 0 on node n1, rank 1 on node n1, by faulthandler:",
        "  Current thread (most recent call first):",
        '    File "peers.py", line 73 in wait',
        "rank 2 on node n1, by faulthandler:",
        "  Current thread (most recent call first):",
        '    File "peers.py", line 74 in wait',
    ]


def test_a_rank_without_a_stack_is_named() -> None:
    nobody = {"rank": 1, "node": "n1", "source": "", "stack": ""}
    assert list(evidence_lines({"behind": [1], "stacks": [nobody]}))[1:] == ["rank 1 on node n1, by nobody:"]

"""The last operations by rank."""

from tests.hangs.virtual import dump, entry, pending

from ringscope.hangs.model import Dump
from ringscope.hangs.table import table
from ringscope.hangs.verdict import explain


def shown(*dumps: Dump) -> dict[tuple[int, ...], list[tuple[str, str | None]]]:
    told = table(dumps, explain(dumps))
    assert told is not None
    return {tuple(row["ranks"]): [(cell["state"], cell["detail"]) for cell in row["cells"]] for row in told["rows"]}


def test_the_missing_rank_comes_first_and_the_others_share_a_row() -> None:
    waiting = [entry(1), entry(2), pending(3)]
    told = shown(*(dump(rank, waiting) for rank in (0, 1, 2)), dump(3, [entry(1), entry(2)]))
    assert list(told) == [(3,), (0, 1, 2)]
    assert [state for state, _ in told[(3,)]] == ["ended", "ended", "missing"]
    assert [state for state, _ in told[(0, 1, 2)]] == ["ended", "ended", "waits"]


def test_a_column_has_the_operation_and_its_line_of_source_code() -> None:
    dumps = [dump(0, [entry(1), pending(2)], ranks=2), dump(1, [entry(1)], ranks=2)]
    told = table(dumps, explain(dumps))
    assert told is not None
    assert [(one["sequence"], one["name"], one["source"], one["is_finding"]) for one in told["columns"]] == [
        (1, "all_reduce", "/home/me/train.py:11", False),
        (2, "all_reduce", "/home/me/train.py:12", True),
    ]


def test_another_size_is_said_in_its_cell() -> None:
    odd = [entry(1), pending(2, input_sizes=[[5]], output_sizes=[[5]])]
    told = shown(*(dump(rank, [entry(1), pending(2)]) for rank in (0, 1, 2)), dump(3, odd))
    assert told[(3,)][-1] == ("differs", "shape [5]")


def test_a_rank_without_a_dump_and_a_buffer_that_wrapped_are_told_apart() -> None:
    late = [entry(seq) for seq in range(3, 6)]
    told = shown(dump(0, [entry(1), *late, pending(6)]), dump(1, [*late, pending(6)]), dump(2, [*late, pending(6)]))
    assert told[(3,)][0] == ("no_dump", None)
    assert {state for state, _ in told[(0, 1, 2)]} == {"ended", "waits"}


def test_dumps_without_a_finding_show_their_last_operations() -> None:
    dumps = [dump(rank, [entry(seq) for seq in range(1, 9)], ranks=2) for rank in (0, 1)]
    told = table(dumps, explain(dumps))
    assert told is not None
    assert [one["sequence"] for one in told["columns"]] == [5, 6, 7, 8]
    assert [row["ranks"] for row in told["rows"]] == [[0, 1]]

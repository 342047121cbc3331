"""Dumps are read from pickles and JSON, and what is none is refused in one sentence."""

import json
import pickle
from pathlib import Path

import pytest
from tests.hangs.virtual import as_json, entry, pending, value

from ringscope.hangs.dumps import RefusedError, read_dump

FOLDER = Path(__file__).parent / "foreign"


def test_a_pickle_and_json_of_one_dump_say_the_same() -> None:
    entries = [entry(1), pending(2, "nccl:broadcast")]
    first = read_dump("nccl_trace_rank_3", pickle.dumps(value(entries), protocol=2))
    second = read_dump("nccl_trace_rank_3.json", as_json(entries))
    assert (first.rank, second.rank) == (3, 3)
    assert [(one.name, one.seq, one.is_complete) for one in first.operations] == [
        ("all_reduce", 1, True),
        ("broadcast", 2, False),
    ]
    assert [one.name for one in second.operations] == ["all_reduce", "broadcast"]
    assert str(first.operations[0].source) == "/home/me/train.py:11"
    assert second.operations[0].source is None
    assert first.groups["0"].ranks == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("path", "rank"),
    [("dump_12", 12), ("a/rank_3.json", 3), ("nccl_trace_rank_0.pkl", 0), ("rank7/dump.json", 7), ("h2_dump_5", 5)],
)
def test_the_rank_is_in_the_name(path: str, rank: int) -> None:
    assert read_dump(path, as_json([entry(1)])).rank == rank


def test_a_rank_in_the_dump_comes_before_the_name() -> None:
    told = {**value([entry(1)]), "rank": 9}
    assert read_dump("dump_1", pickle.dumps(told, protocol=2)).rank == 9


def test_gloo_leaves_the_state_and_retires_what_has_ended() -> None:
    entries = [
        entry(1, "gloo:all_reduce", state="scheduled"),
        entry(2, "gloo:barrier", state="scheduled", retired=False),
    ]
    assert [one.is_complete for one in read_dump("dump_0", as_json(entries)).operations] == [True, False]
    aborted = entry(1, "nccl:all_reduce", state="started")
    assert not read_dump("dump_0", as_json([aborted])).operations[0].is_complete, "nccl retires what it aborts, too"


def test_numbers_may_be_texts() -> None:
    told = value([entry(4, collective_seq_id="4", record_id="4")])
    assert read_dump("dump_0", json.dumps(told).encode()).operations[0].seq == 4


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("dump_0", b"", "the file is empty"),
        ("dump_0", b"\xff\xfe\x00", "neither JSON nor a pickle"),
        ("dump_0", b"[1, 2]", "no dump of the Flight Recorder"),
        ("dump_0", b'{"entries": []}', "no dump of the Flight Recorder"),
        ("dump_0", as_json([]), "TORCH_FR_BUFFER_SIZE"),
        ("dump_0", as_json([entry(1)])[:-40], "ends too early"),
        ("dump", as_json([entry(1)]), "has no rank"),
        ("dump_0", b"[" * 100_000, "nested"),
        ("dump_0", b"\x80\x02cos\nsystem\n.", "was not loaded"),
    ],
)
def test_what_is_no_dump_is_refused_in_one_sentence(path: str, content: bytes, words: str) -> None:
    with pytest.raises(RefusedError, match=words) as told:
        read_dump(path, content)
    assert str(told.value).endswith(".") and "\n" not in str(told.value)


def test_printed_python_is_refused_as_no_json() -> None:
    path = FOLDER / "tutorial_v2_3_tuple_and_ellipsis.json"
    with pytest.raises(RefusedError, match=r"line 26: this is not JSON \(a Python tuple begins here\)"):
        read_dump("rank_0.json", path.read_bytes())


def test_a_dump_cut_at_any_byte_is_refused() -> None:
    for content in (as_json([entry(1), pending(2)]), pickle.dumps(value([entry(1), pending(2)]), protocol=2)):
        for place in range(len(content)):
            with pytest.raises(RefusedError):
                read_dump("dump_0", content[:place])


@pytest.mark.parametrize("odd", [None, 1, "text", [], {}, 1.5, [None], {"a": []}, float("inf"), True])
def test_a_field_may_have_any_value(odd: object) -> None:
    for name in entry(1):
        try:
            read_dump("dump_0", json.dumps(value([entry(1), entry(2, **{name: odd})])).encode())
        except RefusedError:
            raise AssertionError(f"{name} = {odd!r} must not make the whole dump unreadable") from None

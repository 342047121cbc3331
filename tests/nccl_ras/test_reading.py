"""Reports of RAS are read as text and JSON, and the minority of ranks is named."""

import json
from pathlib import Path

import pytest

from ringscope.nccl_ras.reading import RefusedError, read
from ringscope.nccl_ras.sentences import answer, remarks

FOLDER = Path(__file__).parent / "foreign"
TEXTS = ("status_incomplete_stopped_process.txt", "status_mismatch_progressing.txt")
MISSING = (FOLDER / "status_json_missing_rank.json").read_bytes()


def test_a_stopped_process_is_named_with_its_gpu() -> None:
    report = read((FOLDER / TEXTS[0]).read_bytes())
    assert answer(report) == (
        "Rank 21 (GPU 5, process 3487984 on 192.0.2.213) of communicator cf264af53edbe986 (32 ranks) does not answer."
    )
    assert [one.kind for one in remarks(report)] == ["missing", "timeouts"]


def test_ranks_that_are_behind_are_no_hang_by_themselves() -> None:
    report = read((FOLDER / TEXTS[1]).read_bytes())
    (remark,) = remarks(report)
    assert (remark.kind, remark.ranks) == ("behind", (0, 2, 3, 4, 5, 7))
    assert remark.sentence == (
        "Ranks 0, 2, 3, 4, 5 and 7 of communicator 27a079b828ff1a75 (32 ranks) are 1 operation behind the other 26 "
        "(6649 to 6650); they hang only if a second report has the same counts."
    )


def test_an_earlier_report_says_whether_they_hang() -> None:
    content = (FOLDER / TEXTS[1]).read_bytes()
    earlier = content.replace(b"operation 6650", b"operation 6640").replace(b"operation 6649", b"operation 6639")
    assert [one.kind for one in remarks(read(content), read(content))] == ["hanging"]
    assert answer(read(content), read(content)).endswith("the counts are those of the earlier report, so they hang.")
    assert [one.kind for one in remarks(read(content), read(earlier))] == ["progressing"]
    assert [one.kind for one in remarks(read(content), read(MISSING))] == ["behind"], "of another job"


def test_a_minority_may_be_ahead() -> None:
    text = (FOLDER / TEXTS[1]).read_text().replace("operation 6649", "operation 6652")
    assert "are 2 operations ahead of the other 26" in answer(read(text.encode()))


def test_counts_may_be_of_kinds() -> None:
    text = (FOLDER / TEXTS[1]).read_text().replace("up to operation", "up to AllReduce operation")
    assert "are 1 AllReduce operation behind the other 26" in answer(read(text.encode()))


def test_a_missing_rank_of_json() -> None:
    report = read(MISSING)
    assert (report.version, report.is_repaired) == ("2.29.1", False)
    assert answer(report) == (
        "Rank 1 (GPU 1, process 1524345 on 192.0.2.245) of communicator 0xae94423cfbb2ef4a (2 ranks) does not answer; "
        "it is not declared dead."
    )


@pytest.mark.parametrize("after", ['"rank": 1,', '"nvml_dev": 1,', '"cuda_dev": 0,', '"communicators_count": 1,', "},"])
def test_json_that_misses_a_comma_says_the_same(after: str) -> None:
    text = MISSING.decode()
    assert after in text
    broken = text.replace(after, after[:-1], 1)
    with pytest.raises(ValueError):
        json.loads(broken)
    report = read(broken.encode())
    assert report.is_repaired
    assert answer(report) == answer(read(MISSING))


def test_json_names_ranks_that_are_behind_or_failed() -> None:
    value = json.loads(MISSING)
    (one,) = value["communicators"]
    rank = one["ranks"][0]
    one["missing_ranks"] = []
    one["ranks"] = [{**rank, "rank": number, "collective_counts": {"AllReduce": 7}} for number in range(3)]
    one["ranks"][2]["collective_counts"] = {"AllReduce": 5}
    one["ranks"][1]["status"] = {**rank["status"], "async_error": 6}
    told = remarks(read(json.dumps(value).encode()))
    assert [(remark.kind, remark.ranks) for remark in told] == [("failed", ()), ("behind", (2,))]
    assert "are" not in told[1].sentence.split("behind")[0] and "2 AllReduce operations" in told[1].sentence


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"hello\n", b"\0", b'{"communicators": [', b"{" * 100_000])
def test_what_is_no_report_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(RefusedError) as told:
        read(content)
    assert str(told.value).endswith(".") and "\n" not in str(told.value)


@pytest.mark.parametrize("name", [*TEXTS, "status_json_missing_rank.json"])
def test_a_report_cut_at_any_byte_names_no_other_rank(name: str) -> None:
    content = (FOLDER / name).read_bytes()
    known = {remark.kind: set(remark.ranks) for remark in remarks(read(content))}
    for place in range(len(content)):
        try:
            told = remarks(read(content[:place]))
        except RefusedError:
            continue
        assert all(set(remark.ranks) <= known.get(remark.kind, set()) for remark in told), place


@pytest.mark.parametrize("odd", [None, 1, "text", [], {}, True, -1, 10**30])
def test_a_field_may_have_any_value(odd: object) -> None:
    for key in json.loads(MISSING)["communicators"][0]:
        value = json.loads(MISSING)
        value["communicators"][0][key] = odd
        answer(read(json.dumps(value).encode()))
    for key in ("nccl_version", "communicators", "ras"):
        value = json.loads(MISSING)
        value[key] = odd
        answer(read(json.dumps(value).encode()))

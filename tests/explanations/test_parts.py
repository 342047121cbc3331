"""Files of several kinds, each with its part."""

import json
from typing import Any

import pytest
from tests.hangs.virtual import as_json, entry, pending
from tests.imports.published import one

from ringscope.explanations.parts import File, explain
from ringscope.imports.model import Run

LOG = "".join(
    f"node{rank // 2}:10{rank}:20{rank} [{rank % 2}] NCCL INFO Channel 00/0 : {rank}[0] -> {(rank + 1) % 4}[0] "
    f"[send] via {'NET/Socket/0' if rank % 2 else 'P2P/IPC'}\n"
    for rank in range(4)
).encode()
RAS = b"""Job summary
#0-0 (abc) MISMATCH
  3 ranks have launched up to operation 10
  1 rank has launched up to operation 9
  Rank 2 -- GPU 2 managed by process 7 on node n1
"""


def record(number: int, busbw: float) -> bytes:
    told = {
        "header": {"id": "0x1", "rank": 0, "n_ranks": 2, "nnodes": 1},
        "metadata": {"inspector_output_format_version": "v4.0"},
        "coll_perf": {
            "coll": "Broadcast",
            "coll_sn": number,
            "coll_msg_size_bytes": int(busbw * 1e6),
            "coll_exec_time_us": 1000,
            "coll_algobw_gbs": busbw,
            "coll_busbw_gbs": busbw,
        },
    }
    return json.dumps(told).encode() + b"\n"


def explained(*files: tuple[str, bytes]) -> dict[str, Any]:
    def judge(run: Run) -> dict[str, Any]:
        return {"word": "unknown"}

    return explain([File(name, content) for name, content in files], judge)


def dumps(*names: str) -> list[tuple[str, bytes]]:
    """Dumps of which the last rank has not issued the second operation."""
    waits, missing = as_json([entry(1), pending(2)]), as_json([entry(1)])
    return [(name, missing if name is names[-1] else waits) for name in names]


def refusals(told: dict[str, Any]) -> dict[str, str]:
    return {file["name"]: file["refused"] for file in told["files"] if file["refused"] is not None}


def test_files_of_several_kinds_each_get_their_part() -> None:
    result = one("alltoall_then_sendrecv_double").content
    told = explained(
        *dumps("dump_0", "dump_1", "dump_2", "dump_3"),
        ("nccl.log", LOG),
        ("inspector.log", record(1, 10)),
        ("ras.txt", RAS),
        ("tests.log", result),
        ("photo.png", b"\x89PNG\0\0"),
    )
    assert told["hang"]["answer"].startswith("Rank 3 has not issued operation 2 of group 0")
    assert told["nccl_log"]["answer"].startswith("TCP sockets carry the edges between ranks 0-3 and 1-2")
    assert told["nccl_inspector"]["answer"] == "No drop: 1 record in 1 series."
    assert told["nccl_ras"][0]["answer"].startswith("Rank 2 of communicator abc is 1 operation behind the other 3")
    assert [len(file["runs"]) for file in told["results"]] == [2]
    assert refusals(told) == {
        "photo.png": "Line 1: the file is binary, not a log; give the text that the tool printed."
    }
    assert told["files"][7]["what"] == "a result of nccl-tests"
    assert told["files"][3]["what"] == "a dump of PyTorch's Flight Recorder of rank 3"


def test_one_dump_alone_is_no_explanation() -> None:
    told = explained(*dumps("dump_0", "dump_1")[:1])
    assert told["hang"] is None
    assert refusals(told)["dump_0"].startswith("one dump shows only what its rank waits in")


def test_a_second_dump_of_a_rank_and_a_broken_one_are_left_out() -> None:
    told = explained(
        *dumps("dump_0", "dump_1"), ("other_1", as_json([entry(1)])), ("dump_3", b"\x80\x02c__main__\nx\n.")
    )
    assert told["hang"]["ranks"] == [0, 1]
    refused = refusals(told)
    assert refused["other_1"] == "dump_1 is of rank 1 too; give one dump of each rank."
    assert refused["dump_3"].startswith("the pickle was not loaded, because opcode b'c'")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b" \n", "the file is empty"),
        (b"hello\n", "this is no file that can be explained here"),
        (b'{"pg_config": {', "line 1: the JSON ends too early"),
        (b'{"coll_perf": {}, "header": {"id": "0x1"}}\n', "no line is a collective's record of NCCL Inspector"),
        (b'{"nccl_version": "2.28", "communicators": [', "line 1: the JSON is broken"),
        (b"#" * (8 * 1024 * 1024 + 1), "The file has 8.0 MiB; a file may have at most 8 MiB"),
    ],
)
def test_a_bad_file_gets_one_sentence(content: bytes, sentence: str) -> None:
    told = explained(("bad", content))
    assert refusals(told)["bad"].startswith(sentence)
    assert not any(told[part] for part in ("hang", "nccl_log", "nccl_inspector", "nccl_ras", "results"))


def test_a_report_of_ras_is_compared_with_the_one_before_it() -> None:
    other = RAS.replace(b"(abc)", b"(def)")
    told = explained(("first", RAS), ("other", other), ("second", RAS))
    assert [one["compared_with"] for one in told["nccl_ras"]] == [None, None, "first"]
    assert [one["remarks"][0]["kind"] for one in told["nccl_ras"]] == ["behind", "behind", "hanging"]

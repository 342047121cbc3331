"""POST /trace and /trace/perfetto."""

from typing import Any

import pytest
from tests.cli.conftest import clean_environment, run_ringscope
from tests.server.conftest import Server

THREE = {"values": [[2, 4, 6], [1, 2, 3], [4, 8, 12]]}


async def trace(server: Server, **question: Any) -> dict[str, Any]:
    response = await server.admin.post("/api/v1/trace", json=question)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["example"]
    return found


def number(value: float) -> str:
    return f"{value:.12g}"


async def test_three_ranks_end_with_the_sum(server: Server) -> None:
    found = await trace(server, **THREE)
    assert found["values"] == THREE["values"]
    assert [step["phase"] for step in found["steps"]] == ["reduce_scatter"] * 2 + ["all_gather"] * 2
    assert found["results"] == [[7, 14, 21]] * 3
    first = found["steps"][0]["moves"][0]
    expected = {"src": 0, "dst": 1, "chunks": [0], "values": [2], "reduce": True, "size_bytes": 4, "start_s": 0}
    assert {key: first[key] for key in expected} == expected


@pytest.mark.parametrize("algorithm", ["ring", "tree", "halving_doubling", "hierarchical", "naive"])
async def test_it_is_what_ringscope_trace_prints(server: Server, algorithm: str) -> None:
    found = await trace(server, algorithm=algorithm, shape="2x2")
    one = ("--topology", "2x2", "--channels", "1")
    printed = run_ringscope("trace", algorithm, *one, environment=clean_environment()).stdout
    held = [row for step in found["steps"] for row in step["held"]]
    told = [line.partition(" holds ")[2] for line in printed.splitlines() if " holds " in line]
    assert [",".join(map(number, row)) for row in held] == told
    moves = [(move["src"], move["dst"]) for step in found["steps"] for move in step["moves"]]
    arrows = [line.split(":")[0].split() for line in printed.splitlines() if " -> " in line]
    assert moves == [(int(words[1]), int(words[4])) for words in arrows]


async def test_every_channel_is_followed(server: Server) -> None:
    found = await trace(server, shape="2x2", channels=2)
    assert found["results"] == [[10] * 8] * 4
    first = {(move["src"], move["dst"]) for move in found["steps"][0]["moves"]}
    assert first == {(0, 1), (1, 0), (2, 3), (3, 2), (0, 3), (2, 1), (1, 2), (3, 0)}


async def test_times_grow_with_what_a_number_stands_for(server: Server) -> None:
    small, large = [await trace(server, **THREE, element_bytes=size) for size in (4, 4 << 20)]
    assert small["time_s"] == pytest.approx(4e-6, rel=0.01), "four messages of 1 us"
    assert large["time_s"] == pytest.approx(4 * (4 << 20) / 1e9 + 2 * (4 << 20) / 1e10, rel=0.01)


async def test_a_broadcast_knows_its_root(server: Server) -> None:
    found = await trace(server, collective="broadcast", algorithm="tree", root=2, **THREE)
    assert found["results"] == [[4, 8, 12]] * 3


async def test_perfetto_gets_each_message(server: Server) -> None:
    response = await server.admin.post("/api/v1/trace/perfetto", json=THREE)
    document = response.json()
    assert document["otherData"]["title"] == "SIMULATED ring, 3 ranks, 12 bytes"
    assert sum(event["ph"] == "s" for event in document["traceEvents"]) == 4 * 3


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"algorithm": "rong"}, "/algorithm", "unknown algorithm 'rong'; choose one of ring"),
    ({"shape": "65"}, "/shape", "too many to read; give 64 or fewer"),
    ({"shape": "x"}, "/shape", "'x' is not a shape"),
    (
        {"shape": "2x2", "channels": 3},
        "/channels",
        "3 cannot each leave a node of 2 through a different rank; give 1 to 2",
    ),
    ({"root": 3}, "/root", "3 is not one of 3 ranks; give 0 to 2"),
    ({"shape": "4", **THREE}, "/values", "4 ranks need as many rows of 3 numbers each"),
    ({"values": [[1, 2], [3]]}, "/values", "2 ranks need as many rows of 2 numbers each"),
    ({"values": [[1e300]]}, "/values/0/0", "give"),
    ({"values": [[1.0] * 200] * 64}, "/values", "give at most 74 numbers for each rank"),
    ({"element_bytes": 0}, "/element_bytes", "give 1 or more"),
]


async def test_what_cannot_be_shown_is_refused(server: Server) -> None:
    for question, pointer, words in BAD:
        response = await server.admin.post("/api/v1/trace", json=question)
        assert response.status_code == 422, response.text
        found = response.json()["errors"][0]
        assert (found["pointer"], words in found["detail"]) == (pointer, True), found

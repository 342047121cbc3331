"""GET /jobs/{id}/traces, /trace and /trace.perfetto.json: what ranks told, once, on one clock, beside the model."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, FakeAgent, Server, measurement

from ringscope.bench.simulation import simulated_records
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Trace

START_NS = 1_767_225_600_000_000_000  # as the test's clock begins
TRACED = ONE_SIZE | {"benchmark": ONE_SIZE["benchmark"] | {"trace": True}}


def transfer(step: int, start_ns: int, peer: int = 1) -> list[Any]:
    """A step of a ring of two in shared memory: waits 10 ns, then moves for 30."""
    chunks = [(peer + step) % 2]
    times = [start_ns, start_ns + 10, start_ns + 40, None, start_ns + 40, 30]
    return [False, peer, step, "reduce_scatter", chunks, chunks, False, 512, *times]


def trace(rank: int = 0, **more: Any) -> dict[str, Any]:
    told = {
        "type": "trace",
        "rank": rank,
        "collective": "all_reduce",
        "algorithm": "ring",
        "transport": "shared_memory",
        "in_place": False,
        "size_bytes": 1024,
        "dtype": "float32",
        "started_at_ns": START_NS + 1000 * rank,
        "duration_ns": 500 + rank,
        "transfers": [transfer(0, 0, peer=1 - rank), transfer(1, 50, peer=1 - rank)],
        "left_out": 0,
    }
    return told | more


async def running(server: Server, **more: Any) -> tuple[FakeAgent, int, int]:
    agent = await server.node()
    job = await server.submit(**TRACED | more)
    return agent, job["id"], await agent.start_next()


async def get(server: Server, job_id: int, what: str = "trace", **query: Any) -> Any:
    answer = await server.admin.get(f"/api/v1/jobs/{job_id}/{what}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_what_the_ranks_told_is_one_trace(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    await agent.records(attempt, trace(0), trace(1))
    found = await get(server, job_id)
    assert (found["algorithm"], found["size_bytes"], found["in_place"], found["duration_ns"]) == (
        "ring",
        1024,
        False,
        501,
    )
    assert [(rank["rank"], rank["node"], rank["started_ns"], rank["ended_ns"]) for rank in found["ranks"]] == [
        (0, "n1", 0, 500),
        (1, "n1", 1000, 1501),
    ]
    assert [(row["rank"], row["step"], row["peer"], row["start_ns"]) for row in found["rows"]] == [
        (0, 0, 1, 0),
        (0, 1, 1, 50),
        (1, 0, 0, 1000),
        (1, 1, 0, 1050),
    ]
    first = found["rows"][0]
    assert (first["send_ns"], first["recv_ns"], first["reduce_ns"], first["done_ns"], first["work_ns"]) == (
        10,
        40,
        None,
        40,
        30,
    )
    assert (first["bytes"], first["chunks"], first["phase"], first["is_send"]) == (512, [1], "reduce_scatter", False)
    assert found["started_at"] == "2026-01-01T00:00:00Z"
    assert found["chunks"] == [{"offset": 0, "length": 128}, {"offset": 128, "length": 128}]


async def test_what_is_sent_twice_is_there_once(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    body = {"attempt_id": attempt, "first_sequence": 1, "records": [trace(0), trace(1)]}
    for _ in range(2):
        assert (await agent.post("records", body)).json() == {"last_sequence": 2}
    assert len((await get(server, job_id))["rows"]) == 4
    assert len((await get(server, job_id, "traces"))["items"]) == 1


async def test_an_algorithm_that_the_server_does_not_know_is_shown_without_the_model(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    await agent.records(attempt, trace(0, algorithm="star"), trace(1, algorithm="star"))
    found = await get(server, job_id)
    assert (found["prediction"], found["chunks"], len(found["rows"])) == (None, None, 4)


async def test_a_record_that_is_none_is_passed_over(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    short = trace(1, transfers=[transfer(0, 0)[:-1]])
    assert (await agent.records(attempt, trace(0), short)).json() == {"last_sequence": 2}
    assert [rank["rank"] for rank in (await get(server, job_id))["ranks"]] == [0]


async def test_of_several_operations_the_largest_is_shown_unless_one_is_named(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    larger = {"size_bytes": 4096, "duration_ns": 900}
    for told in (trace(0), trace(0, in_place=True), trace(0, **larger), trace(0, algorithm="tree", **larger)):
        await agent.records(attempt, told)
    listed = (await get(server, job_id, "traces"))["items"]
    assert [(item["algorithm"], item["size_bytes"], item["in_place"], item["duration_ns"]) for item in listed] == [
        ("ring", 1024, False, 500),
        ("ring", 1024, True, 500),
        ("ring", 4096, False, 900),
        ("tree", 4096, False, 900),
    ]
    for query, expected in (
        ({}, ("ring", 4096, False)),
        ({"algorithm": "tree"}, ("tree", 4096, False)),
        ({"size_bytes": 1024}, ("ring", 1024, False)),
        ({"in_place": True}, ("ring", 1024, True)),
        ({"attempt": 1, "size_bytes": 1024, "algorithm": "ring", "in_place": True}, ("ring", 1024, True)),
    ):
        found = await get(server, job_id, **query)
        assert (found["algorithm"], found["size_bytes"], found["in_place"]) == expected


@pytest.mark.parametrize("offset", [None, 2.5])
async def test_times_come_with_what_the_nodes_clock_may_err(server: Server, offset: float | None) -> None:
    agent = await server.node()
    if offset is not None:
        clock = {"clock_offset_seconds": offset, "clock_error_seconds": 0.001}
        assert (await agent.post("poll", {"seen": -1} | clock)).status_code == 200
    job = await server.submit(**TRACED)
    attempt = await agent.start_next()
    shift_ns = round((offset or 0) * 1e9)
    await agent.records(attempt, *(trace(rank, started_at_ns=START_NS + shift_ns) for rank in range(2)))
    found = await get(server, job["id"])
    assert found["started_at"] == "2026-01-01T00:00:00Z"
    (rank, _) = found["ranks"]
    if offset is None:
        assert (rank["clock_offset_ns"], rank["clock_error_ns"]) == (None, None)
    else:
        assert rank["clock_offset_ns"] == shift_ns
        assert rank["clock_error_ns"] == pytest.approx(1_000_000, rel=1e-3)


def rows_to_fit() -> list[dict[str, Any]]:
    return [
        measurement(size_bytes=size, p50_us=4 + size / 1000, in_place=place)
        for size in (1024, 4096, 16384)
        for place in (False, True)
    ]


async def test_a_job_that_asked_for_channels_is_not_fitted(server: Server) -> None:
    asked = {
        "benchmark": TRACED["benchmark"] | {"max_bytes": 16384, "channels": 2},
        "placement": {"ranks": 2, "nodes": 1},
    }
    agent, job_id, attempt = await running(server, **asked)
    await agent.records(attempt, trace(0), trace(1), *rows_to_fit())
    because = "the engine's defaults for shared_memory, which were not measured here"
    assert (await get(server, job_id))["prediction"]["parameters"] == because


async def test_the_model_stands_beside_with_parameters_of_the_jobs_own_rows(server: Server) -> None:
    asked = TRACED["benchmark"] | {"algorithms": ["ring", "tree"], "max_bytes": 16384}
    agent, job_id, attempt = await running(server, benchmark=asked)
    await agent.records(attempt, trace(0), trace(1))
    before = (await get(server, job_id))["prediction"]
    assert before["parameters"] == "the engine's defaults for shared_memory, which were not measured here"
    await agent.records(attempt, *rows_to_fit(), measurement("tree"), measurement(transport="mpi"))
    found = await get(server, job_id)
    assert found["prediction"]["parameters"] == "fitted to 6 rows of this job"
    assert found["prediction"]["duration_ns"] == pytest.approx(5024, rel=0.02)
    assert all(row["predicted_ns"] > 0 for row in found["rows"])
    first = found["steps"][0]
    assert (first["start_ns"], first["end_ns"], first["predicted_start_ns"]) == (10, 1040, 0)
    assert 0 < first["predicted_end_ns"] < found["prediction"]["duration_ns"]


async def test_of_a_simulation_trace_and_model_are_the_same(server: Server) -> None:
    benchmark = {
        "transport": "simulated",
        "topology": {"shape": "2x2", "link": "10GB/s", "latency_us": 5, "intra": "100GB/s", "reduce_gb_per_s": 10},
        "algorithms": ["hierarchical"],
        "min_bytes": 4096,
        "max_bytes": 4096,
        "trace": True,
    }
    agent, job_id, attempt = await running(server, benchmark=benchmark, placement={"ranks": 1})
    told = [r for r in simulated_records(BenchmarkSpec.model_validate(benchmark), START_NS) if isinstance(r, Trace)]
    await agent.records(attempt, *(record.model_dump(mode="json") for record in told))
    found = await get(server, job_id)
    assert found["transport"] == "simulated"
    assert {(rank["node"], rank["clock_error_ns"]) for rank in found["ranks"]} == {("simulated", 0)}
    assert len(found["ranks"]) == 4
    assert found["prediction"] == {"duration_ns": found["duration_ns"], "parameters": "of the simulated cluster"}
    for step in found["steps"]:
        assert (step["start_ns"], step["end_ns"]) == (step["predicted_start_ns"], step["predicted_end_ns"])


async def test_perfetto_is_a_file(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    await agent.records(attempt, trace(0), trace(1))
    answer = await server.admin.get(f"/api/v1/jobs/{job_id}/trace.perfetto.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"] == f'attachment; filename="ringscope-job-{job_id}-trace.perfetto.json"'
    document = answer.json()
    assert document["otherData"]["title"] == f"job {job_id}"
    assert {event["pid"] for event in document["traceEvents"]} == {0, 1}


async def test_without_a_trace_the_answer_says_how_to_get_one(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    for what in ("trace", "trace.perfetto.json"):
        answer = await server.admin.get(f"/api/v1/jobs/{job_id}/{what}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_trace")
        assert answer.json()["detail"] == (
            f"Job {job_id} has no trace; submit a benchmark with trace true, or `ringscope submit --trace`."
        )
    assert await get(server, job_id, "traces") == {"items": []}
    await agent.records(attempt, trace(0))
    answer = await server.admin.get(f"/api/v1/jobs/{job_id}/trace", params={"size_bytes": 7})
    assert answer.json()["detail"] == f"Job {job_id} has no such trace; /jobs/{job_id}/traces lists those that it has."
    assert (await server.admin.get("/api/v1/jobs/99/trace")).json()["code"] == "not_found"
    assert (await server.admin.get(f"/api/v1/jobs/{job_id}/trace", params={"attempt": 9})).json()["code"] == "not_found"


@pytest.mark.parametrize("query", [{"size_bytes": -1}, {"size_bytes": 2**63}, {"in_place": "maybe"}])
async def test_a_bad_query_names_the_field(server: Server, query: dict[str, Any]) -> None:
    await server.node()
    job = await server.submit(**TRACED)
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/trace", params=query)
    assert answer.status_code == 422
    assert next(iter(query)) in answer.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    ("benchmark", "ranks", "sentence"),
    [
        ({"algorithms": ["mpi"]}, 2, "benchmark.trace: mpi has no schedule to trace; name one of ring, "),
        (
            {"transport": "nccl", "algorithms": ["ring"]},
            2,
            "benchmark.trace: transport nccl cannot be traced; choose ",
        ),
        ({}, 65, "benchmark.trace: 65 ranks are too many to trace; at most 64 can be traced, so leave it out."),
        ({}, 64, "benchmark.trace: 96 operations of 64 ranks are too many to trace; at most 12 can be traced ("),
    ],
)
async def test_what_cannot_be_followed_is_refused(
    server: Server, benchmark: dict[str, Any], ranks: int, sentence: str
) -> None:
    await server.node()
    answer = await server.admin.post(
        "/api/v1/jobs", json={"benchmark": benchmark | {"trace": True}, "placement": {"ranks": ranks}}
    )
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["pointer"] == "/benchmark/trace"
    assert error["detail"].startswith(sentence)


async def test_a_viewer_may_look(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    await agent.records(attempt, trace(0))
    viewer = await server.person("viewer")
    for what in ("traces", "trace", "trace.perfetto.json"):
        assert (await viewer.get(f"/api/v1/jobs/{job_id}/{what}")).status_code == 200
        assert (await server.client().get(f"/api/v1/jobs/{job_id}/{what}")).status_code == 401

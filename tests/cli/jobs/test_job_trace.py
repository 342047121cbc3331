"""`ringscope trace --job` and `--trace`: what is asked of the server, and what is printed of its answer."""

import json
from pathlib import Path
from typing import Any

from tests.cli.fake_api import FakeApi, refusal

from ringscope.bench.simulation import simulated_records
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.operation_trace import OperationTrace, TracedOperation
from ringscope.contracts.record import Trace
from ringscope.cost.traces.operation_trace import Clock, operations

TRACES: dict[str, Any] = {"items": []}


def traced(**more: Any) -> dict[str, Any]:
    """A ring of four ranks on two nodes, as the server answers it."""
    spec = BenchmarkSpec.model_validate(
        {
            "transport": "simulated",
            "topology": {"shape": "2x2", "link": "10GB/s", "latency_us": 5, "intra": "100GB/s", "channels": 1},
            "algorithms": ["ring"],
            "min_bytes": 4096,
            "max_bytes": 4096,
            "trace": True,
        }
    )
    records = [record for record in simulated_records(spec, 0) if isinstance(record, Trace)]
    clocks = {rank: Clock(f"n{rank // 2}", 0, 20_000 if rank < 2 else None) for rank in range(4)}
    found: OperationTrace = operations(records, clocks)[0]
    return found.model_dump(mode="json") | more


def test_it_is_told_step_by_step(api: FakeApi) -> None:
    trace = traced(prediction={"duration_ns": 30_600, "parameters": "fitted to 8 rows of this job"})
    operation = {name: trace[name] for name in TracedOperation.model_fields}
    others = [operation | {"size_bytes": size} for size in (4096, 65536)]
    api.answers = {"GET /jobs/7/trace": trace, "GET /jobs/7/traces": {"items": others}}
    done = api.run("trace", "ring", "--job", "7", "--size", "4K", "--in-place", "0")
    assert (done.code, done.err) == (0, "")
    asked = next(asked for asked in api.asked if asked.path == "/jobs/7/trace")
    assert asked.query == {"size_bytes": ["4096"], "algorithm": ["ring"], "in_place": ["false"]}
    first, heading, *lines = done.out.splitlines()
    assert first == ("Job 7: SIMULATED all_reduce ring of 4 KiB out of place over simulated, 4 ranks: 30.61 us")
    assert heading.split() == ["STEP", "PHASE", "BEGINS", "ENDS", "MODEL", "ENDS"]
    assert [line.split()[:2] for line in lines[:6]] == [
        [str(step), "reduce_scatter" if step < 3 else "all_gather"] for step in range(6)
    ]
    assert lines[6] == "model: 30.6 us; its parameters: fitted to 8 rows of this job"
    assert lines[8].split()[:4] == ["RANK", "STEP", "TRANSFER", "CHUNKS"]
    assert [line.split()[9] for line in lines[9:14]] == ["5.103", "5.103", "5.103", "5.103", "5.102"], "between nodes"
    assert [line.split()[:3] for line in lines[16:18]] == [["n0", "to", "n1"], ["n1", "to", "n0"]]
    assert "errors: n0 20 us, n1 not known." in done.out
    assert lines[-1] == "The job has 2 traces; choose by ALGORITHM, --size (4 KiB, 64 KiB) and --in-place 0 or 1."


def test_json_is_the_servers_answer(api: FakeApi) -> None:
    trace = traced()
    api.answers = {"GET /jobs/7/trace": trace, "GET /jobs/7/traces": TRACES}
    assert json.loads(api.run("trace", "--job", "7", "--json").out) == trace


def test_a_file_for_perfetto(api: FakeApi, tmp_path: Path) -> None:
    api.answers = {"GET /jobs/7/trace": traced(), "GET /jobs/7/traces": TRACES}
    file = tmp_path / "trace.json"
    assert api.run("trace", "--job", "7", "--perfetto", str(file)).code == 0
    assert json.loads(file.read_text())["otherData"]["title"] == "SIMULATED job 7"
    done = api.run("trace", "--job", "7", "--perfetto", "/nowhere/x.json")
    assert (done.code, done.err.partition(" (")[0]) == (2, "--perfetto: /nowhere/x.json cannot be written")


def test_what_the_server_refuses_is_one_sentence(api: FakeApi) -> None:
    api.answers = {"GET /jobs/7/trace": refusal(404, "no_trace", "Job 7 has no trace; submit one.")}
    done = api.run("trace", "--job", "7")
    assert (done.code, done.out, done.err) == (2, "", "Job 7 has no trace; submit one.\n")


def test_bad_input_is_refused_before_anything_is_asked(api: FakeApi) -> None:
    done = api.run("trace", "--job", "7", "--size", "lots")
    assert done.code == 2
    assert done.err.startswith("--size: 'lots' is not a size; ")
    done = api.run("trace")
    assert done.code == 2
    assert done.err.startswith("ALGORITHM: give one of ring, ")
    assert api.asked == []


def test_submit_asks_for_a_trace(api: FakeApi) -> None:
    api.answers = {"POST /jobs": refusal(422, "invalid_request", "No.")}
    api.run("submit", "--trace", "--ranks", "2")
    assert api.last.body["benchmark"] == {"trace": True}
    api.run("submit", "--ranks", "2")
    assert "benchmark" not in api.last.body

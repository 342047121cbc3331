"""A job's trace gets from its ranks through agent and server to the command line."""

import json
import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.lab import Lab

from ringscope.schedules.algorithms import build

pytestmark = pytest.mark.long

RANKS = 3
SIZES = (4096, 65536)
SWEEP = ["-b", "4K", "-e", "64K", "-f", "16", "-n", "4", "-w", "1", "--ranks", "3", "--algorithm", "ring,direct,mpi"]


@pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
def test_a_jobs_trace_is_its_schedule(lab: Lab, tmp_path: Path, transport: str) -> None:
    done = lab.run("submit", "--wait", "--json", "--trace", "--transport", transport, *SWEEP)
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert job["spec"]["benchmark"]["trace"] is True
    for algorithm, size_bytes, in_place in product(("ring", "direct"), SIZES, (False, True)):
        flags = ("--size", str(size_bytes), "--in-place", str(int(in_place)), "--json")
        shown = lab.run("trace", algorithm, "--job", str(job["id"]), *flags)
        assert shown.returncode == 0, shown.stderr
        assert_is_the_schedule(json.loads(shown.stdout), algorithm, size_bytes, in_place, transport)

    with lab.client() as client:
        listed = client.traces(job["id"])
    assert len(listed) == 2 * 2 * 2, "the library's own cannot be followed"
    shown = lab.run("trace", "--job", str(job["id"]), "--perfetto", str(tmp_path / "ring.json"))
    assert shown.stdout.startswith(
        f"Job {job['id']}: all_reduce ring of 64 KiB out of place over {transport}, 3 ranks: "
    )
    assert "; its parameters: " in shown.stdout
    events = json.loads((tmp_path / "ring.json").read_text())["traceEvents"]
    assert {event["pid"] for event in events} == set(range(RANKS))


def assert_is_the_schedule(
    trace: dict[str, Any], algorithm: str, size_bytes: int, in_place: bool, transport: str
) -> None:
    assert (trace["algorithm"], trace["size_bytes"], trace["in_place"]) == (algorithm, size_bytes, in_place)
    assert trace["transport"] == transport
    assert [rank["rank"] for rank in trace["ranks"]] == list(range(RANKS))
    schedule = build(algorithm, RANKS, size_bytes // 4)
    wanted = Counter((t.src, t.dst, t.step, t.chunk) for t in schedule.transfers())
    told = {True: Counter[Any](), False: Counter[Any]()}
    for row in trace["rows"]:
        ends = (row["rank"], row["peer"]) if row["is_send"] else (row["peer"], row["rank"])
        told[row["is_send"]].update((*ends, row["step"], chunk) for chunk in row["chunks"])
    if transport == "mpi":
        assert told[True] == told[False] == wanted
    else:
        assert told[True] + told[False] == wanted
    ends_ns = {rank["rank"]: (rank["started_ns"], rank["ended_ns"]) for rank in trace["ranks"]}
    for row in trace["rows"]:
        started_ns, ended_ns = ends_ns[row["rank"]]
        assert started_ns <= row["start_ns"] <= row["done_ns"] <= ended_ns
        assert row["predicted_ns"] is None or row["predicted_ns"] > 0
    assert trace["prediction"]["duration_ns"] > 0
    sent = Counter[int]()
    for row in trace["rows"]:
        if row["is_send"] or transport != "mpi":
            sent[row["rank"] if row["is_send"] else row["peer"]] += row["bytes"]
    assert [sent[rank] for rank in range(RANKS)] == [4 * count for count in schedule.elements_sent()]


def test_a_simulated_jobs_trace_is_the_models(lab: Lab) -> None:
    cluster = ("--transport", "simulated", "--topology", "2x4", "--link", "ib200", "--gamma", "100GB/s")
    done = lab.run(
        "submit", "--wait", "--json", "--trace", *cluster, "--algorithm", "hierarchical", "-b", "1M", "-e", "1M"
    )
    assert done.returncode == 0, done.stderr
    job_id = str(json.loads(done.stdout)["id"])
    trace = json.loads(lab.run("trace", "--job", job_id, "--json").stdout)
    assert (trace["transport"], len(trace["ranks"])) == ("simulated", 8)
    assert trace["prediction"]["duration_ns"] == trace["duration_ns"]
    assert "SIMULATED" in lab.run("trace", "--job", job_id).stdout


def test_a_job_that_was_not_traced_says_how(lab: Lab) -> None:
    done = lab.run("submit", "--wait", "--json", "--ranks", "2", "--algorithm", "ring", "-e", "8", "-n", "2")
    job_id = json.loads(done.stdout)["id"]
    shown = lab.run("trace", "--job", str(job_id))
    assert (shown.returncode, shown.stdout) == (2, "")
    # By whatever name it was started here.
    submit = r"`\S+ submit --trace`"
    assert re.fullmatch(f"Job {job_id} has no trace; submit a benchmark with trace true, or {submit}.\n", shown.stderr)

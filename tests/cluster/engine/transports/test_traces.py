"""Traces of real transports: every algorithm, on real ranks."""

import json
from pathlib import Path

import pytest
from tests.cluster.engine.test_bench import bench, bench_here

OPERATIONS = 352  # collectives and algorithms, counts, places, twice


@pytest.mark.long
@pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_a_trace_tells_exactly_the_schedule(gang, ranks, transport):
    done = gang(ranks, "trace_main.py", transport)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"traced {OPERATIONS}\n") == ranks


@pytest.mark.long
@pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
def test_bench_writes_what_it_followed_for_perfetto(tmp_path: Path, transport):
    file = tmp_path / "trace.json"
    sweep = ["-b", "4K", "-e", "64K", "-f", "16", "-n", "2", "-w", "1", "-N", "2", "--algorithm", "ring,mpi,direct"]
    done = bench("--ranks", "3", "--transport", transport, *sweep, "--trace", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    events = json.loads(file.read_text())["traceEvents"]
    operations = [e["name"] for e in events if e["ph"] == "X" and e["cat"] == "operation" and e["pid"] == 1]
    places = [f"{size} {place}" for size in ("4 KiB", "64 KiB") for place in ("out of place", "in place")]
    assert sorted(operations) == sorted(f"{name} {place}" for name in ("ring", "direct") for place in places)
    phases = {e["cat"] for e in events if e["ph"] == "X"}
    assert phases == {"operation", "reduce_scatter", "all_gather"}


def test_bench_that_cannot_be_followed_says_so(tmp_path: Path):
    done = bench_here("--algorithm", "mpi", "--trace", str(tmp_path / "x"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("benchmark.trace: mpi has no schedule to trace; name one of ring, ")
    done = bench_here("--algorithm", "ring", "--trace", "/nowhere/x.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("--trace: /nowhere/x.json cannot be written (No such file or directory); ")

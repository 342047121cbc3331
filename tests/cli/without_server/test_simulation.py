"""`ringscope bench --transport simulated`: a sweep in model time, without MPI, that says what it is."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import assert_refused, clean_environment, run_ringscope

SWEEP = ("-b", "1M", "-e", "4M", "-f", "4", "-n", "3")
CLUSTER = ("--transport", "simulated", "--topology", "4x8", "--link", "ib200")


def test_the_table_and_the_json_say_simulated(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    algorithms = ("--algorithm", "ring,hierarchical")
    done = run_ringscope("bench", *CLUSTER, *SWEEP, *algorithms, "--json", str(path), environment=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    made_up = (
        "# SIMULATED: times of the cost model for a described cluster (4x8 ranks, ib200 between nodes, nvlink4 inside)"
    )
    assert sum(line.startswith(made_up) for line in lines) == 2
    assert sum("transport: simulated ranks: 32" in line for line in lines) == 2
    assert sum("validation: 0" in line for line in lines) == 2, "nothing is checked"
    rows = [line.split() for line in lines if line and not line.startswith("#")][:-1]
    assert [(row[8], row[12]) for row in rows] == [("N/A", "N/A")] * 4
    assert lines[-1].endswith("times as fast as ring (simulated).")
    document = json.loads(path.read_text())
    assert {(r["transport"], r["ranks"]) for r in document["results"]} == {("simulated", 32)}
    assert document["simulated"]["shape"] == "4x8"
    assert document["config"]["validation"] == 0


def test_ranks_alone_are_a_flat_cluster() -> None:
    done = run_ringscope(
        *("bench", "broadcast", "--transport", "simulated", "--ranks", "5", "--link", "1GB/s"),
        *("-b", "8K", "-e", "8K", "--algorithm", "tree"),
        environment=clean_environment(),
    )
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [line.split() for line in done.stdout.splitlines() if line and line[0] == " "]
    assert float(row[5]) == pytest.approx(3 * 8.192, rel=1e-3), "three levels of 8 KiB at 1 GB/s"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--topology", "4x8"), "benchmark.topology: only transport simulated takes a described cluster, not auto"),
        ((*CLUSTER, "--ranks", "9"), "--ranks: 4x8 has 32 ranks, not 9; leave --ranks out."),
        ((*CLUSTER, "--algorithm", "ring,mpi"), "benchmark.algorithms[1]: mpi has no schedule to simulate"),
        ((*CLUSTER, "--device", "cuda"), "benchmark.device: a simulation runs on no device; leave it at auto."),
        ((*CLUSTER, "--latency", "soon"), "--latency: 'soon' is not a duration"),
        ((*CLUSTER, "--nics", "9"), "benchmark.topology.nics_per_node: 9 cards are more than a node has ranks"),
    ],
)
def test_what_makes_no_simulation_is_refused(arguments: tuple[str, ...], sentence: str) -> None:
    assert_refused(run_ringscope("bench", *arguments, environment=clean_environment()), sentence)


def test_channels_that_nothing_would_take_are_refused() -> None:
    arguments = ("bench", "broadcast", "--algorithm", "tree", "--channels", "2")
    assert_refused(
        run_ringscope(*arguments, environment=clean_environment()),
        "--channels: nothing of broadcast goes in several by tree; name ring, or leave it out.",
    )

"""`ringscope bench` from the outside: tables, JSON, exit codes, and no process left behind."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.bench.nccl_tests_reader import tables
from tests.cli.conftest import run_ringscope
from tests.cluster.lab import eventually, kill_in_a_call

RINGSCOPE = str(Path(sys.executable).with_name("ringscope"))
DEADLINE_SECONDS = 120
SMALL = ["-b", "8", "-e", "64K", "-f", "16", "-n", "3", "-w", "1"]

SHARES = [("0", "0"), ("96", "8"), ("2016", "168"), ("32736", "2728")]


def bench(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RINGSCOPE, "bench", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


def bench_here(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, for what is refused before ranks start."""
    return run_ringscope("bench", *arguments, environment=dict(os.environ))


def test_three_tables_a_verdict_and_json(tmp_path):
    out = tmp_path / "out.json"
    done = bench("all_reduce", "--ranks", "2", *SMALL, "-n", "12", "--algorithm", "direct,ring,mpi", "--json", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[6] for line in lines if "starting" in line] == ["direct", "ring", "mpi"]
    tables, _, told = done.stdout.rpartition("#\n")
    rows = [line.split() for line in tables.splitlines() if line and not line.startswith("#")]
    assert [row[0] for row in rows] == ["8", "128", "2048", "32768"] * 3
    assert all(len(row) == 13 and row[8] == row[12] == "0" for row in rows)
    assert "At 32 KiB" in told  # the winner, or that no algorithm can be distinguished
    document = json.loads(out.read_text())
    assert [result["algorithm"] for result in document["results"][::4]] == ["direct", "ring", "mpi"]
    assert len(document["config"]["devices"]) == 2


@pytest.mark.long
def test_a_parser_of_nccl_tests_reads_every_column(tmp_path):
    out = tmp_path / "out.json"
    letters = ["-i", "16K", "-m", "2", "-N", "2", "-z", "1", "-a", "3", "-I", "1", "-K", "1", "-S", "1", "-g", "1"]
    sweep = ["-b", "16K", "-e", "48K", "-n", "4", "-w", "1", "--rotate", "1", "-J", str(out)]
    done = bench("--ranks", "2", *sweep, *letters, "--algorithm", "ring,mpi")
    assert (done.returncode, done.stderr) == (0, "")
    read = list(tables(done.stdout))
    for table in read:
        assert len(table.columns) == 21 + 1
        assert [row.size for row in table.rows] == [16384, 32768, 49152] * 2
        assert all(row.time and row.out_of_place["#wrong"] == row.in_place["#wrong"] == 0 for row in table.rows)
        assert all(row.out_of_place["i_min"] <= row.out_of_place["i_max"] for row in table.rows)
        assert (table.parameters["step"], table.step_kind, table.out_of_bounds) == (16384, "bytes", 0)
    document = json.loads(out.read_text())
    assert [result["cycle"] for result in document["results"]] == [0, 0, 0, 1, 1, 1] * 2
    assert all(len(result["in_place_per_iter"]["times_us"]) == 4 for result in document["results"])
    assert document["ringscope"]["nodes"][0]["versions"]["numpy"]


@pytest.mark.long
def test_another_collective():
    done = bench("alltoall", "--ranks", "3", *SMALL)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")][:-1]
    assert [row[:5] for row in rows] == [[size, count, "float", "none", "-1"] for size, count in SHARES] * 2
    assert all((row[8], row[12]) == ("0", "N/A") for row in rows)
    assert "No winner: a comparison needs at least 12 iterations of each, and there are 3." in done.stdout


@pytest.mark.long  # the gate has each half: test_rank.py finds it, tests/bench/test_nccl_tests.py prints it
def test_a_wrong_element_is_exit_code_1():
    done = bench("--ranks", "2", *SMALL, "--algorithm", "ring", RINGSCOPE_FAULT="wrong_element")
    assert done.returncode == 1
    assert "# Out of bounds values : 8 FAILED" in done.stdout
    assert "Wrong results: 8 elements differ from the exact answer." in done.stdout
    assert "Rank 0: The result check found 8 wrong elements" in done.stderr
    assert "BAD TERMINATION" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--algorithm", "ring,star"], "benchmark.algorithms[1]: unknown algorithm 'star'; choose one of auto, ring, "),
        (["-b", "2M", "-e", "1M"], "benchmark.min_bytes: min_bytes 2097152 is larger than max_bytes 1048576; "),
        (["-e", "lots"], "-e: 'lots' is not a size; write for example 64K or 64KiB"),
        (["--ranks", "0"], "placement.ranks: 0 is too small; give 1 or more."),
        (["-n", "-1"], "benchmark.iterations: -1 is too small; give 1 or more."),
        (["-d", "quarter"], "benchmark.dtype: unknown dtype 'quarter'; choose one of int8, uint8, int32, uint32, "),
        (["-N", "0"], "benchmark.cycles: 0 is too small; give 1 or more."),
        (
            ["-I", "1", "-K", "20"],
            "benchmark.skip_iterations: 20 of 20 iterations leave no iteration to report; lower skip_iterations",
        ),
        (["-i", "1"], "benchmark.step_bytes: the sweep would have 402653142 rows, but at most 100000 are kept; "),
        (["-a", "5"], "benchmark.average: unknown average '5'; choose one of rank0, mean, min, max."),
        (["-g", "8"], "-g: ranks are processes here, each with a GPU at most; give --ranks."),
        (["scan"], "benchmark.collective: unknown collective 'scan'; choose one of all_reduce, reduce_scatter, "),
        (["reduce", "--algorithm", "direct"], "benchmark.algorithms[0]: reduce has no algorithm direct; choose from "),
        (["--json", "/nowhere/x.json"], "--json: /nowhere/x.json cannot be written (No such file or directory); "),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, sentence):
    done = bench_here(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1


def test_missing_mpi_is_one_line():
    code = (
        "import sys; sys.modules['mpi4py'] = None; sys.argv[1:] = ['bench', '-e', '8'];"
        "from ringscope.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
    )
    assert done.returncode == 2
    assert done.stderr == ("MPI is missing (mpi4py was not found); pip install 'ringscope[worker]' installs one.\n")


@pytest.fixture
def endless() -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """A sweep that would take for ever, once its ranks are at work, and all processes that belong to it."""
    command = [RINGSCOPE, "bench", "--ranks", "2", "-b", "64K", "-e", "64K", "-n", "1000000", "--algorithm", "ring"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    family: list[psutil.Process] = []

    def at_work() -> bool:
        family[:] = psutil.Process(process.pid).children(recursive=True)
        ranks = [p for p in family if _is_rank(p)]
        return len(ranks) == 2 and all(_has_mpi(rank) for rank in ranks)

    try:
        eventually(at_work, "two ranks at work")
        yield process, family
    finally:
        process.kill()
        process.communicate(timeout=DEADLINE_SECONDS)


@pytest.mark.parametrize(
    ("number", "exit_code"),
    [
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.long),  # tests/cli/start/test_start.py
        pytest.param(signal.SIGTERM, 130, marks=pytest.mark.long),  # as SIGINT
        (signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_however_it_ends_no_process_is_left(endless, number, exit_code):
    process, family = endless
    process.send_signal(number)
    _, errors = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == exit_code
    assert "Traceback" not in errors
    eventually(lambda: not any(_is_alive(member) for member in family), "the end of every process")


def test_a_rank_that_is_killed_is_named_with_its_step(endless):
    process, family = endless
    victim = next(member for member in family if _is_rank(member))
    rank = victim.environ()["PMI_RANK"]
    kill_in_a_call(victim)
    _, errors = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 1
    assert re.search(rf"^Rank {rank} was killed by SIGKILL \(9\) in step [01]\.$", errors, re.MULTILINE), errors


def _is_rank(process: psutil.Process) -> bool:
    try:
        return process.cmdline()[1:] == ["-m", "ringscope.rank"]  # mpiexec's ends so as well
    except psutil.Error:
        return False


def _has_mpi(process: psutil.Process) -> bool:
    try:
        return any("libmpi" in mapped.path for mapped in process.memory_maps())
    except psutil.Error:
        return False


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

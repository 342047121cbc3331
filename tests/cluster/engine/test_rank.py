"""The rank program: its records, its exit codes, and what it says when something is wrong."""

import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import (
    EXIT_BAD_INPUT,
    EXIT_FAILURE,
    EXIT_VERIFICATION_FAILED,
    SOCKET_VARIABLE,
    SPEC_VARIABLE,
)
from ringscope.contracts.record import (
    RECORD,
    Check,
    Done,
    Environment,
    Failure,
    Hello,
    Log,
    Measurement,
    Record,
    Started,
    Steps,
)
from ringscope.contracts.words.collectives import COLLECTIVES as EVERY_COLLECTIVE
from ringscope.contracts.words.collectives import available
from ringscope.rank.local import Run, run_local
from ringscope.rank.program import read_spec
from ringscope.rank.receiver import Receiver

SWEEP = {"min_bytes": 4, "max_bytes": 4096, "step_factor": 32, "iterations": 7, "warmup": 1}
# What a sweep does, it does alike on both: the gate has each transport's own results in transports/.
ON_ONE_TRANSPORT = pytest.mark.parametrize("transport", ["shared_memory", pytest.param("mpi", marks=pytest.mark.long)])
COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "alltoall")
SECRET = "hunter2"
AVERAGES = {"rank0": lambda times: times[0], "min": min, "mean": np.mean}
ONE_RING = {"algorithms": ["ring"], "min_bytes": 4096}
ALL_OPTIONS = {"aggregate": 3, "skip_iterations": 2, "per_iteration": True, "cycles": 2, "blocking": 3}
ROTATED = {
    name: {
        "collective": name,
        "algorithms": [algorithm for algorithm in available(name) if algorithm not in ("gloo", "nccl")],
        "min_bytes": 24,
        "max_bytes": 5000,
        "step_factor": 7,
        "iterations": 3,
        "rotate": True,
    }
    for name in COLLECTIVES
}
NOTHING = {
    f"nothing of {name}": {
        "collective": name,
        "algorithms": [algorithm for algorithm in available(name) if algorithm not in ("gloo", "nccl")],
        "min_bytes": 0,
        "max_bytes": 0,
    }
    for name in EVERY_COLLECTIVE
}
# Each is a test's; they run on the same two ranks.
SWEEPS = {
    "turns": ONE_RING | {"algorithms": ["ring", "direct"], "iterations": 20},
    "options": ONE_RING | ALL_OPTIONS | {"average": "max", "iterations": 9},
    "odd sizes": {"algorithms": ["ring"], "min_bytes": 1, "max_bytes": 9, "step_factor": 3},
    "unchecked": {"algorithms": ["direct"], "check": False},
    "too large": ONE_RING | {"iterations": 1, "min_bytes": 64 << 10, "max_bytes": 64 << 30, "step_factor": 1 << 10},
    **{average: ONE_RING | {"average": average} for average in AVERAGES},
    **ROTATED,
    **NOTHING,
}


def run_job(ranks: int, **benchmark: object) -> tuple[Run, list[Record]]:
    benchmark = SWEEP | benchmark
    job = JobSpec.model_validate({"benchmark": benchmark, "placement": {"ranks": ranks}})
    run = Run()
    return run, list(run_local(job, run))


@cache
def everything(ranks: int, transport: str) -> tuple[Run, list[Record]]:
    """A job of several algorithms, some of ours and MPI's, in an environment that says something."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NCCL_ALGO", "Ring")
        patch.setenv("RINGSCOPE_TOKEN", SECRET)
        patch.setenv("NCCL_SOME_KEY", SECRET)
        return run_job(ranks, algorithms=["ring", "direct", "naive", "mpi"], transport=transport)


class Told:
    """The records that the ranks of one gang sent for one of its sweeps."""

    def __init__(self, ranks: list[list[Record]]) -> None:
        self.ranks = ranks
        self.measurements = [record for record in ranks[0] if isinstance(record, Measurement)]
        self.logs = [record.text for record in ranks[0] if isinstance(record, Log)]
        self.steps = [[record for record in records if isinstance(record, Steps)] for records in ranks]

    def durations_us(self, row: Measurement) -> np.ndarray:
        """Return the durations of a row's iterations, one line for each rank. Cycles follow one another."""
        count = row.iterations
        return np.array([
            [
                duration_us
                for block in blocks
                if (block.algorithm, block.in_place) == (row.algorithm, row.in_place)
                for duration_us in block.duration_us
            ][row.cycle * count : (row.cycle + 1) * count]
            for blocks in self.steps
        ])  # fmt: skip


def run_sweeps(gang, folder: Path, ranks: int, transport: str, sweeps: dict[str, dict[str, object]]) -> dict[str, Told]:
    """Sweeps by their names, one after another in one gang."""
    (folder / "sweeps.json").write_text(json.dumps({name: SWEEP | sweep for name, sweep in sweeps.items()}))
    done = gang(ranks, "sweeps_main.py", str(folder), transport)
    assert done.returncode == 0, done.stdout + done.stderr
    files = [json.loads((folder / f"{rank}.json").read_text()) for rank in range(ranks)]
    return {name: Told([list(map(RECORD.validate_json, told[name])) for told in files]) for name in sweeps}


@pytest.fixture(scope="module")
def told(gang, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """Run SWEEPS on two ranks and return the records of each sweep."""
    return run_sweeps(gang, tmp_path_factory.mktemp("sweeps"), 2, "auto", SWEEPS)


@pytest.mark.parametrize(
    ("ranks", "transport"),
    [*(pytest.param(*case, marks=pytest.mark.long) for case in ((1, "auto"), (2, "mpi"))), (3, "auto")],
)
def test_a_sweep_tells_everything_in_order(ranks, transport):
    run, records = everything(ranks, transport)
    assert (run.exit_code, run.reason, run.output) == (0, "", "")
    assert Counter(type(record) for record in records) == {
        Started: ranks,
        Hello: ranks,
        Environment: 1,
        Measurement: 3 * 4 * 2,
        Done: ranks,
    }
    for rank in range(ranks):
        own = [r for r in records if getattr(r, "rank", None) == rank]
        assert [type(record) for record in own[:2]] == [Started, Hello]
        assert own[-1] == Done(rank=rank, dropped=0)


@pytest.mark.long
def test_rings_go_in_the_channels_that_the_job_asks_for_and_rows_say_so(told):
    usual = {row.algorithm: row.channels for row in told["turns"].measurements}
    assert usual == {"ring": 1, "direct": None}
    run, records = run_job(4, algorithms=["ring", "double_tree", "direct"], channels=2)
    assert (run.exit_code, run.reason) == (0, "")
    rows = [record for record in records if isinstance(record, Measurement)]
    assert {row.algorithm: row.channels for row in rows} == {"ring": 2, "double_tree": 2, "direct": None}
    assert all(row.wrong == 0 for row in rows)


def test_the_steps_of_a_sweep_are_noted_in_the_order_of_their_time(told):
    own = told["turns"].steps[1]
    ends = [block.first_step + len(block.start_ns) for block in own]
    assert [block.first_step for block in own[1:]] == ends[:-1]
    starts_ns = [start_ns for block in own for start_ns in block.start_ns]
    assert starts_ns == sorted(starts_ns)
    assert {(block.op, block.transport, block.bytes, block.bus_factor) for block in own} == {
        ("all_reduce", "shared_memory", 4096, 1.0)
    }
    assert all(min(block.duration_us) > 0 for block in own)


def test_every_candidate_has_a_block_in_each_round_in_an_order_of_its_own(told):
    steps = told["turns"].steps[0]
    turns = [(block.algorithm, block.in_place) for block in steps for _ in block.start_ns]
    candidates = set(product(["ring", "direct"], (False, True)))
    orders = [tuple(turns[first : first + 4]) for first in range(0, len(turns), 4)]
    assert len(orders) == 20 and all(set(order) == candidates for order in orders)
    assert len(set(orders)) > 5


def assert_nothing_was_moved(told: dict[str, Told]) -> None:
    for name, sweep in NOTHING.items():
        rows = told[name].measurements
        algorithms = [row.algorithm for row in rows if not row.in_place]
        assert algorithms == [row.algorithm for row in rows if row.in_place] == sweep["algorithms"]
        assert {(row.collective, row.size_bytes, row.wrong or 0) for row in rows} == {(sweep["collective"], 0, 0)}


def test_a_sweep_may_be_of_no_bytes(told):
    assert_nothing_was_moved(told)


@pytest.mark.parametrize(
    ("ranks", "transport"), [(1, "shared_memory"), *(pytest.param(n, "mpi", marks=pytest.mark.long) for n in (1, 3))]
)
def test_a_sweep_of_no_bytes_runs_on_any_ranks(gang, tmp_path, ranks, transport):
    assert_nothing_was_moved(run_sweeps(gang, tmp_path, ranks, transport, NOTHING))


def test_the_statistics_are_those_of_the_steps_as_the_options_say(told):
    run = told["options"]
    assert [(m.cycle, m.in_place) for m in run.measurements] == list(product((0, 1), (False, True)))
    assert {block.bytes for ranks in run.steps for block in ranks} == {3 * 4096}
    for m in run.measurements:
        durations = run.durations_us(m)
        assert durations.shape == (2, 9)
        assert (durations > 0).all()
        assert m.time_us == pytest.approx(durations.mean(axis=1).max() / 3)
        slowest = durations.max(axis=0) / 3
        assert m.times_us == pytest.approx(slowest.tolist())
        assert (m.min_us, m.max_us) == pytest.approx((slowest[2:].min(), slowest[2:].max()))
        assert m.mean_us == pytest.approx(slowest[2:].mean())
        assert m.wrong == 0


@pytest.mark.parametrize("average", AVERAGES)
def test_the_time_of_a_row_is_of_the_ranks_that_the_job_names(told, average):
    run = told[average]
    assert len(run.measurements) == 2
    for m in run.measurements:
        assert m.time_us == pytest.approx(AVERAGES[average](run.durations_us(m).mean(axis=1)))
        assert m.algbw_gb_per_s == pytest.approx(m.size_bytes / m.time_us / 1e3)


def test_results_are_right_wherever_in_memory_they_lie(told):
    assert_right_in_rotation(told)


@pytest.mark.long
@pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
def test_results_of_three_ranks_are_right_wherever_in_memory_they_lie(gang, tmp_path, transport):
    assert_right_in_rotation(run_sweeps(gang, tmp_path, 3, transport, ROTATED))


def assert_right_in_rotation(told):
    for name, sweep in ROTATED.items():
        rows = told[name].measurements
        assert len(rows) == 3 * 2 * len(sweep["algorithms"])
        assert {m.wrong for m in rows} <= {0, None}
        assert any(m.wrong == 0 for m in rows)


def test_the_first_rank_of_the_node_tells_what_they_run_in():
    run, records = everything(3, "auto")
    (told,) = run.environments
    assert (told.rank, told.ranks) == (0, [0, 1, 2])
    assert told.variables["NCCL_ALGO"] == "Ring"
    assert {"ringscope", "python", "numpy", "mpi4py", "mpi", "mpi_library", "kernel"} <= set(told.versions)
    assert SECRET not in "".join(record.model_dump_json() for record in records)
    for hello in run.hellos:
        assert hello.cpus == sorted(os.sched_getaffinity(0))


@pytest.mark.long  # the gate has one that stops: test_stalls.py
def test_a_rank_that_never_comes_is_named_within_the_timeout(gang, tmp_path):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"benchmark": {"timeout_seconds": 1}, "placement": {"ranks": 2}}))
    done = gang(2, "silent_rank_main.py", **{SPEC_VARIABLE: str(spec)})
    assert done.returncode == EXIT_FAILURE
    assert "Rank 0 waited 1 s for rank 1 in step 0; check whether rank 1 still runs" in done.stderr


def test_measurements_follow_the_formulas():
    run, _ = everything(3, "auto")
    shape = [(m.size_bytes, m.algorithm, m.in_place) for m in run.measurements]
    assert shape == list(product((4, 128, 4096), ("ring", "direct", "naive", "mpi"), (False, True)))
    for m in run.measurements:
        assert (m.count, m.dtype, m.ranks, m.wrong, m.iterations) == (m.size_bytes // 4, "float32", 3, 0, 7)
        assert m.algbw_gb_per_s == pytest.approx(m.size_bytes / m.time_us / 1e3)
        assert m.busbw_gb_per_s == pytest.approx(m.algbw_gb_per_s * 4 / 3)
        assert 0 < m.min_us <= m.p50_us <= m.p99_us <= m.max_us
        assert m.transport == ("mpi" if m.algorithm == "mpi" else "shared_memory")


def test_sizes_are_rounded_down_to_whole_elements(told):
    rows = told["odd sizes"].measurements
    assert [m.size_bytes for m in rows] == [0, 0, 0, 0, 8, 8]
    assert [m.algbw_gb_per_s for m in rows[:4]] == [0.0] * 4


def test_sizes_without_room_in_memory_are_left_out_and_said_to_be(told):
    rows, (log,) = told["too large"].measurements, told["too large"].logs
    assert [m.size_bytes for m in rows] == [64 << 10] * 2 + [64 << 20] * 2
    assert {m.lowered_max_bytes for m in rows} == {64 << 20}
    assert log.startswith("benchmark.max_bytes was lowered from 64 GiB to 64 MiB: the buffers of larger sizes do not")
    assert {m.lowered_max_bytes for m in told["odd sizes"].measurements} == {None}


def test_without_the_check_wrong_is_unknown(told):
    assert {m.wrong for m in told["unchecked"].measurements} == {None}


@ON_ONE_TRANSPORT
def test_a_wrong_element_is_found_and_fails_the_job(monkeypatch, transport):
    monkeypatch.setenv("RINGSCOPE_FAULT", "wrong_element")
    run, records = run_job(2, algorithms=["ring", "direct"], transport=transport)
    checks = [record for record in records if isinstance(record, Check)]
    assert run.exit_code == EXIT_VERIFICATION_FAILED
    assert [m.wrong for m in run.measurements] == [1] * 12, "the sweep is finished, each row says what was wrong"
    assert len(checks) == 12
    for check in checks:
        assert (check.rank, check.wrong, check.first_index) == (0, 1, check.size_bytes // 4 // 2)
        assert float(check.got) == float(check.want) + 1
    assert [failure.reason for failure in run.failures] == ["verification_failed"]
    assert run.reason == ("Rank 0: The result check found 12 wrong elements over all sizes, algorithms and ranks.")


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.long)])
def test_buffers_that_have_no_room_are_refused_with_the_remedy(ranks):
    run, _ = run_job(ranks, max_bytes=1 << 36, min_bytes=1 << 36)
    assert run.exit_code == EXIT_FAILURE
    assert {failure.reason for failure in run.failures} == {"oom"}
    assert f"The buffers of the ranks on {platform.node()} need" in run.reason
    assert "lower max_bytes or the number of ranks" in run.reason


def test_a_gang_of_the_wrong_size_is_refused(gang, tmp_path):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"placement": {"ranks": 4}}))
    done = gang(1, "ringscope.rank", **{SPEC_VARIABLE: str(spec)})
    assert done.returncode == EXIT_BAD_INPUT
    assert "the job asks for 4 ranks but 1 were started; start it with mpiexec -n 4." in done.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "RINGSCOPE_SPEC: cannot read"),
        ("{", "The request body is not valid JSON"),
        ('{"benchmark": {"algorithms": ["star"]}}', "benchmark.algorithms[0]: unknown algorithm 'star'"),
    ],
)
def test_a_bad_spec_is_told_in_a_sentence(tmp_path, content, sentence):
    spec = tmp_path / "spec.json"
    if content is not None:
        spec.write_text(content)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_spec(str(spec))


@pytest.mark.long  # the sentences: above; a line for what keeps a rank from starting: the socket's below
def test_a_bad_spec_is_told_in_one_line(gang, tmp_path):
    done = gang(1, "ringscope.rank", **{SPEC_VARIABLE: str(tmp_path / "nowhere")})
    assert done.returncode == EXIT_BAD_INPUT
    assert done.stderr.startswith("RINGSCOPE_SPEC: cannot read")
    assert "Traceback" not in done.stderr


def test_a_dead_socket_is_told_in_one_line(gang, tmp_path):
    spec = tmp_path / "spec.json"
    spec.write_text("{}")
    socket = str(Path(tmp_path, "nobody"))
    done = gang(1, "ringscope.rank", RINGSCOPE_SPEC=str(spec), RINGSCOPE_SOCKET=socket)
    assert done.returncode == EXIT_FAILURE
    assert "RINGSCOPE_SOCKET: cannot connect to the socket (No such file or directory)." in done.stderr


def test_importing_the_package_loads_no_engine():
    code = "import sys, ringscope, ringscope.contracts.job; sys.exit(bool({'mpi4py', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.long
def test_an_error_of_one_rank_ends_the_ranks_that_wait_for_it(gang, tmp_path):
    spec, socket, records = tmp_path / "spec.json", tmp_path / "socket", []
    spec.write_text(json.dumps({"placement": {"ranks": 3}}))
    with Receiver(socket) as receiver:
        done = gang(3, "lonely_failure_main.py", **{SPEC_VARIABLE: str(spec), SOCKET_VARIABLE: str(socket)})
        while not receiver.is_idle:  # the socket holds what the ranks sent; their stderr dies with the gang
            records += receiver.receive(0)
    assert done.returncode == EXIT_FAILURE
    (failure,) = (record for record in records if isinstance(record, Failure))
    assert (failure.rank, failure.message) == (1, "RuntimeError: a bug of one rank")
    assert "Traceback" not in done.stderr

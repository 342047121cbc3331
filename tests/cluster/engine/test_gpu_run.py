"""tests/gpu/run, without a GPU: what it says where something is missing, that it finds its tests, and its gangs."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.engine.fakes.fixture import PYTHONPATH

GPU = Path(__file__).parents[2] / "gpu"
DEADLINE_SECONDS = 180


def run(results: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(GPU / "run"), *arguments],
        env=os.environ | {"PYTHON": sys.executable, "RESULTS": str(results)} | environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
    )


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="here it may be able to run")
def test_it_starts_anywhere_and_says_what_is_missing(tmp_path):
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (2, "")
    lines = done.stdout.splitlines()
    assert any(
        line.startswith("cupy: MISSING (No module named 'cupy'); pip install 'cupy-cuda12x[ctk]'") for line in lines
    )
    assert any(line.startswith("mpi4py.MPI: ") for line in lines)
    assert lines[-1] == "Cannot test without: cupy. Install them, or name a Python that has them in PYTHON."
    assert (tmp_path / "facts.txt").read_text() == done.stdout


def test_a_python_without_any_package_is_told_each_one(tmp_path):
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    done = run(tmp_path, PYTHON=str(bare))
    assert (done.returncode, done.stderr) == (2, "")
    for name in ("numpy", "pydantic", "numkong", "httpx", "rich", "pytest", "mpi4py", "mpi4py.MPI", "cupy"):
        assert f"\n{name}: MISSING (" in done.stdout


@pytest.mark.long
def test_its_tests_are_found_without_our_plugins_and_eight_ranks_say_what_they_need():
    options = ("-c", "/dev/null", "--confcutdir", GPU, "--import-mode=importlib", "-p", "no:asyncio")
    command = (sys.executable, "-m", "pytest", *options, "--rootdir", GPU, "-rs", "-k", "eight_ranks", GPU)
    environment = os.environ | {"PYTHONPATH": PYTHONPATH, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\bcollected \d+ items / \d+ deselected / 2 selected", done.stdout)
    needs = "8 ranks need 4 GPUs, because they take turns for too long on fewer; this machine has 1."
    assert re.search(rf"^SKIPPED \[2\] .*: {re.escape(needs)}$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        (22809, "skipped, because nccl: ranks 0, 1 share one GPU, which NCCL 2.28.9 cannot; start one rank per GPU"),
        (23007, "possible"),
    ],
)
def test_an_old_nccl_is_skipped_where_ranks_share_a_gpu(version, answer):
    done = subprocess.run(
        [sys.executable, str(GPU / "possible.py"), "2"],
        env=os.environ | {"PYTHONPATH": PYTHONPATH, "FAKE_NCCL_VERSION": str(version)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, *others = done.stdout.splitlines()
    assert first.startswith(f"nccl: {answer}")
    assert others[0] == "cuda_ipc: possible"


@pytest.mark.long
def test_it_finds_its_tests_without_our_plugins_and_sweeps_what_is_possible(tmp_path):
    done = run(tmp_path, "2", "8", PYTHONPATH=PYTHONPATH, PYTEST_ADDOPTS="--collect-only -p no:asyncio")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b\d+ tests collected", done.stdout)
    assert "\nnccl: possible\ncuda_ipc: possible\nmpi: skipped, because " in done.stdout
    for transport in ("nccl", "cuda_ipc"):
        for name in (transport, f"{transport}-half", f"{transport}-half-own"):
            assert (tmp_path / f"{name}.json").exists()


@pytest.mark.long
def test_a_sweep_that_hangs_is_ended_and_the_others_follow(tmp_path):
    shim = tmp_path / "python"
    cases = '*nccl.json*) exec sleep 600;; "-m pytest "*) exit 0;;'  # pytest's own folders have its name, too
    shim.write_text(f'#!/bin/sh\ncase "$*" in {cases} esac\nexec "{sys.executable}" "$@"\n')
    shim.chmod(0o755)
    done = run(tmp_path, "2", "8", PYTHONPATH=PYTHONPATH, PYTHON=str(shim), SECONDS_EACH="15")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The sweep nccl was ended after 15 s." in done.stdout
    assert not (tmp_path / "nccl.json").exists()
    for name in ("nccl-half", "nccl-half-own", "cuda_ipc", "cuda_ipc-half", "cuda_ipc-half-own"):
        assert (tmp_path / f"{name}.json").exists(), name


def test_a_driver_that_is_not_there_and_a_tool_that_is_not_there_are_said(monkeypatch):
    spec = importlib.util.spec_from_file_location("gpu_facts", GPU / "facts.py")
    assert spec is not None and spec.loader is not None
    facts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(facts)
    with pytest.raises(LookupError, match="there is none"):
        facts.driver(type("Runtime", (), {"driverGetVersion": staticmethod(lambda: 0)}))
    assert facts.driver(type("Runtime", (), {"driverGetVersion": staticmethod(lambda: 13000)})) == 13000
    monkeypatch.setenv("PATH", "/nowhere")
    assert facts.nvidia_smi("topo -m").startswith("nvidia-smi topo -m: ")
    assert facts.shared_memory().endswith(" MiB")


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"gpu_{name}", GPU / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sweeps_become_one_table_and_one_json(tmp_path):
    def result(size, time_us, algorithm="ring"):
        row = {"time": time_us, "bus_bw": 1.5, "nwrong": 0}
        return {
            "size": size,
            "type": "float",
            "algorithm": algorithm,
            "ranks": 2,
            "transport": "nccl",
            "out_of_place": row,
        }

    results = [result(8, 12.3456), result(1 << 15, 15.0), result(1 << 16, 20), result(8, 9.0, "nccl")]
    (tmp_path / "nccl.json").write_text(json.dumps({"results": results}))
    (tmp_path / "facts.txt").write_text("Python 3.12 at x\nGPUs: 0 a fake\nnumpy: 2\n")
    assert loaded("summary").main(tmp_path) == 0
    lines = (tmp_path / "summary.md").read_text().splitlines()
    assert lines[2:] == [
        "| sweep | algorithm | 8 B | 32 KiB | 64 KiB | wrong |",
        "|---|---|--:|--:|--:|--:|",
        "| nccl | ring | 12.35 us, 1.5 | 15 us, 1.5 | 20 us, 1.5 | 0 |",
        "| nccl | nccl | 9 us, 1.5 |  |  | 0 |",
    ]
    told = json.loads((tmp_path / "summary.json").read_text())
    assert told["facts"] == ["Python 3.12 at x", "GPUs: 0 a fake"]
    assert [row["time_us"] for row in told["sweeps"]] == [12.3456, 15.0, 20, 9.0]
    assert loaded("summary").main(tmp_path) == 0, "its own file is no sweep"


def test_the_programs_that_its_tests_run_are_there():
    tests = (GPU / "test_transports.py").read_text()
    named = set(re.findall(r'(?:PROGRAMS|HERE) / "(\w+\.py)"', tests))
    assert len(named) >= 5
    assert all(
        (GPU / name).exists() or (GPU.parent / "cluster" / "engine" / "programs" / name).exists() for name in named
    )


@pytest.mark.long
@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc"])
def test_a_killed_rank_ends_its_peer(run_gang, transport):
    done = run_gang(2, GPU / "killed_main.py", transport, deadline_seconds=DEADLINE_SECONDS, PYTHONPATH=PYTHONPATH)
    assert done.returncode not in (0, None)
    assert "was ended after" not in done.stdout
    assert done.stdout.count("first call done") == 2, done.stdout
    assert "a call without a peer ended" not in done.stdout


@pytest.fixture
def run_gang():
    spec = importlib.util.spec_from_file_location("gpu_conftest", GPU / "conftest.py")
    assert spec is not None and spec.loader is not None
    conftest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conftest)
    return conftest.run_gang


STUCK = """
import signal, sys
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1 and sys.argv[1] == "raises":
    raise ValueError("rank 1 cannot go on")
sys.stdout.write("rank waits\\n")
sys.stdout.flush()
signal.pause()
"""


def test_an_exception_of_one_rank_ends_all_and_is_told(run_gang, tmp_path):
    program = tmp_path / "main.py"
    program.write_text(STUCK)
    done = run_gang(2, program, "raises", deadline_seconds=DEADLINE_SECONDS)
    assert done.returncode not in (0, None)
    assert "rank 1 cannot go on" in done.stdout


def test_what_ranks_said_before_the_deadline_is_printed(run_gang, tmp_path, capsys):
    program = tmp_path / "main.py"
    program.write_text(STUCK)
    start = time.monotonic()
    done = run_gang(2, program, "waits", deadline_seconds=3)
    assert time.monotonic() - start < DEADLINE_SECONDS
    assert done.returncode != 0
    assert "was ended after 3 s." in done.stdout
    assert done.stdout in capsys.readouterr().out

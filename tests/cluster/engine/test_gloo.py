"""gloo through PyTorch: exact on real ranks, and one sentence where PyTorch is not installed."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cluster.engine.test_bench import bench_here

RINGSCOPE = str(Path(sys.executable).with_name("ringscope"))
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed: pip install 'ringscope[train]'"
)


def bench(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    sizes = ["-b", "64", "-e", "64K", "-f", "1024", "-n", "2", "-w", "1"]
    return subprocess.run(
        [RINGSCOPE, "bench", *sizes, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("ranks", [1, 3])
def test_every_dtype_and_operation_is_exact(gang, ranks):
    done = gang(ranks, "gloo_main.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 704") == ranks


@needs_torch
@pytest.mark.long  # each loads PyTorch
@pytest.mark.parametrize("ranks", ["1", "2"])
def test_a_table_of_its_own_beside_ours(ranks):
    done = bench("--ranks", ranks, "--algorithm", "direct,mpi,gloo")
    assert (done.returncode, done.stderr) == (0, "")
    titles = [line.split() for line in done.stdout.splitlines() if "starting" in line]
    assert [(title[6], title[8]) for title in titles] == [
        ("direct", "shared_memory"),
        ("mpi", "mpi"),
        ("gloo", "gloo"),
    ]
    assert done.stdout.count("# Out of bounds values : 0 OK") == 3


def test_without_pytorch_one_sentence_says_so(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('not here')\n")  # found first, so it hides a real one
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = bench("--ranks", "1", "--algorithm", "gloo", PYTHONPATH=path)
    assert done.returncode == 1
    assert (
        "algorithms: gloo comes with PyTorch, which a rank does not have; pip install 'ringscope[train]'" in done.stderr
    )
    assert "Traceback" not in done.stderr


def test_only_all_reduce():
    done = bench_here("broadcast", "--ranks", "2", "--algorithm", "gloo")
    assert done.returncode == 2
    assert done.stderr.startswith("benchmark.algorithms[0]: broadcast has no algorithm gloo; choose from auto, ring, ")

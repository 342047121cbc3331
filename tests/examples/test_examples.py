"""Every example runs as its first lines say."""

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ranks import run_ranks

EXAMPLES = Path(__file__).parents[2] / "examples"
FAKE_CUPY = str(Path(__file__).with_name("fake_cupy"))
DEADLINE_SECONDS = 60


def run(name: str, ranks: int, **environment: str) -> subprocess.CompletedProcess[str]:
    python = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    return run_ranks(ranks, python, environment, DEADLINE_SECONDS)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_the_ring_sums_up(ranks):
    done = run("ring_by_hand.py", ranks)
    assert (done.returncode, done.stderr) == (0, "")
    total = ranks * (ranks + 1) // 2
    summary, _, numbers = done.stdout.partition(": ")
    assert summary == f"{ranks} ranks, 0 wrong elements"
    assert [float(number) for number in numbers.strip("[]\n").split()] == [i * total for i in range(10)]


@pytest.mark.parametrize("ranks", [2, 4])
def test_the_parameter_server_finds_the_weights(ranks):
    done = run("parameter_server_by_hand.py", ranks)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{ranks - 1} workers found [ 3.  -2.   0.5]")


def test_a_server_without_workers_says_what_to_do():
    done = run("parameter_server_by_hand.py", 1)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "A server needs a worker; start 2 ranks or more with mpiexec -n 2.\n"


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_the_training_learns_the_digits():
    done = run("own_training.py", 2)
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout.removeprefix("loss ")) < 0.5  # from 2.3, that of guessing


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_a_strategy_learns_the_digits(ranks):
    done = run("strategy_training.py", ranks)
    assert (done.returncode, done.stderr) == (0, "")
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"{ranks} replicas, accuracy ")
    assert float(last.rpartition(" ")[2]) > 0.85  # of guessing it is 0.1


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="here the demo may be able to run")
def test_the_nccl_demo_says_what_it_needs():
    done = run("nccl_mpi_demo.py", 1)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("This demo needs an NVIDIA GPU per rank, mpi4py and CuPy with NCCL (pip install")
    assert done.stderr.endswith("; No module named 'cupy'.\n")


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_nccl_demo_makes_the_right_calls_in_the_right_order(ranks):
    done = run("nccl_mpi_demo.py", ranks, PYTHONPATH=FAKE_CUPY, FAKE_GPUS=str(ranks))
    assert (done.returncode, done.stderr) == (0, "")
    total = ranks * (ranks + 1) // 2
    assert done.stdout.splitlines() == [
        f"rank {rank} on GPU {rank}: 1048576 elements of {total}, 0 wrong" for rank in range(ranks)
    ]


def test_the_nccl_demo_takes_the_only_gpu_that_each_rank_is_shown():
    done = run("nccl_mpi_demo.py", 3, PYTHONPATH=FAKE_CUPY, FAKE_GPUS="1", FAKE_GPUS_APART="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"rank {rank} on GPU 0: 1048576 elements of 6, 0 wrong" for rank in range(3)]


@pytest.mark.parametrize(
    ("ranks", "gpus", "words"),
    [(1, "0", "there is no GPU"), (2, "1", "a node has 2 ranks but GPUs for 1, start fewer")],
)
def test_the_nccl_demo_says_that_there_are_too_few_gpus(ranks, gpus, words):
    done = run("nccl_mpi_demo.py", ranks, PYTHONPATH=FAKE_CUPY, FAKE_GPUS=gpus)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("This demo needs an NVIDIA GPU per rank")
    assert done.stderr.endswith(f"; {words}.\n")
    assert done.stderr.count("\n") == 1


def test_the_own_model_takes_the_samples_of_the_own_dataset():
    torch = pytest.importorskip("torch")
    model, data = (runpy.run_path(str(EXAMPLES / name)) for name in ("my_model.py", "my_data.py"))
    training, validation = data["load"]()
    (picture, label), module = training[0], model["make"]()
    loss = module.loss(module(torch.stack([picture, picture])), torch.tensor([label, label]))
    assert loss.item() > 0 and len(training) + len(validation) == 1797


def test_every_example_is_tested():
    tested = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [example.name for example in EXAMPLES.glob("*.py") if f'"{example.name}"' not in tested] == []

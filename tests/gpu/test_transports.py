"""All GPU transports on real GPUs: exact results, and an error in time when a peer does not come."""

import time
from pathlib import Path

import pytest

from ringscope.engine.memory import cuda

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "cluster" / "engine" / "programs"
MANY = 8
LEAST_GPUS = 4  # for eight ranks
START_SECONDS = 30  # of two ranks with CUDA and NCCL
ENDED_SECONDS = 20  # within which the ranks of a gang end that has lost one
EXACT_SECONDS = 180  # ranks that share a GPU take turns, and the first ones compile the kernels


def need(gang, transport, ranks):
    """Skip the test if NCCL cannot put this many ranks on these GPUs, or MPI cannot reach their memory."""
    asked = gang(1, HERE / "possible.py", str(ranks))
    if f"{transport}: possible" not in asked.stdout.splitlines():
        pytest.skip(next((line for line in asked.stdout.splitlines() if line.startswith(transport)), asked.stdout))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc", "mpi"])
def test_every_collective_is_exact(gang, transport, ranks):
    need(gang, transport, ranks)
    done = gang(ranks, PROGRAMS / "gpu_main.py", transport, deadline_seconds=EXACT_SECONDS)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("checked ") == ranks


@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc"])
def test_every_collective_is_exact_on_eight_ranks(gang, transport):
    if cuda.count() < LEAST_GPUS:
        needs = f"{MANY} ranks need {LEAST_GPUS} GPUs, because they take turns for too long on fewer"
        pytest.skip(f"{needs}; this machine has {cuda.count()}.")
    need(gang, transport, MANY)
    done = gang(MANY, PROGRAMS / "gpu_main.py", transport, deadline_seconds=2 * EXACT_SECONDS)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("checked ") == MANY


@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc"])
def test_a_killed_rank_ends_its_peers_in_time(gang, transport):
    need(gang, transport, 2)
    start = time.monotonic()
    done = gang(2, HERE / "killed_main.py", transport)
    assert time.monotonic() - start < ENDED_SECONDS + START_SECONDS, done.stdout
    assert done.stdout.count("first call done") == 2, done.stdout
    assert "a call without a peer ended" not in done.stdout
    assert done.returncode != 0


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc"])
def test_a_communicator_and_its_groups(gang, transport, ranks):
    need(gang, transport, ranks)
    done = gang(ranks, PROGRAMS / "gpu_api_main.py", transport)
    assert done.stdout.count("all asserts held") == ranks, done.stdout


@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc", "mpi"])
def test_a_rank_that_never_calls_ends_in_an_error_in_time(gang, transport):
    need(gang, transport, 2)
    done = gang(2, HERE / "stall_main.py", transport, "5")
    assert done.stdout.count("all asserts held") == 2, done.stdout

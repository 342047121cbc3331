"""All GPU transports on real GPUs: exact results, and an error in time when a peer does not come."""

from pathlib import Path

import pytest

from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.vendors.nccl_link import check_versions, load_nccl

HERE = Path(__file__).parent
EXACT = HERE.parent / "cluster" / "engine" / "gpu_main.py"


def need(gang, transport, ranks):
    """Skip where NCCL cannot put so many ranks on these GPUs, or MPI cannot reach their memory."""
    if transport == "mpi":
        asked = gang(1, HERE / "cuda_aware.py")
        if asked.returncode:
            pytest.skip(f"transport mpi needs a CUDA-aware MPI: {asked.stdout}{asked.stderr}")
    gpus = cuda.load().cuda.runtime.getDeviceCount()
    if transport == "nccl":
        try:
            check_versions([load_nccl().get_version()], range(-(-ranks // gpus)))
        except EngineError as error:
            pytest.skip(str(error))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc", "mpi"])
def test_every_collective_is_exact(gang, transport, ranks):
    need(gang, transport, ranks)
    done = gang(ranks, EXACT, transport)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked ") == ranks


@pytest.mark.parametrize("transport", ["nccl", "cuda_ipc", "mpi"])
def test_a_rank_that_never_calls_ends_in_an_error_in_time(gang, transport):
    need(gang, transport, 2)
    done = gang(2, HERE / "stall_main.py", transport, "5")
    assert done.stdout.count("all asserts held") == 2, done.stdout + done.stderr

"""Transport mpi in GPU memory, on the fake: exact results, the waits before MPI is given an array, and refusals."""

import re
from types import SimpleNamespace

import pytest
from mpi4py import MPI
from tests.engine.fakes.fixture import PYTHONPATH, OneOf

from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import EXIT_FAILURE
from ringscope.contracts.record import Failure
from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.memory.buffer import GpuMemory
from ringscope.engine.transports.cuda_aware import is_cuda_aware, require_cuda_aware, says_cuda_aware
from ringscope.engine.transports.mpi import MpiTransport
from ringscope.rank.local import Run, run_local
from ringscope.schedules.algorithms import build


@pytest.mark.long  # the gate has mpi's results in host memory and cuda_ipc's in a GPU's
@pytest.mark.parametrize("ranks", [*(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 4)), 3])
def test_every_collective_is_exact(gang, ranks):
    done = gang(ranks, "gpu_main.py", "mpi", PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("mpi on GPUs") == done.stdout.count(": checked ") == ranks


@pytest.mark.long  # as transport cuda_ipc
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_communicator_and_a_sweep(gang, ranks):
    done = gang(ranks, "gpu_mpi_main.py", PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks


@pytest.mark.long  # as transport cuda_ipc: test_cuda_ipc.py
def test_a_rank_that_never_calls_is_named_in_time(gang):
    done = gang(2, "../../../gpu/stall_main.py", "mpi", "0.5", PYTHONPATH=PYTHONPATH)
    assert done.stdout.count("all asserts held") == 2, done.stdout + done.stderr


def test_a_gpu_that_hangs_is_given_up(cupy):
    gpu = cuda.Gpu(0, "0000:00:00.0", (0,))
    transport = MpiTransport(MPI.COMM_SELF, 1, GpuMemory(0, gpu, 0.1))
    assert transport.name == "mpi on GPUs"
    send, recv = (transport.allocate(64).view("float32") for _ in range(2))
    plan = transport.plan(build("ring", 1, 16), "sum", send, recv)
    plan.run()
    cupy.fake.stuck_from = -1
    with pytest.raises(EngineError, match=r"^mpi: rank 0 waited 0\.1 s for its GPU, which hangs; start the job again"):
        plan.run()
    cupy.fake.reset()
    plan.free()
    transport.free()


# whether MPI reaches GPU memory


def mpich(found, failed=0):
    def query(kind, answer):
        assert kind == 0, "MPIX_GPU_SUPPORT_CUDA"
        answer._obj.value = found
        return failed

    return SimpleNamespace(MPIX_GPU_query_support=query, MPIX_Query_cuda_support=lambda: 1 - found)


@pytest.mark.parametrize(
    ("library", "is_aware"),
    [
        (mpich(1), True),
        (mpich(0), False),
        (mpich(1, failed=1), False),
        (SimpleNamespace(MPIX_Query_cuda_support=lambda: 1), True),
        (SimpleNamespace(MPIX_Query_cuda_support=lambda: 0), False),
        (SimpleNamespace(), False),
    ],
)
def test_the_library_is_asked_in_its_own_way(library, is_aware):
    assert says_cuda_aware(library) is is_aware


def test_one_rank_whose_mpi_is_not_cuda_aware_is_named_on_all():
    with pytest.raises(EngineError, match=r"^transport: mpi on .* that of rank 1 \(MPICH Version: 5\) does not"):
        require_cuda_aware(OneOf(0, 3, answers=[["", "MPICH Version: 5", ""]]))
    require_cuda_aware(OneOf(0, 2, answers=[["", ""]]))


@pytest.mark.skipif(is_cuda_aware(), reason="This machine's MPI is CUDA-aware.")
def test_the_real_mpi_of_this_machine_is_refused_before_anything_else():
    benchmark = {"transport": "mpi", "device": "cuda"}
    job = JobSpec.model_validate({"benchmark": benchmark, "placement": {"ranks": 1}})
    run = Run()
    records = list(run_local(job, run))
    (sentence,) = {record.message for record in records if isinstance(record, Failure)}
    assert re.match(
        r"transport: mpi on device cuda needs an MPI that reaches GPU memory, and that of rank 0 \(.+\) does not; "
        r"choose nccl or cuda_ipc, or install a CUDA-aware MPI, such as .*\.$",
        sentence,
    )
    assert run.exit_code == EXIT_FAILURE

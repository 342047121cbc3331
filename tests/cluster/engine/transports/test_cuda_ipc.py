"""GPU memory between processes, on the fake: handles, order of events, and exact results on real ranks."""

import pytest
from tests.engine.fakes.fixture import PYTHONPATH

from ringscope.engine.errors import EngineError, LostRankError
from ringscope.engine.memory import cuda
from ringscope.schedules.algorithms import build


@pytest.mark.parametrize("ranks", [*(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 4)), 3])
def test_every_collective_is_exact(gang, ranks):
    done = gang(ranks, "gpu_main.py", "cuda_ipc", PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 528") == ranks


@pytest.mark.long  # the host's compiler compiles a hundred kernels on each rank
def test_every_collective_is_exact_with_our_own_kernels(gang):
    environment = {"PYTHONPATH": PYTHONPATH, "RINGSCOPE_GPU_KERNELS": "own"}
    done = gang(2, "gpu_main.py", "cuda_ipc", deadline_seconds=900, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 528") == 2


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.long), 3])
def test_handles_and_events_are_exchanged_in_order(gang, ranks):
    done = gang(ranks, "ipc_main.py", PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.long), 3])
def test_the_python_interface_on_gpus_frees_what_peers_have_closed(gang, ranks):
    done = gang(ranks, "gpu_api_main.py", "cuda_ipc", PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks


def test_a_rank_that_never_calls_is_named_in_time(gang):
    done = gang(2, "../../../gpu/stall_main.py", "cuda_ipc", "0.5", PYTHONPATH=PYTHONPATH)
    assert done.stdout.count("all asserts held") == 2, done.stdout + done.stderr


@pytest.fixture
def transport(cupy):
    from mpi4py import MPI

    from ringscope.engine.transports.cuda_ipc import CudaIpcTransport

    made = CudaIpcTransport(MPI.COMM_SELF, cuda.Gpu(0, "0000:00:00.0", (0,)), timeout_seconds=0.1)
    yield made
    cupy.fake.reset()
    made.free()


@pytest.mark.parametrize("algorithm", ["direct", "ring"])
def test_a_gpu_that_never_ends_is_given_up(cupy, transport, algorithm):
    send, recv = (transport.allocate(64).view("float32") for _ in range(2))
    plan = transport.plan(build(algorithm, 1, 16), "sum", send, recv)
    plan.run()
    cupy.fake.stuck_from = cupy.fake.events
    with pytest.raises(EngineError, match=r"^cuda_ipc: rank 0 waited 0\.1 s for its GPU; a peer is lost or its GPU"):
        plan.run()


@pytest.mark.parametrize("algorithm", ["direct", "ring"])
def test_a_peer_whose_process_has_ended_is_named_before_the_timeout(cupy, transport, monkeypatch, algorithm):
    send, recv = (transport.allocate(64).view("float32") for _ in range(2))
    plan = transport.plan(build(algorithm, 1, 16), "sum", send, recv)
    monkeypatch.setattr(transport._gate._progress._peers, "ended", lambda: [3])
    plan.run()
    cupy.fake.stuck_from = cupy.fake.events
    with pytest.raises(LostRankError, match=r"^Rank 0 lost rank 3 in a call on its GPU: its process has ended"):
        plan.run()


def test_a_gpu_whose_memory_cannot_be_shared_is_no_lost_gpu(cupy, transport, monkeypatch):
    def refuse(*arguments):
        raise cupy.cuda.runtime.CUDARuntimeError("NotSupported")

    for call in ("ipcGetMemHandle", "ipcGetEventHandle"):
        with (
            monkeypatch.context() as patch,
            pytest.raises(
                EngineError,
                match=r"^cuda_ipc: rank 0 cannot share GPU memory .*NotSupported\), as with MIG, .*; choose nccl\.$",
            ),
        ):
            patch.setattr(cupy.cuda.runtime, call, refuse)
            if call == "ipcGetMemHandle":
                transport.allocate(64)
            else:
                type(transport)(transport._node, transport._gpu)


def test_a_hubs_kernel_is_compiled_with_its_plan(cupy, transport):
    send, recv = (transport.allocate(64).view("float32") for _ in range(2))
    plan = transport.plan(build("direct", 1, 16), "avg", send, recv)
    cupy.fake.compiler_fault = RuntimeError("compiled in a call")
    cupy.ElementwiseKernel = None
    plan.run()


def test_an_allocation_is_whole_blocks_of_its_own(cupy, transport):
    buffer = transport.allocate(100)
    assert buffer.local.size == 100
    assert [call[1] for call in cupy.fake.calls if call[0] == "ipcGetMemHandle"] == [buffer.local.data.ptr]
    assert next(iter(cupy.cuda.runtime._memories.values()))[1] == 2 << 20


@pytest.mark.parametrize("algorithm", ["direct", "ring"])
def test_a_gpu_that_has_failed_is_told_at_once(cupy, transport, algorithm):
    send, recv = (transport.allocate(64).view("float32") for _ in range(2))
    plan = transport.plan(build(algorithm, 1, 16), "sum", send, recv)
    cupy.fake.status = 700
    with pytest.raises(EngineError, match=r"^cuda_ipc: rank 0 lost its GPU \(cudaError700\); start the job again\.$"):
        plan.run()


def test_memory_that_cannot_be_reached_is_told_with_the_remedy(cupy, transport, monkeypatch):
    def refuse(handle, flags):
        raise cupy.cuda.runtime.CUDARuntimeError("PeerAccessUnsupported")

    monkeypatch.setattr(cupy.cuda.runtime, "ipcOpenMemHandle", refuse)
    with pytest.raises(
        EngineError, match=r"^cuda_ipc: rank 0 cannot reach the GPU memory of rank 1 \(.*or choose nccl"
    ):
        transport._open(1, bytes(64), 64)

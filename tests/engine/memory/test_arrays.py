"""The seam between NumPy and CuPy, and finding a GPU, without one."""

import subprocess
import sys

import numpy as np
import pytest
from tests.engine.fakes.fixture import OneOf

from ringscope.contracts.record import LOOPBACK
from ringscope.engine.cores import machine
from ringscope.engine.errors import EngineError, OutOfMemoryError
from ringscope.engine.memory import cuda, kernels
from ringscope.engine.memory.arrays import address, copy, is_array, is_on_gpu, module_of, to_host


def test_numpy_arrays_need_no_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    x, y = np.arange(4), np.zeros(4, int)
    assert module_of(x) is np
    assert is_array(x) and not is_on_gpu(x) and not is_array([1])
    assert address(x[1:]) == x.ctypes.data + x.itemsize
    copy(y, x)
    assert to_host(y) is y
    assert y.tolist() == [0, 1, 2, 3]


def test_every_pair_of_places_is_copied(cupy):
    host, other = np.arange(6, dtype=np.float32), np.empty(6, np.float32)
    near, far = cupy.empty(6, "float32"), cupy.empty(6, "float32")
    assert module_of(near) is cupy and is_array(near)
    copy(near, host)
    copy(far, near)
    copy(other, far)
    assert other.tolist() == host.tolist() == to_host(far).tolist()
    assert address(far[2:]) == address(far) + 8


def test_the_fake_is_as_strict_as_cupy(cupy):
    x = cupy.zeros(3, "float32")
    with pytest.raises(TypeError):
        np.copyto(np.empty(3, np.float32), x)
    with pytest.raises(TypeError):
        x[:] = np.ones(3, np.float32)
    with pytest.raises(TypeError):
        np.add(x, 1)


def test_without_cupy_one_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(
        EngineError, match=r"^device: cuda needs CuPy, which cannot be imported .*cuda12.*device cpu\.$"
    ):
        cuda.load()


@pytest.mark.parametrize("gpus", [0, None])
def test_without_a_gpu_one_sentence_says_so(cupy, monkeypatch, gpus):
    def count():
        if gpus is None:
            raise cupy.cuda.runtime.CUDARuntimeError("NoDevice")
        return gpus

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", count)
    with pytest.raises(EngineError, match=r"^device: cuda needs a GPU, but .*device cpu\.$"):
        cuda.load()


def test_without_a_compiler_of_kernels_one_sentence_says_so(cupy):
    cupy.fake.has_nvrtc = False
    with pytest.raises(EngineError, match=r"^device: cuda needs NVRTC, .*No such file: libnvrtc.so.12\); pip .*cpu\.$"):
        cuda.load()


def test_ranks_take_the_gpus_of_their_node_in_turn(cupy):
    cupy.fake.gpus = 2
    places = [("a", "0000:00:00.0"), ("a", "0000:01:00.0"), ("a", "0000:00:00.0"), ("b", "0000:00:00.0")]
    gpu = cuda.claim(OneOf(rank=1, size=4, answers=[[""] * 4, places]), local_rank=1)
    assert (gpu.index, gpu.bus_id) == (1, "0000:01:00.0")
    assert gpu.ranks == (0, 2), "all ranks learn that two of them share one"
    assert gpu.label("nccl") == f"nccl, {LOOPBACK}"
    assert ("use", 1) in cupy.fake.calls

    alone = cuda.claim(OneOf(rank=0, size=2, answers=[[""] * 2, places[:2]]), local_rank=0)
    assert alone.label("nccl") == "nccl"


def test_slices_of_one_gpu_are_not_shared(cupy):
    cupy.fake.bus_ids, cupy.fake.uuids = ["0000:00:00.0"] * 2, ["MIG-a", "MIG-b"]
    told = []

    class Peers(OneOf):
        def allgather(self, value):
            told.append(value)
            return ["", ""] if value == "" else [(value[0], b"MIG-a".hex()), value]

    gpu = cuda.claim(Peers(rank=1, size=2), local_rank=1)
    assert told[-1] == (machine() or "localhost", b"MIG-b".hex())
    assert len(gpu.ranks) == 1, "both slices have one PCI address"


def test_a_rank_without_a_gpu_is_named_on_all(cupy, monkeypatch):
    with pytest.raises(EngineError, match=r"^Rank 1 said: device: cuda needs CuPy\.$"):
        cuda.claim(OneOf(rank=0, size=2, answers=[["", "device: cuda needs CuPy."]]), local_rank=0)


def test_a_gpu_that_cuda_refuses_is_told_with_the_remedy(cupy):
    gpu = cuda.offer(OneOf(), local_rank=0)
    cupy.fake.status = 46
    with pytest.raises(
        EngineError, match=r"^device: GPU 0 \[0000:00:00.0\] cannot be used \(cudaError46\); check that"
    ):
        gpu.use()


def test_nodes_of_one_name_do_not_share_a_gpu(cupy, monkeypatch):
    comm = OneOf(rank=0, size=1)
    told = []
    monkeypatch.setattr(comm, "allgather", lambda value: told.append(value) or [value])
    monkeypatch.setattr("socket.gethostname", lambda: "localhost")
    cuda.claim(comm, local_rank=0)
    assert told[-1] == (machine(), b"0000:00:00.0".hex())
    monkeypatch.setattr(cuda, "machine", lambda: "")
    cuda.claim(comm, local_rank=0)
    assert told[-1] == ("localhost", b"0000:00:00.0".hex()), "where the kernel does not tell"


def test_a_gpu_that_has_failed_is_not_one_that_is_busy(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.fake.status = 700
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError, match="700"):
        cuda.finishes(stream, timeout_seconds=60)
    with pytest.raises(EngineError, match=r"^mpi: rank 3 lost its GPU \(cudaError700\); start the job again\.$"):
        cuda.wait(stream, 60, "mpi: rank 3", ", which hangs")
    assert not stream.done, "CuPy's own never tells"


def test_a_full_gpu_is_told_with_the_remedy(cupy, monkeypatch):
    def refuse(*arguments):
        raise cupy.cuda.memory.OutOfMemoryError

    monkeypatch.setattr(cupy, "zeros", refuse)
    monkeypatch.setattr(cupy.cuda, "Memory", refuse)
    for pooled in (True, False):
        monkeypatch.setattr(cupy.fake, "free_bytes", 1 << 20)
        with pytest.raises(OutOfMemoryError, match="A buffer needs 4 MiB but the GPU has 1 MiB free; lower max_bytes"):
            cuda.allocate(4 << 20, pooled)


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("status", [700, 2])  # it may be lost when it is asked how much memory it has
def test_a_lost_gpu_is_not_a_full_one(cupy, monkeypatch, status, pooled):
    def refuse(*arguments):
        raise cupy.cuda.runtime.CUDARuntimeError(status)

    monkeypatch.setattr(cupy, "zeros", refuse)
    monkeypatch.setattr(cupy.cuda, "Memory", refuse)
    monkeypatch.setattr(cupy.cuda.runtime, "memGetInfo", refuse)
    with pytest.raises(
        EngineError, match=rf"^A rank on .* lost its GPU \(cudaError{status}\); start the job"
    ) as raised:
        cuda.allocate(4 << 20, pooled)
    assert type(raised.value) is EngineError


def test_kernels_read_every_input_once_and_pass_on_nan(cupy):
    inputs = [cupy.empty(3, "float32") for _ in range(3)]
    for array, values in zip(inputs, ([1, 5, np.nan], [4, np.nan, 2], [3, 2, 1]), strict=True):
        array.set(np.array(values, np.float32))
    results = [cupy.zeros(3, "float32") for _ in range(2)]
    for op, want in {"sum": 8, "prod": 12, "min": 1, "max": 4, "avg": 8}.items():
        kernels.combine(cupy, op, 3, 2)(*inputs, *results)
        for result in results:
            got = result.get()
            assert got[0] == want
            assert np.isnan(got[1:]).all()
    assert next(name for name in cupy.fake.names() if name.startswith("ringscope")) == "ringscope_sum_3_2"
    assert not kernels.has_kernel("sum", kernels.MOST_ARRAYS + 1)


def test_a_mean_of_integers_is_cut_towards_zero(cupy):
    sums = cupy.empty(4, "int8")
    sums.set(np.array([7, -7, 6, -128], np.int8))
    kernels.divide(cupy, sums, 3)
    assert sums.get().tolist() == [2, -2, 2, -42]


def test_a_mean_of_large_integers_is_exact(cupy):
    sums = cupy.empty(3, "int64")
    sums.set(np.array([(1 << 62) + 1, -(1 << 62) - 1, 5]))
    kernels.divide(cupy, sums, 2)
    assert sums.get().tolist() == [1 << 61, -(1 << 61), 2]


def test_the_gpu_modules_can_be_imported_without_cupy():
    names = ("memory.arrays", "memory.cuda", "memory.kernels", "transports.cuda_ipc", "transports.nccl", "vendors.nccl")
    imports = "; ".join(f"import ringscope.engine.{name}" for name in names)
    program = f"import sys; sys.modules['cupy'] = None; {imports}"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)

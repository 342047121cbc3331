# ruff: noqa: N802, N803 (the names are CuPy's and CUDA's)
"""cupy.cuda.nccl, with the signatures and numbers of CuPy 14; under mpiexec messages travel over MPI."""

import ctypes
import itertools
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
from mpi4py import MPI

from cupy import library
from cupy.script import fake

available = fake.has_nccl
if not available:
    warnings.warn("nccl library could not be loaded.", UserWarning, stacklevel=2)
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)
NCCL_INT8, NCCL_UINT8, NCCL_INT32, NCCL_UINT32, NCCL_INT64, NCCL_UINT64 = range(6)
NCCL_FLOAT16, NCCL_FLOAT32, NCCL_FLOAT64, NCCL_BFLOAT16 = 6, 7, 8, 9
_DTYPES = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16"]
_TEXTS = {  # CuPy 14 knows no more: its NcclError(7) is a KeyError
    1: "unhandled cuda error",
    2: "system error",
    3: "internal error",
    4: "invalid argument",
    5: "invalid usage",
    6: "remote process exited",
}
_group = None
_ids = itertools.count()
library.install()


class NcclError(RuntimeError):
    def __init__(self, status):
        self.status = status
        super().__init__(f"NCCL error {status}: {_TEXTS[status]}")


def get_version():
    return fake.nccl_version


def get_unique_id():
    """Names the place where those who join by it meet."""
    _refuse("get_unique_id")
    return str(Path(tempfile.gettempdir()) / f"fake-nccl-{os.getpid()}-{next(_ids)}").encode().ljust(128, b"\0")


def groupStart():
    global _group
    assert _group is None, "a group inside a group"
    fake.record("groupStart")
    _group = []


def groupEnd():
    global _group
    assert _group is not None, "no group to end"
    messages, _group = _group, None
    fake.record("groupEnd")
    _refuse("groupEnd")
    if messages and messages[0][0]:
        fake.do(_Exchange(messages))


def is_grouped():
    return _group is not None


class NcclCommunicator:
    def __init__(self, ndev, commId, rank):
        assert len(commId) == 128
        _block("NcclCommunicator")
        _refuse("NcclCommunicator")
        self._network = _meet(ndev, commId, rank)
        self._leaving = self._network.Dup() if self._network else None
        fake.record("NcclCommunicator", ndev, rank)
        _log(ndev, rank)
        self.comm = next(_ids) + 1
        library.communicators[self.comm] = self

    def send(self, buf, count, dtype, peer, stream):
        self._message("send", buf, count, dtype, peer, stream)

    def recv(self, buf, count, dtype, peer, stream):
        self._message("recv", buf, count, dtype, peer, stream)

    def allReduce(self, send, recv, count, dtype, op, stream):
        self._call("allReduce", send, recv, count, dtype, op, stream)
        fake.now(lambda: _reduce(self._network, _memory(send, count, dtype), _memory(recv, count, dtype), op))

    def reduce(self, send, recv, count, dtype, op, root, stream):
        self._call("reduce", send, recv, count, dtype, op, root, stream)

        def work():
            result = _memory(recv, count, dtype)
            kept = result.copy()
            _reduce(self._network, _memory(send, count, dtype), result, op)
            if self._network and self._network.rank != root:
                result[:] = kept

        fake.now(work)

    def broadcast(self, send, recv, count, dtype, root, stream):
        self._call("broadcast", send, recv, count, dtype, root, stream)

        def work():
            if self._network:
                value = self._network.bcast(_memory(send, count, dtype).copy(), root)
                _memory(recv, count, dtype)[:] = value

        fake.now(work)

    def reduceScatter(self, send, recv, recvcount, dtype, op, stream):
        self._call("reduceScatter", send, recv, recvcount, dtype, op, stream)

        def work():
            if self._network:
                source = _memory(send, recvcount * self._network.size, dtype)
                total = np.empty_like(source)
                _reduce(self._network, source, total, op)
                start = self._network.rank * recvcount
                _memory(recv, recvcount, dtype)[:] = total[start : start + recvcount]

        fake.now(work)

    def allGather(self, send, recv, count, dtype, stream):
        self._call("allGather", send, recv, count, dtype, stream)

        def work():
            if self._network:
                parts = self._network.allgather(_memory(send, count, dtype).copy())
                _memory(recv, count * self._network.size, dtype)[:] = np.concatenate(parts)

        fake.now(work)

    def check_async_error(self):
        fake.record("check_async_error")
        if fake.async_error:
            raise NcclError(fake.async_error)

    def abort(self):
        """Does not return before all ranks abort, which NCCL allows itself."""
        assert not fake.inside, f"aborted while {fake.inside} runs, which NCCL forbids"
        fake.record("abort")
        _block("abort")
        fake.stuck_from = None
        fake.pending.clear()
        library.forget(self.comm)
        self.comm = 0
        if self._leaving:
            others = self._leaving.Ibarrier()
            while not others.Test():
                os.sched_yield()

    def destroy(self):
        fake.record("destroy")
        assert self.comm, "destroyed after an abort"
        assert not any(comm == self.comm for comm, _ in library.registered), "destroyed with registered buffers"
        self.comm = 0

    def _message(self, verb, buf, count, dtype, peer, stream):
        assert _group is not None, "a message outside a group can deadlock"
        self._call(verb, buf, count, dtype, peer, stream)
        _group.append((self._network, verb, _memory(buf, count, dtype), peer))

    def _call(self, name, *arguments):
        fake.record(name, *arguments)
        if not self.comm:
            raise NcclError(4)
        _refuse(name)
        _block(name)
        if _group is None:
            fake.catch_up()


def _block(name):
    if fake.blocks_in == name:
        fake.inside = name
        fake.goes_on.wait()
        fake.inside = None


def _log(ranks, rank):
    """Write what NCCL writes where the process's first call finds that a log is asked for."""
    if os.environ.get("NCCL_DEBUG") != "INFO" or "NCCL_DEBUG_FILE" not in os.environ:
        return
    start = f"node:{os.getpid()}:{os.getpid()} [0] NCCL INFO "
    lines = [
        "Using network Socket",
        f"comm 0x1 rank {rank} nRanks {ranks} nNodes 1",
        "2 coll channels, 2 collnet channels, 1 nvls channels, 2 p2p channels, 1 p2p channels per peer",
        f"Channel 00/0 : {rank}[0] -> {(rank + 1) % ranks}[0] via SHM/direct/direct",
    ]
    Path(os.environ["NCCL_DEBUG_FILE"]).write_text("".join(f"{start}{line}\n" for line in lines))


def _meet(ranks, unique_id, rank):
    """An MPI communicator of all who join by an id, once they are there; None where one process plays all ranks."""
    world = MPI.COMM_WORLD
    if ranks > world.size:
        return None
    if ranks == 1:
        return MPI.COMM_SELF
    place = Path(unique_id.rstrip(b"\0").decode())
    place.mkdir(exist_ok=True)
    (place / f"{rank} {world.rank}").touch()
    while len(found := list(place.iterdir())) < ranks:
        os.sched_yield()
    members = [int(file.name.split()[1]) for file in sorted(found, key=lambda file: int(file.name.split()[0]))]
    network = world.Create_group(world.group.Incl(members))
    network.Barrier()
    if rank == 0:
        shutil.rmtree(place)
    return network


def _refuse(name):
    if name in fake.refused:
        raise NcclError(fake.refused[name])


def _memory(ptr, count, dtype):
    name = _DTYPES[dtype]
    if name == "bfloat16":
        import ml_dtypes  # noqa: F401 (NumPy then knows the name)
    if not count:
        return np.empty(0, name)
    size = count * np.dtype(name).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(ptr), name)


def _reduce(network, send, recv, op):
    if not network:
        return
    parts = network.allgather(send.copy())
    functions = {NCCL_SUM: np.add, NCCL_PROD: np.multiply, NCCL_MAX: np.maximum, NCCL_MIN: np.minimum, NCCL_AVG: np.add}
    if op == NCCL_AVG and parts[0].dtype.kind != "i" and parts[0].dtype.kind != "u":
        # As NCCL does it: each input is made smaller first, and rounded.
        parts = [(part * np.array(1 / len(parts), part.dtype)).astype(part.dtype) for part in parts]
    total = parts[0]
    for part in parts[1:]:
        total = functions[op](total, part)
    is_whole = op == NCCL_AVG and total.dtype.kind in "iu"
    recv[:] = (total / len(parts)).astype(total.dtype) if is_whole else total


class _Exchange:
    """The messages of a group, as work of the stream."""

    def __init__(self, messages):
        self._messages, self._requests = messages, None

    def __call__(self):
        if self._requests is None:
            self._requests = [
                (network.Irecv if verb == "recv" else network.Isend)(memory.view(np.uint8), peer)
                for network, verb, memory, peer in self._messages
            ]
        return MPI.Request.Testall(self._requests)

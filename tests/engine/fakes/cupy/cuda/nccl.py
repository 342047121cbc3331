# ruff: noqa: N802, N803 (the names are CuPy's and CUDA's)
"""cupy.cuda.nccl, with the signatures and numbers of CuPy 14; under mpiexec messages travel over MPI."""

import ctypes
import threading

import numpy as np
from mpi4py import MPI

from cupy.script import fake

available = True
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)
NCCL_INT8, NCCL_UINT8, NCCL_INT32, NCCL_UINT32, NCCL_INT64, NCCL_UINT64 = range(6)
NCCL_FLOAT16, NCCL_FLOAT32, NCCL_FLOAT64, NCCL_BFLOAT16 = 6, 7, 8, 9
_DTYPES = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16"]
_TEXTS = {1: "unhandled cuda error", 4: "invalid argument", 5: "invalid usage", 6: "remote process exited"}
_group = None


class NcclError(RuntimeError):
    def __init__(self, status):
        self.status = status
        super().__init__(f"NCCL error {status}: {_TEXTS[status]}")


def get_version():
    return fake.nccl_version


def get_unique_id():
    return bytes(128)


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
    _deliver(messages)


def is_grouped():
    return _group is not None


class NcclCommunicator:
    def __init__(self, ndev, commId, rank):
        assert len(commId) == 128
        _refuse("NcclCommunicator")
        if fake.network is None and ndev == MPI.COMM_WORLD.size:
            fake.network = MPI.COMM_WORLD.Dup()
        fake.record("NcclCommunicator", ndev, rank)
        self.comm, self._aborted = 1, threading.Event()

    def send(self, buf, count, dtype, peer, stream):
        self._message("send", buf, count, dtype, peer, stream)

    def recv(self, buf, count, dtype, peer, stream):
        self._message("recv", buf, count, dtype, peer, stream)

    def allReduce(self, send, recv, count, dtype, op, stream):
        self._call("allReduce", send, recv, count, dtype, op, stream)
        _reduce(_memory(send, count, dtype), _memory(recv, count, dtype), op)

    def reduce(self, send, recv, count, dtype, op, root, stream):
        self._call("reduce", send, recv, count, dtype, op, root, stream)
        result = _memory(recv, count, dtype)
        kept = result.copy()
        _reduce(_memory(send, count, dtype), result, op)
        if fake.network and fake.network.rank != root:
            result[:] = kept

    def broadcast(self, send, recv, count, dtype, root, stream):
        self._call("broadcast", send, recv, count, dtype, root, stream)
        if fake.network:
            value = fake.network.bcast(_memory(send, count, dtype).copy(), root)
            _memory(recv, count, dtype)[:] = value

    def reduceScatter(self, send, recv, recvcount, dtype, op, stream):
        self._call("reduceScatter", send, recv, recvcount, dtype, op, stream)
        if fake.network:
            source = _memory(send, recvcount * fake.network.size, dtype)
            total = np.empty_like(source)
            _reduce(source, total, op)
            start = fake.network.rank * recvcount
            _memory(recv, recvcount, dtype)[:] = total[start : start + recvcount]

    def allGather(self, send, recv, count, dtype, stream):
        self._call("allGather", send, recv, count, dtype, stream)
        if fake.network:
            parts = fake.network.allgather(_memory(send, count, dtype).copy())
            _memory(recv, count * fake.network.size, dtype)[:] = np.concatenate(parts)

    def check_async_error(self):
        fake.record("check_async_error")
        if fake.async_error:
            raise NcclError(fake.async_error)

    def abort(self):
        fake.record("abort")
        fake.stuck_from = fake.blocks_in = None
        self.comm = 0
        self._aborted.set()

    def destroy(self):
        fake.record("destroy")
        assert self.comm, "destroyed after an abort"
        self.comm = 0

    def _message(self, verb, buf, count, dtype, peer, stream):
        assert _group is not None, "a message outside a group can deadlock"
        self._call(verb, buf, count, dtype, peer, stream)
        _group.append((verb, _memory(buf, count, dtype), peer))

    def _call(self, name, *arguments):
        fake.record(name, *arguments)
        if not self.comm:
            raise NcclError(4)
        _refuse(name)
        if fake.blocks_in == name:
            self._aborted.wait()
            raise NcclError(5)


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


def _reduce(send, recv, op):
    if not fake.network:
        return
    parts = fake.network.allgather(send.copy())
    functions = {NCCL_SUM: np.add, NCCL_PROD: np.multiply, NCCL_MAX: np.maximum, NCCL_MIN: np.minimum, NCCL_AVG: np.add}
    total = parts[0]
    for part in parts[1:]:
        total = functions[op](total, part)
    recv[:] = (total / len(parts)).astype(total.dtype) if op == NCCL_AVG else total


def _deliver(messages):
    if not fake.network:
        return
    inbound = [(memory, peer) for verb, memory, peer in messages if verb == "recv"]
    requests = [fake.network.Irecv(memory.view(np.uint8), peer) for memory, peer in inbound]
    requests += [fake.network.Isend(m.view(np.uint8), peer) for verb, m, peer in messages if verb == "send"]
    for request in requests:
        request.Wait()

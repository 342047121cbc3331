"""MPI's own collectives on the same buffers, as the reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from mpi4py import MPI

from ringscope.contracts.words.collectives import REDUCING
from ringscope.engine.base import Array, Buffer, Plan, bits
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arithmetic import reduction
from ringscope.engine.memory.arrays import address, is_on_gpu, module_of
from ringscope.engine.memory.buffer import Memory
from ringscope.engine.traffic import TRAFFIC
from ringscope.engine.waiting.watchdog import Watchdog
from ringscope.schedules.schedule import partition

_MPI_OPS = {"sum": MPI.SUM, "prod": MPI.PROD, "min": MPI.MIN, "max": MPI.MAX, "avg": MPI.SUM}
# MPI.DATATYPE_NULL if the library does not have the type
_MPI_HALVES = {"float16": MPI.FLOAT16_T, "bfloat16": MPI.BFLOAT16_T}


def vendor_plan(
    comm: MPI.Intracomm,
    watchdog: Watchdog,
    memory: Memory,
    collective: str,
    op: str,
    send: Buffer,
    recv: Buffer,
    root: int,
) -> Plan:
    """Return a plan that calls the MPI function of this name, which blocks, supervised by ``watchdog``.

    The buffers are in ``memory``. Raises EngineError for a dtype that MPI cannot add there.
    """
    dtype = recv.local.dtype
    if is_on_gpu(recv.local) and collective in REDUCING and _is_unknown(dtype):
        raise EngineError(
            f"dtype: this MPI does not support {dtype.name} in GPU memory; choose another dtype, or leave out "
            "algorithm mpi."
        )
    in_place = address(send.local) == address(recv.local)
    call = _CALLS[collective](comm, _operation(op, dtype), send.local, recv.local, in_place, root)
    finish = memory.reduction(op, dtype, comm.size).finish
    if finish is not None:
        call = _both(call, partial(finish, _output(comm, collective, recv.local, root)))
    return _VendorPlan(watchdog, memory, f"MPI's {collective}", call)


class _VendorPlan:
    def __init__(self, watchdog: Watchdog, memory: Memory, name: str, call: Callable[[], Any]) -> None:
        self._watchdog, self._memory, self._name, self._call = watchdog, memory, name, call

    def run(self) -> None:
        """Call the MPI function once."""
        watchdog, wait = self._watchdog, self._memory.wait
        watchdog.inside = self._name  # set directly, because a guard takes as long as a short call
        try:
            wait()
            self._call()
            wait()
            TRAFFIC.add_library_call()
        finally:
            watchdog.inside = ""
            watchdog.calls += 1

    def free(self) -> None:
        """Do nothing: there is nothing to release."""


def _both(call: Callable[[], Any], then: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        call()
        then()

    return run


def _output(comm: MPI.Intracomm, collective: str, recv: Array, root: int) -> Array:
    if collective == "reduce" and comm.rank != root:
        return recv[:0]
    return _part(recv, comm) if collective == "reduce_scatter" else recv


def _all_reduce(
    comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int
) -> Callable[[], Any]:
    return partial(comm.Allreduce, MPI.IN_PLACE if in_place else _message(send), _message(recv), op)


def _reduce_scatter(
    comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int
) -> Callable[[], Any]:
    counts = [part.length for part in partition(recv.size, comm.size)]
    own = _part(recv, comm)
    if not in_place:
        return partial(comm.Reduce_scatter, _message(send), _message(own), counts, op)
    # In place MPI would put the result at the beginning, over the parts of other ranks. The memory is filled so that
    # its pages exist.
    result = module_of(own).empty_like(own)
    result.fill(0)

    def call() -> None:
        comm.Reduce_scatter(_message(send), _message(result), counts, op)
        module_of(own).copyto(own, result)

    return call


def _all_gather(
    comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int
) -> Callable[[], Any]:
    counts = [part.length for part in partition(recv.size, comm.size)]
    own = MPI.IN_PLACE if in_place else _message(_part(send, comm))
    return partial(comm.Allgatherv, own, [bits(recv), counts, None, _datatype(recv.dtype)])


def _broadcast(
    comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int
) -> Callable[[], Any]:
    if in_place or comm.rank != root:
        return partial(comm.Bcast, _message(recv), root)

    def call() -> None:
        comm.Bcast(_message(send), root)
        module_of(recv).copyto(recv, send)

    return call


def _reduce(comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int) -> Callable[[], Any]:
    mine = MPI.IN_PLACE if in_place and comm.rank == root else _message(send)
    return partial(comm.Reduce, mine, _message(recv) if comm.rank == root else None, op, root)


def _alltoall(
    comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int
) -> Callable[[], Any]:
    if recv.size % comm.size:
        raise ValueError(f"count: {recv.size} elements cannot be split evenly over {comm.size} ranks; give a multiple.")
    return partial(comm.Alltoall, MPI.IN_PLACE if in_place else _message(send), _message(recv))


def _sendrecv(
    comm: MPI.Intracomm, op: MPI.Op, send: Array, recv: Array, in_place: bool, root: int
) -> Callable[[], Any]:
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    if in_place:
        return partial(comm.Sendrecv_replace, _message(recv), after, source=before)
    return partial(comm.Sendrecv, _message(send), after, recvbuf=_message(recv), source=before)


_CALLS = {
    "all_reduce": _all_reduce,
    "reduce_scatter": _reduce_scatter,
    "all_gather": _all_gather,
    "broadcast": _broadcast,
    "reduce": _reduce,
    "alltoall": _alltoall,
    "sendrecv": _sendrecv,
}


def _message(memory: Array) -> list[Any]:
    return [bits(memory), _datatype(memory.dtype)]


def _datatype(dtype: np.dtype[np.generic]) -> MPI.Datatype:
    half = _MPI_HALVES.get(dtype.name)
    if half is None:
        return MPI.Datatype.fromcode(dtype.char)
    return MPI.UINT16_T if half == MPI.DATATYPE_NULL else half


@cache
def _operation(op: str, dtype: np.dtype[np.generic]) -> MPI.Op:
    """Return MPI's operation, or a user-defined one for a dtype that the MPI library does not know."""
    if not _is_unknown(dtype):
        return _MPI_OPS[op]
    combine = reduction(op, dtype, 1).combine

    def call(first: Any, second: Any, datatype: MPI.Datatype) -> None:
        result = np.frombuffer(second, dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            combine(np.frombuffer(first, dtype), result, result)

    return MPI.Op.Create(call, commute=True)


def _is_unknown(dtype: np.dtype[np.generic]) -> bool:
    return _MPI_HALVES.get(dtype.name) == MPI.DATATYPE_NULL


def _part(memory: Array, comm: MPI.Intracomm) -> Array:
    offset, length = partition(memory.size, comm.size)[comm.rank]
    return memory[offset : offset + length]

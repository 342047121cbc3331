"""NCCL's own collectives on the same buffers, as the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringscope.engine.base import Array, Plan
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arrays import address, module_of
from ringscope.engine.vendors.nccl_link import NcclLink
from ringscope.schedules.schedule import partition

_EVEN = frozenset({"reduce_scatter", "all_gather", "alltoall"})
_ALLTOALL = "ncclAlltoAll"  # from NCCL 2.28 on
_MESSAGES = "ncclSend, ncclRecv"
_FUNCTIONS = {
    "all_reduce": "ncclAllReduce",
    "reduce": "ncclReduce",
    "broadcast": "ncclBroadcast",
    "reduce_scatter": "ncclReduceScatter",
    "all_gather": "ncclAllGather",
    "sendrecv": _MESSAGES,
}


def vendor_plan(link: NcclLink, collective: str, op: str, send: Array, recv: Array, root: int) -> Plan:
    """Return a plan that calls the NCCL function of this name, or the exchange that NCCL's documentation gives for
    it.
    """
    if collective in _EVEN and recv.size % link.size:
        raise EngineError(
            f"count: {recv.size} elements cannot be split evenly over {link.size} ranks; give a multiple."
        )
    return _VendorPlan(link, collective, op, send, recv, root)


class _VendorPlan:
    """``function`` names what it calls, as a row says it."""

    def __init__(self, link: NcclLink, collective: str, op: str, send: Array, recv: Array, root: int) -> None:
        self._link, self._collective, self._root = link, collective, root
        self._type, self._factor = link.wire(recv.dtype)
        self._op = link.op(op)
        self.clock = link.clock
        self._send, self._recv, self._xp = send, recv, module_of(recv)
        self._target = recv  # messages cannot overwrite what is still to be sent
        if address(send) == address(recv) and collective in ("alltoall", "sendrecv"):
            with link.stream:
                self._target = link.scratch.take(recv.size, recv.dtype)
        self._parts = partition(recv.size, link.size)
        self._call: Callable[[], Any] = getattr(self, f"_{collective}")
        has_alltoall = link.library.has(_ALLTOALL)
        self.function = _FUNCTIONS.get(collective, _ALLTOALL if has_alltoall else _MESSAGES)

    def run(self) -> None:
        """Call the NCCL function once."""
        self._link.execute(self._call, self._where)

    def enqueue(self) -> None:
        """Enqueue the NCCL function once."""
        self._link.enqueue(self._call, self._where)

    def capture(self, calls: Callable[[], None], name: str) -> Callable[[], None]:
        """Capture what ``calls`` enqueue as a CUDA graph, which errors call by this name."""
        return self._link.capture(calls, name)

    def wait(self) -> None:
        """Wait for everything that was enqueued."""
        self._link.wait(self._where)

    def free(self) -> None:
        """Do nothing: there is nothing to release."""

    def _where(self) -> str:
        return f"NCCL's {self._collective}"

    def _all_reduce(self) -> None:
        self._link.comm.allReduce(*self._whole(), self._op, self._link.stream.ptr)

    def _reduce(self) -> None:
        self._link.comm.reduce(*self._whole(), self._op, self._root, self._link.stream.ptr)

    def _broadcast(self) -> None:
        self._link.comm.broadcast(*self._whole(), self._root, self._link.stream.ptr)

    def _reduce_scatter(self) -> None:
        own = self._part(self._recv, self._link.rank)
        count = own.size * self._factor
        pointers = address(self._send), address(own)
        self._link.comm.reduceScatter(*pointers, count, self._type, self._op, self._link.stream.ptr)

    def _all_gather(self) -> None:
        own = self._part(self._send, self._link.rank)
        count = own.size * self._factor
        self._link.comm.allGather(address(own), address(self._recv), count, self._type, self._link.stream.ptr)

    def _alltoall(self) -> None:
        if self.function == _ALLTOALL:
            count = self._parts[0].length * self._factor
            pointers = address(self._send), address(self._target)
            arguments = *pointers, count, self._type, self._link.comm.comm, self._link.stream.ptr
            self._link.library.call(_ALLTOALL, *arguments)
        else:
            rank = self._link.rank
            self._xp.copyto(self._part(self._target, rank), self._part(self._send, rank))
            with self._link.group():
                for peer in range(self._link.size):
                    if peer != rank:
                        self._message("send", self._part(self._send, peer), peer)
                        self._message("recv", self._part(self._target, peer), peer)
        self._bring_back()

    def _sendrecv(self) -> None:
        rank, size = self._link.rank, self._link.size
        with self._link.group():
            self._message("send", self._send, (rank + 1) % size)
            self._message("recv", self._target, (rank - 1) % size)
        self._bring_back()

    def _bring_back(self) -> None:
        if self._target is not self._recv:
            self._xp.copyto(self._recv, self._target)

    def _whole(self) -> tuple[int, int, int, int]:
        return address(self._send), address(self._recv), self._recv.size * self._factor, self._type

    def _part(self, memory: Array, rank: int) -> Array:
        offset, length = self._parts[rank]
        return memory[offset : offset + length]

    def _message(self, verb: str, memory: Array, peer: int) -> None:
        count = memory.size * self._factor
        getattr(self._link.comm, verb)(address(memory), count, self._type, peer, self._link.stream.ptr)

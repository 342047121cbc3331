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
    def __init__(self, link: NcclLink, collective: str, op: str, send: Array, recv: Array, root: int) -> None:
        self._link, self._collective, self._root = link, collective, root
        self._type, self._factor = link.wire(recv.dtype)
        self._op = link.op(op)
        self._send, self._recv, self._xp = send, recv, module_of(recv)
        self._is_in_place = address(send) == address(recv)
        self._parts = partition(recv.size, link.size)
        self._call: Callable[[], Any] = getattr(self, f"_{collective}")

    def run(self) -> None:
        """Call the NCCL function once."""
        self._link.execute(self._call, self._where)

    def enqueue(self) -> None:
        """Enqueue the NCCL function once."""
        self._link.enqueue(self._call, self._where)

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
        rank = self._link.rank
        target = self._xp.empty_like(self._recv) if self._is_in_place else self._recv
        self._xp.copyto(self._part(target, rank), self._part(self._send, rank))
        with self._link.group():
            for peer in range(self._link.size):
                if peer != rank:
                    self._message("send", self._part(self._send, peer), peer)
                    self._message("recv", self._part(target, peer), peer)
        if self._is_in_place:
            self._xp.copyto(self._recv, target)

    def _sendrecv(self) -> None:
        rank, size = self._link.rank, self._link.size
        target = self._xp.empty_like(self._recv) if self._is_in_place else self._recv
        with self._link.group():
            self._message("send", self._send, (rank + 1) % size)
            self._message("recv", target, (rank - 1) % size)
        if self._is_in_place:
            self._xp.copyto(self._recv, target)

    def _whole(self) -> tuple[int, int, int, int]:
        return address(self._send), address(self._recv), self._recv.size * self._factor, self._type

    def _part(self, memory: Array, rank: int) -> Array:
        offset, length = self._parts[rank]
        return memory[offset : offset + length]

    def _message(self, verb: str, memory: Array, peer: int) -> None:
        count = memory.size * self._factor
        getattr(self._link.comm, verb)(address(memory), count, self._type, peer, self._link.stream.ptr)

"""Transport mpi: messages between NumPy buffers with MPI point to point; also MPI's own all-reduce.

Every message is a persistent request, prepared once per plan, so that a call only starts and awaits them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

# mpi4py's default thread level stays: below "multiple" MPICH never yields the core while it waits, and with more
# ranks than cores every call then takes a scheduler slice (8 ms instead of 16 us at 4 ranks on 2 cores).
from mpi4py import MPI

from ringscope.schedule import Schedule, Transfer
from ringscope.transports.base import OPS, Array, Buffer, Plan

_MPI_OPS = {"sum": MPI.SUM}
_Reduction = tuple[Array, Array, Array]


def world_rank() -> int:
    """This rank's number, also before there is a communicator."""
    return MPI.COMM_WORLD.rank


def abort(exit_code: int) -> None:
    """End every rank of the gang at once with this code: peers may wait for this one for ever."""
    MPI.COMM_WORLD.Abort(exit_code)


def unlink_segments(comm: MPI.Intracomm) -> None:
    """Remove the names of MPICH's own shared memory once every rank has it (collective).

    MPICH 5.0 removes its start-up segment (/dev/shm/mpich_shm_*, 2 MiB and more) only in MPI_Finalize, so that each
    gang that is killed would leave one behind for ever. Mapped memory lives on without its name.
    """
    comm.Barrier()
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return
    for line in maps.read_text().splitlines():
        name = line.split(maxsplit=5)[-1]
        if name.startswith("/dev/shm/mpich_shm_"):
            Path(name).unlink(missing_ok=True)  # "name (deleted)" after a peer was first: no such file


class MpiTransport:
    """Executes schedules with Isend and Irecv over ``comm``, in a message space of its own."""

    name = "mpi"

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm.Dup()

    def allocate(self, size_bytes: int) -> Buffer:
        """Plain memory: MPI takes any."""
        local = np.zeros(size_bytes, np.uint8)
        return Buffer(local, (local,))

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Persistent requests for this rank's share of every step."""
        return _MessagePlan(self._comm, schedule, op, send.local, recv.local)

    def free(self) -> None:
        """Give back the message space (collective)."""
        self._comm.Free()


class _MessagePlan:
    """This rank's steps: start the requests, wait for them, add what came in."""

    def __init__(self, comm: MPI.Intracomm, schedule: Schedule, op: str, send: Array, recv: Array) -> None:
        self._comm, self._ufunc = comm, OPS[op]
        # A chunk is read from the input until the first transfer has written it to the result.
        self._current = [send[c.offset : c.offset + c.length] for c in schedule.chunks]
        self._result = [recv[c.offset : c.offset + c.length] for c in schedule.chunks]
        mine = [
            [t for t in step if comm.rank in (t.src, t.dst) and schedule.chunks[t.chunk].length]
            for step in schedule.steps
        ]
        scratch_count = max(
            (sum(self._result[t.chunk].size for t in step if self._reduces(t)) for step in mine), default=0
        )
        self._scratch = np.empty(scratch_count, recv.dtype)
        self._steps = [self._step(step) for step in mine if step]
        in_place = send is recv or send.ctypes.data == recv.ctypes.data
        untouched = [i for i, part in enumerate(self._current) if part is not self._result[i]]
        self._copies = [] if in_place else [(self._result[i], self._current[i]) for i in untouched]

    def run(self) -> None:
        """Execute the schedule once."""
        for result, source in self._copies:
            np.copyto(result, source)
        for requests, reductions in self._steps:
            MPI.Prequest.Startall(requests)
            MPI.Request.Waitall(requests)
            for own, received, result in reductions:
                self._ufunc(own, received, result)

    def free(self) -> None:
        """Free the persistent requests."""
        for requests, _ in self._steps:
            for request in requests:
                request.Free()

    def _reduces(self, transfer: Transfer) -> bool:
        return transfer.reduce and transfer.dst == self._comm.rank

    def _step(self, transfers: list[Transfer]) -> tuple[list[MPI.Prequest], list[_Reduction]]:
        requests: list[MPI.Prequest] = []
        reductions: list[_Reduction] = []
        used = 0
        for t in transfers:
            if t.src == self._comm.rank:
                requests.append(self._comm.Send_init(self._current[t.chunk], t.dst))
        for t in transfers:
            if t.dst != self._comm.rank:
                continue
            target = self._result[t.chunk]
            if t.reduce:
                target = self._scratch[used : used + target.size]
                used += target.size
                reductions.append((self._current[t.chunk], target, self._result[t.chunk]))
            requests.append(self._comm.Recv_init(target, t.src))
            self._current[t.chunk] = self._result[t.chunk]
        return requests, reductions


class AllreducePlan:
    """MPI_Allreduce on the same buffers: the yardstick, executed by the MPI library as it sees fit."""

    def __init__(self, comm: MPI.Intracomm, op: str, send: Buffer, recv: Buffer) -> None:
        in_place = send.local.ctypes.data == recv.local.ctypes.data
        datatype = MPI.Datatype.fromcode(recv.local.dtype.char)
        self._comm, self._op = comm, _MPI_OPS[op]
        self._send = MPI.IN_PLACE if in_place else [send.local, datatype]
        self._recv = [recv.local, datatype]

    def run(self) -> None:
        """Call MPI_Allreduce once."""
        self._comm.Allreduce(self._send, self._recv, self._op)

    def free(self) -> None:
        """Nothing to give back."""

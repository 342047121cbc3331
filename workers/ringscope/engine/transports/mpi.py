"""Transport mpi: messages between the ranks' buffers with MPI point to point, in host or in GPU memory.

Every message is a persistent request, prepared once per plan, so that a call only starts and awaits them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

# mpi4py's default thread level is kept: below "multiple" MPICH never yields the core while it waits, and with more
# ranks than cores every call then takes a scheduler slice (8 ms instead of 16 us at 4 ranks on 2 cores).
from mpi4py import MPI

from ringscope.contracts.traced import RankTrace, Span, TracedTransfer
from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS, Array, Buffer, Plan, Scratch, bits, cut, remembered
from ringscope.engine.memory.arrays import address, module_of
from ringscope.engine.memory.buffer import HostMemory, Memory
from ringscope.engine.stdio_drain import drain
from ringscope.engine.traffic import TRAFFIC
from ringscope.engine.transports.traces import of_messages
from ringscope.engine.waiting.peers import Peers
from ringscope.engine.waiting.requests import RequestWatch, wait_all
from ringscope.schedules.messages import Message, messages, untouched
from ringscope.schedules.schedule import Schedule

_Reduction = tuple[Array, Array, Array]
_Call = Callable[..., object]
_messages = remembered(messages)


def world_rank() -> int:
    """Return this rank's number, also before there is a communicator."""
    return MPI.COMM_WORLD.rank


def mpi_versions() -> dict[str, str]:
    """Return the version of the MPI standard, and the first lines of the library's version text."""
    library = " ".join(MPI.Get_library_version().strip("\x00").splitlines()[0].split())
    return {"mpi": ".".join(map(str, MPI.Get_version())), "mpi_library": library}


def is_over() -> bool:
    """Return whether this program has finalized MPI, after which no rank can be reached."""
    return MPI.Is_finalized()


def abort(exit_code: int) -> None:
    """Abort every rank of the gang with this code once this rank's output was read: peers might wait for it for
    ever.
    """
    drain()
    MPI.COMM_WORLD.Abort(exit_code)


def unlink_segments(comm: MPI.Intracomm) -> None:
    """Remove the names of MPICH's own shared memory once every rank has it (collective).

    MPICH 5.0 removes its start-up segment (/dev/shm/mpich_shm_*, 2 MiB and more) only in MPI_Finalize, so every killed
    gang would leave one behind. Mapped memory remains usable without its name.
    """
    comm.Barrier()
    unlink_own_segments()


def unlink_own_segments() -> None:
    """Remove these names without waiting for other ranks; right if this rank is alone on its node."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return
    for line in maps.read_text().splitlines():
        name = line.split(maxsplit=5)[-1]
        if name.startswith("/dev/shm/mpich_shm_"):
            Path(name).unlink(missing_ok=True)  # "name (deleted)" if a peer was first: no such file


# UCX transfers larger messages by rendezvous, which leaves a TCP link of 1 Gbit/s idle for a third of the time at 4
# MiB; several at a time, as in a ring, keep it busy. Pieces do not wait for the receiver: if many ranks send to one,
# they would overrun its link's queue, and nine took 1.6 times as long.
_PIECE_BYTES = 1 << 20
_MOST_PIECES = 256
_FEW_SENDERS = 2


class MpiTransport:
    """Executes schedules with Isend and Irecv over a duplicate of ``comm``."""

    def __init__(
        self,
        comm: MPI.Intracomm,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        memory: Memory | None = None,
    ) -> None:
        """``memory`` is the memory of the buffers: host memory by default; GPU memory needs a CUDA-aware MPI."""
        self.memory: Memory = HostMemory() if memory is None else memory
        self.name = self.memory.name
        self._comm = comm.Dup()
        self._peers = Peers(self._comm, timeout_seconds)
        self._scratch = Scratch(self.memory.empty)

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate memory that peers cannot access."""
        local = self.memory.allocate(size_bytes)
        return Buffer(local, (local,))

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Persistent requests for this rank's share of every step."""
        return _MessagePlan(self._comm, schedule, op, send.local, recv.local, self._peers, self.memory, self._scratch)

    def free(self) -> None:
        """Free the communicator (collective)."""
        self._peers.free()
        self._comm.Free()


class _Step(NamedTuple):
    """This rank's share of a step: the messages that it sends and receives, and the work on received data.

    ``moves`` are its messages, each with the number of its requests.
    """

    number: int
    moves: list[tuple[Message, int]]
    requests: list[MPI.Prequest]
    others: list[int]
    reductions: list[_Reduction]
    copies: list[tuple[Array, Array]]


class _MessagePlan:
    """This rank's steps: start the requests, wait for them, add the received data.

    A step that does not depend on the previous one starts before that one is awaited, so that the link is busy while
    this rank adds. On a GPU additions are only enqueued; they must be done before messages start.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        schedule: Schedule,
        op: str,
        send: Array,
        recv: Array,
        peers: Peers,
        memory: Memory,
        scratch: Scratch,
    ) -> None:
        self._comm, self._send, self._recv, self._peers, self._memory = comm, send, recv, peers, memory
        self._reduction = memory.reduction(op, recv.dtype, comm.size)
        self._copy = module_of(recv).copyto
        self._outputs = [cut(recv, chunk) for chunk in schedule.output_chunks(comm.rank)]
        in_place = send is recv or address(send) == address(recv)
        steps = _messages(schedule, in_place)
        self._is_cut_up = _most_senders(steps) <= _FEW_SENDERS
        every = ([m for m in step if comm.rank in (m.src, m.dst)] for step in steps)
        mine = [step for step in every if step]
        aside = max((sum(m.target.length for m in step if self._is_aside(m)) for step in mine), default=0)
        self._sent_bytes = 0
        halves = scratch.take(2 * aside, recv.dtype).reshape(2, aside)  # for the awaited step, and the one in progress
        self._steps = [self._step(step, halves[i % 2]) for i, step in enumerate(mine)]
        early = [False, *(_is_independent(one, other, comm.rank) for one, other in pairwise(mine))]
        self._rounds: list[tuple[list[MPI.Prequest], _Step]] = [([], step) for step in self._steps]
        for i, step in enumerate(self._steps):
            self._rounds[i - early[i]][0].extend(step.requests)
        kept = [] if in_place else [schedule.chunks[i] for i in untouched(schedule, comm.rank)]
        self._copies = [(cut(recv, chunk), cut(send, chunk)) for chunk in kept]

    def run(self) -> None:
        """Execute the schedule once."""
        self._run(MPI.Prequest.Startall, wait_all, self._reduction.combine, self._copy)

    def trace(self) -> RankTrace:
        """Run the same, and return each message of this rank; on a GPU every addition is awaited."""
        watch = RequestWatch()
        combine, copy = (watch.timing(self._awaited(call)) for call in (self._reduction.combine, self._copy))
        self._run(watch.start, watch.wait_all, combine, copy)
        return watch.trace(watch.now_ns(), self._traced(watch))

    def _run(self, start: _Call, wait: _Call, combine: _Call, copy: _Call) -> None:
        for result, source in self._copies:
            self._copy(result, source)
        with self._memory.computing():
            self._run_rounds(start, wait, combine, copy)
            if self._reduction.finish is not None:
                for output in self._outputs:
                    self._reduction.finish(output)
        self._memory.wait()
        TRAFFIC.add(self._sent_bytes)

    def free(self) -> None:
        """Free the persistent requests."""
        for step in self._steps:
            for request in step.requests:
                request.Free()

    def _run_rounds(self, start: _Call, wait: _Call, combine: _Call, copy: _Call) -> None:
        ready, peers, position = self._memory.wait, self._peers, self._peers.position
        for starting, step in self._rounds:
            position[0] = step.number + 1
            if starting:
                ready()
                start(starting)
            wait(step.requests, step.others, peers, step.number)
            for first, second, result in step.reductions:
                combine(first, second, result)
            for result, received in step.copies:
                copy(result, received)
        position[0] = 0

    def _awaited(self, call: _Call) -> _Call:
        """Make a call wait for its result: in GPU memory it would only enqueue its work."""

        def done(*arguments: Array) -> None:
            call(*arguments)
            self._memory.wait()

        return done

    def _traced(self, watch: RequestWatch) -> list[TracedTransfer]:
        found: list[TracedTransfer] = []
        spans = iter(watch.spans)
        for step in self._steps:
            requests = iter(step.requests)
            moves = [(m, watch.span(list(islice(requests, count)))) for m, count in step.moves]
            mine = [i for i, (m, _) in enumerate(moves) if m.dst == self._comm.rank]
            added = [i for i in mine if moves[i][0].reduce]
            put = [i for i in mine if moves[i][0].staged and i not in added]
            after: dict[int, Span] = dict(zip(added + put, spans, strict=False))
            found += of_messages(self._comm.rank, moves, after, self._recv.itemsize)
        return found

    def _is_aside(self, m: Message) -> bool:
        return m.dst == self._comm.rank and (m.reduce or m.staged)

    def _step(self, step: list[Message], scratch: Array) -> _Step:
        found = _Step(step[0].step, [], [], [], [], [])
        used = 0
        for m in step:
            if m.src == self._comm.rank:
                memory = self._send if m.src_is_input else self._recv
                pieces = self._pieces(cut(memory, m.source), m.dst)
                found.moves.append((m, len(pieces)))
                for piece in pieces:
                    self._sent_bytes += piece.nbytes
                    found.requests.append(self._comm.Send_init(piece, m.dst))
                    found.others.append(m.dst)
                continue
            received = result = cut(self._recv, m.target)
            if self._is_aside(m):
                received = scratch[used : used + m.target.length]
                used += m.target.length
            pieces = self._pieces(received, m.src)
            found.moves.append((m, len(pieces)))
            for piece in pieces:
                found.requests.append(self._comm.Recv_init(piece, m.src))
                found.others.append(m.src)
            if m.reduce:
                own = cut(self._send if m.own_is_input else self._recv, m.target)
                # The lower rank's value comes first on both sides of an exchange, so the results are bitwise equal.
                found.reductions.append((received, own, result) if m.src < m.dst else (own, received, result))
            elif m.staged:
                found.copies.append((result, received))
        return found

    def _pieces(self, memory: Array, other: int) -> list[Array]:
        """Cut memory into messages for the network; the other end cuts it in the same way."""
        whole = bits(memory)
        is_cut_up = self._is_cut_up and not self._peers.is_near(other)
        count = min(-(-whole.nbytes // _PIECE_BYTES), _MOST_PIECES) if is_cut_up else 1
        length = -(-whole.size // max(count, 1))
        return [whole[i : i + length] for i in range(0, whole.size, length)] if count > 1 else [whole]


def _most_senders(steps: Sequence[Sequence[Message]]) -> int:
    """Return the maximum number of ranks from which one rank receives."""
    pairs = {(m.dst, m.src) for step in steps for m in step}
    return max(Counter(receiver for receiver, _ in pairs).values(), default=0)


def _is_independent(before: list[Message], after: list[Message], rank: int) -> bool:
    """Return whether ``rank`` may start ``after`` while ``before`` is still in progress."""
    written = {chunk for m in before if m.dst == rank for chunk in m.writes}
    sent = {chunk for m in before if m.src == rank for chunk in m.reads}
    sent_next = {chunk for m in after if m.src == rank for chunk in m.reads}
    received_next = {c for m in after if m.dst == rank and not (m.reduce or m.staged) for c in m.writes}
    return not (sent_next & written or received_next & (written | sent))

"""Transport shared_memory: ranks of one node read and write each other's buffers in MPI shared windows.

Two ways to execute a schedule: - hub: if one rank takes part in all transfers of a chunk, it alone reads the chunk from
every input, tile by tile, and writes the sum to every result. Every byte is read once and written once; two barriers
suffice. - stepwise: every rank pulls the data that it receives, and waits only for the peers on which it depends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mpi4py import MPI

from ringscope.contracts.traced import RankTrace
from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS, Array, Buffer, Plan, Scratch, cut, remembered, require_memory
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arithmetic import reduction
from ringscope.engine.stopwatch import Stopwatch
from ringscope.engine.traffic import TRAFFIC
from ringscope.engine.transports.hazards import ENTERED, Action, Waits, programs
from ringscope.engine.transports.progress import Progress, free_window, memory, shared_window
from ringscope.engine.transports.traces import of_hubs, pulled
from ringscope.engine.waiting.failures import shared_failure
from ringscope.schedules.schedule import Chunk, Hub, Schedule, hubs

# The best of 64 KiB … 512 KiB as measured with 1 MiB of L2, 2 and 4 ranks, 256 KiB … 64 MiB: 3 to 8 % faster than 128
# KiB, because there are fewer calls, while the partial sum and the next input still stay in L2.
TILE_BYTES = 256 << 10
MOUNT = "/dev/shm"  # where windows take their memory
_PAGE_BYTES = 4096
_FINISHED = ENTERED + 1
_hubs, _programs = remembered(hubs), remembered(programs)
_Bound = tuple[Waits, int, Array, Array | None, Array]  # the progress value is the step number
_Tile = tuple[Array, tuple[Array, ...], Array, tuple[Array, ...]]
_Call = Callable[..., object]


class SharedMemoryTransport:
    """Executes schedules in windows that all ranks of ``comm`` map; they must share one node."""

    name = "shared_memory"

    def __init__(self, comm: MPI.Intracomm, timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS) -> None:
        node = MPI.Intracomm(comm.Split_type(MPI.COMM_TYPE_SHARED, key=comm.rank))
        here = comm.allreduce(node.size, MPI.MIN)
        if here != comm.size:
            node.Free()
            raise EngineError(
                f"transport: shared_memory needs all {comm.size} ranks on one node, but a node has only "
                f"{here} of them; choose mpi or auto."
            )
        self._node = node
        self._windows: list[MPI.Win] = []
        self._progress = Progress(node, timeout_seconds)
        self._scratch = Scratch(np.empty)

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate a window with ``size_bytes`` per rank, which all ranks map."""
        with shared_failure(self._node):
            require_memory(size_bytes * self._node.size, MOUNT)
        buffer = _mapped(self._window(size_bytes), self._node.rank, self._node.size)
        self._node.Barrier()  # every part is now in its owner's memory
        for part in buffer.parts:
            part[::_PAGE_BYTES].any()  # a peer's page is mapped on first access: now, not in a later call
        return buffer

    def plan(self, schedule: Schedule, op: str, send: Buffer, recv: Buffer) -> Plan:
        """Plan hub execution if the schedule allows it, else stepwise execution."""
        found = _hubs(schedule)
        if found is not None:
            return _HubPlan(self._progress, schedule, found, op, send, recv)
        return _StepwisePlan(self._progress, schedule, op, send, recv, self._scratch)

    def free(self) -> None:
        """Free all windows (collective)."""
        self._progress.free()
        for window in self._windows:
            free_window(window)
        self._node.Free()

    def _window(self, size_bytes: int) -> MPI.Win:
        window = shared_window(self._node, size_bytes)
        self._windows.append(window)
        return window


def _mapped(window: MPI.Win, rank: int, size: int) -> Buffer:
    parts = tuple(np.frombuffer(memory(window, r), np.uint8) for r in range(size))
    parts[rank].fill(0)  # the owner accesses its pages first, so they are in the owner's memory
    return Buffer(parts[rank], parts)


class _HubPlan:
    """The tiles of the chunks whose hub is this rank."""

    def __init__(
        self,
        progress: Progress,
        schedule: Schedule,
        found: Sequence[Hub],
        op: str,
        send: Buffer,
        recv: Buffer,
    ) -> None:
        self._progress = progress
        self._reduction = reduction(op, recv.local.dtype, progress.size)
        peers = [r for r in range(progress.size) if r != progress.rank]
        self._all_entered: Waits = tuple((peer, ENTERED) for peer in peers)
        self._all_finished: Waits = tuple((peer, _FINISHED) for peer in peers)
        self._last = [_FINISHED] * progress.size
        self._last_step = len(schedule.steps) - 1
        self._itemsize = recv.local.itemsize
        self._hubs: list[tuple[Hub, Chunk, int]] = []
        self._tiles: list[_Tile] = []
        for hub in found:
            if hub.rank == progress.rank:
                chunk = schedule.chunks[hub.chunk]
                tiles = _tiles(hub, chunk, send, recv)
                self._hubs.append((hub, chunk, len(tiles)))
                self._tiles += tiles
        moved = (each.nbytes for _, sources, _, destinations in self._tiles for each in (*sources, *destinations))
        self._moved_bytes = sum(moved)

    def run(self) -> None:
        """Execute the schedule once."""
        self._run(self._reduction.combine, np.copyto)

    def trace(self) -> RankTrace:
        """Run the same, and return each transfer of this rank's chunks; its peers record nothing for them."""
        watch = Stopwatch()
        self._run(watch.timing(self._reduction.combine), watch.timing(np.copyto))
        return watch.trace(watch.now_ns(), of_hubs(self._hubs, watch.spans, self._itemsize))

    def _run(self, combine: _Call, copy: _Call) -> None:
        progress = self._progress
        position = progress.position
        position[0] = 1
        progress.publish(ENTERED)
        progress.await_(self._all_entered)
        with np.errstate(over="ignore", invalid="ignore"):
            self._combine_tiles(combine, copy)
        position[0] = self._last_step + 1
        progress.publish(_FINISHED)
        progress.await_(self._all_finished, self._last_step)
        progress.finish(self._last)
        position[0] = 0
        TRAFFIC.add(self._moved_bytes)

    def free(self) -> None:
        """Release the buffers."""
        self._tiles.clear()

    def _combine_tiles(self, combine: _Call, copy: _Call) -> None:
        finish = self._reduction.finish
        for own, sources, result, destinations in self._tiles:
            for source in sources:
                combine(own, source, result)
                own = result
            if finish is not None:
                finish(result)
            for destination in destinations:
                copy(destination, result)


def _tiles(hub: Hub, chunk: Chunk, send: Buffer, recv: Buffer) -> list[_Tile]:
    offset, count = chunk
    length = TILE_BYTES // recv.local.itemsize
    tiles: list[_Tile] = []
    for start in range(offset, offset + count, length):
        tile = slice(start, min(start + length, offset + count))
        result = recv.parts[hub.rank][tile]
        own = result if _same(send, recv) else send.parts[hub.rank][tile]
        sources = tuple(send.parts[r][tile] for r in hub.sources)
        tiles.append((own, sources, result, tuple(recv.parts[r][tile] for r in hub.destinations)))
    return tiles


class _StepwisePlan:
    """This rank's program of pulls, bound to the buffers."""

    def __init__(
        self, progress: Progress, schedule: Schedule, op: str, send: Buffer, recv: Buffer, aside: Scratch
    ) -> None:
        in_place = _same(send, recv)
        all_programs = _programs(schedule, in_place)
        program = all_programs[progress.rank]
        self._progress = progress
        self._reduction = reduction(op, recv.local.dtype, progress.size)
        self._outputs = [cut(recv.local, chunk) for chunk in schedule.output_chunks(progress.rank)]
        scratch = aside.take(program.scratch_count, recv.local.dtype)
        self._actions = [_bind(action, send, recv, scratch) for action in program.actions]
        itemsize = recv.local.itemsize
        self._moved_bytes = sum(a.message.source.length * itemsize for a in program.actions if not a.commit)
        kept = [] if in_place else [schedule.chunks[i] for i in program.untouched]
        self._copies = [(cut(recv.local, chunk), cut(send.local, chunk)) for chunk in kept]
        self._final_waits = program.final_waits
        self._last_step = len(schedule.steps) - 1
        self._last = [p.progress for p in all_programs]
        self._actions_told = program.actions
        self._itemsize = recv.local.itemsize

    def run(self) -> None:
        """Execute the schedule once."""
        with np.errstate(over="ignore", invalid="ignore"):
            self._run(self._reduction.combine, np.copyto)

    def trace(self) -> RankTrace:
        """Run the same, and return each transfer that this rank pulled."""
        watch = Stopwatch()
        with np.errstate(over="ignore", invalid="ignore"):
            self._run(watch.timing(self._reduction.combine), watch.timing(np.copyto))
        duration_ns, copies = watch.now_ns(), len(self._copies)
        began_ns = watch.spans[copies - 1].end_ns if copies else 0
        return watch.trace(duration_ns, pulled(self._actions_told, watch.spans[copies:], began_ns, self._itemsize))

    def free(self) -> None:
        """Release the buffers."""
        self._actions.clear()
        self._copies.clear()
        self._outputs.clear()

    def _run(self, combine: _Call, copy: _Call) -> None:
        progress = self._progress
        position = progress.position
        position[0] = 1
        progress.publish(ENTERED)
        for target, value in self._copies:
            copy(target, value)
        done = ENTERED
        for waits, step, first, second, result in self._actions:
            position[0] = step + 1
            if waits:
                progress.await_(waits, step)
            if second is None:
                copy(result, first)
            else:
                combine(first, second, result)
            done += 1
            progress.publish(done)
        progress.await_(self._final_waits, self._last_step)
        progress.finish(self._last)
        position[0] = 0
        if self._reduction.finish is not None:
            for output in self._outputs:
                self._reduction.finish(output)
        TRAFFIC.add(self._moved_bytes)


def _bind(action: Action, send: Buffer, recv: Buffer, scratch: Array) -> _Bound:
    m = action.message
    result = cut(recv.local, m.target)
    if action.scratch is not None:
        aside = scratch[action.scratch : action.scratch + m.target.length]
        if action.commit:
            return action.waits, m.step, aside, None, result
        result = aside
    source = cut((send if m.src_is_input else recv).parts[m.src], m.source)
    if not m.reduce:
        return action.waits, m.step, source, None, result
    own = cut((send if m.own_is_input else recv).local, m.target)
    # The lower rank's value comes first on both sides of an exchange, so the results are bitwise equal.
    first, second = (source, own) if m.src < m.dst else (own, source)
    return action.waits, m.step, first, second, result


def _same(send: Buffer, recv: Buffer) -> bool:
    return send.local.ctypes.data == recv.local.ctypes.data

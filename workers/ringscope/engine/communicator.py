"""The communicator: the ranks of one gang, the transport between them, and their registered memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from mpi4py import MPI

from ringscope.choice.situation import Choice, Situation
from ringscope.contracts.rank_process import POSITIONS_VARIABLE
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.collectives import AUTO
from ringscope.contracts.words.devices import usual_channels
from ringscope.contracts.words.machine import REFERENCE, shared_cores
from ringscope.contracts.words.units import format_size
from ringscope.engine import positions
from ringscope.engine.agreement import Agreement
from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS, Array, Buffer, Plan, Transport, require_memory
from ringscope.engine.calls import (
    FUNCTIONS,
    Call,
    all_reduce_call,
    array_size,
    empty_call,
    give_back_call,
    needs_staging,
    require_agreement,
)
from ringscope.engine.connect import connect
from ringscope.engine.core_rotation import CoreRotation
from ringscope.engine.cores import own_cores, usable_cores
from ringscope.engine.errors import EngineError, StalledError
from ringscope.engine.exit_hook import end_all, end_alone, end_now, guarded
from ringscope.engine.memory.arrays import copy
from ringscope.engine.memory.cuda import Gpu
from ringscope.engine.nodes import nodes_of
from ringscope.engine.plans import Planner
from ringscope.engine.point_to_point import PointToPoint
from ringscope.engine.registered import Registered
from ringscope.engine.shared_choice import SharedChooser
from ringscope.engine.transports.mpi import unlink_segments
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.trial import tried
from ringscope.engine.vendors.gloo import torch_store
from ringscope.engine.waiting.failures import shared_failure
from ringscope.engine.waiting.pause import sleep_until
from ringscope.engine.waiting.roll_call import RollCall
from ringscope.schedules.schedule import Schedule

_MAX_PLANS = 256
_LINE_BYTES = 64  # a buffer consists of whole ones, at least one, because an empty view is not an array


class Communicator:
    """All ranks that were started together. All of them must call every method that is marked collective."""

    def __init__(
        self,
        transport: str = "auto",
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        device: str = "auto",
        table: Callable[[], Table] = Table,
        give_up: Callable[[EngineError], None] | None = None,
        among: MPI.Intracomm = MPI.COMM_WORLD,
        gpu: Gpu | None = None,
        channels: int | None = None,
        registration: int = 0,
        reports: bool = False,
    ) -> None:
        """``timeout_seconds`` is how long a rank waits for another one before StalledError names it.

        ``table`` returns the measured times for ``auto``; it is called once, on rank 0, when ``auto`` first needs it. A
        library call that blocks for ever cannot raise the error: it is then passed to ``give_up``, in a separate
        thread, which must end all ranks. Without ``give_up`` the message goes to standard error before the end.
        ``among`` is the group of ranks, all by default; ``gpu`` is the GPU that this process already uses.

        ``channels`` is the channel count of rings and trees; each channel leaves a node through a different rank, so
        there are at most as many as ranks on the smallest node. None: that maximum on GPUs of several nodes, because
        each rank has a card; otherwise 1. ``registration`` is what NCCL knows of ``buffer``, as in a benchmark.
        With ``reports`` rank 0 asks NCCL what it chose, which ``nccl_report`` returns.
        """
        if not timeout_seconds > 0:
            raise EngineError(f"timeout_seconds: {timeout_seconds:g} is not a timeout; give more than 0.")
        if channels is not None and channels < 1:
            raise EngineError(f"channels: {channels} is too small; give 1 or more, or leave it out.")
        self._choices = (transport, timeout_seconds, device, table, give_up)
        self._channels, self._registration = channels, registration
        self._comm = among.Dup()
        self.rank: int = self._comm.rank
        self.size: int = self._comm.size
        self.nodes, self.local_rank, self.local_size = nodes_of(self._comm)
        unlink_segments(self._comm)
        self.position = positions.slot(os.environ.get(POSITIONS_VARIABLE), MPI.COMM_WORLD.rank)
        self._agreement = Agreement(self._comm, len(empty_call(0).numbers()), timeout_seconds)
        self._roll_call = RollCall(
            self._comm, timeout_seconds, give_up or partial(end_now, self.rank), is_whole=among == MPI.COMM_WORLD
        )
        self.transport: Transport
        self.transport, self.gpu = connect(
            self._comm,
            transport,
            device,
            timeout_seconds,
            self._roll_call.watchdog,
            gpu,
            self._roll_call.ended,
            registration,
            reports,
        )
        sizes = [len(node) for node in self.nodes]
        self.channels = min([channels or usual_channels(sizes, self.transport.name), *sizes])
        self._planner = Planner(
            self._comm, self.nodes, self.transport, self.gpu is not None, self._roll_call, self.channels
        )
        cores_of_ranks = self._comm.allgather(own_cores())
        self.cores = None if self.gpu else usable_cores(cores_of_ranks)  # the cores of its ranks
        self._core_rotation = CoreRotation([each.machine for each in cores_of_ranks], self.rank)
        self._registered = Registered()
        self._plans: dict[tuple[int, ...], Plan] = {}
        self._chooser = SharedChooser(self._comm, lambda: self._on_these_cores(table()))

    def _on_these_cores(self, known: Table) -> Table:
        """The model uses the cores of these ranks, not all cores of the machine."""
        if self.cores is None:
            return known
        cores = max(1, self.cores // len(self.nodes))
        return known.on((known.machine or REFERENCE).model_copy(update={"cores": cores}))

    def split(self, color: int) -> Communicator:
        """Return the communicator of the ranks with the same ``color``, 0 or more (collective).

        They are renumbered in their old order; calls of different groups are independent.
        """
        if color < 0:
            raise EngineError(f"color: {color} is negative; give 0 or more.")
        members = MPI.Intracomm(self._comm.Split(color, self.rank))
        transport, timeout_seconds, _, table, give_up = self._choices
        device = "cuda" if self.gpu else "cpu"  # chosen once: a group with fewer ranks does not change it
        options = self.gpu, self._channels, self._registration
        group = Communicator(transport, timeout_seconds, device, table, give_up, members, *options)
        members.Free()
        return group

    def post(self) -> PointToPoint:
        """Open point-to-point messages between ranks, separate from the collectives (collective)."""
        return PointToPoint(self._comm, self._choices[1])

    # registered memory

    def buffer(self, size_bytes: int) -> Buffer:
        """Allocate registered bytes on every rank (collective); they live as long as the communicator.

        OutOfMemoryError on every rank if one has too little memory.
        """
        self._agree(empty_call(size_bytes))
        with self._roll_call.watchdog.guard("an allocation"):
            with shared_failure(self._comm):  # before the other ranks are inside an MPI call
                if self.gpu is None:
                    require_memory(size_bytes * self.local_size)
            with shared_failure(self._comm):
                allocated = self.transport.allocate(max(1, -(-size_bytes // _LINE_BYTES)) * _LINE_BYTES)
        self._registered.add(allocated)
        return allocated

    def empty(self, shape: int | tuple[int, ...], dtype: str = "float32") -> Array:
        """Return this rank's array in registered memory, zeroed (collective: equal shape and dtype on every rank).

        Its memory is reused once every rank has dropped it and all views of it, or freed it.
        """
        size_bytes = array_size(shape, dtype)
        self._agree(empty_call(size_bytes))
        return self._registered.array(size_bytes, self.buffer, self._everywhere).view(dtype).reshape(shape)

    def give_back(self, x: Array) -> None:
        """Free an array of ``empty`` now (collective); neither it nor any view of it may be used afterwards."""
        number = self._registered.number(x)
        self._agree(give_back_call(number))
        self._registered.give_back(number)

    @contextmanager
    def lent(self, shape: int | tuple[int, ...], dtype: str = "float32") -> Iterator[Array]:
        """Lend an array of ``empty`` for the duration of a block (collective); after an error in the block it is
        freed later.
        """
        x = self.empty(shape, dtype)
        yield x
        self.give_back(x)

    # all-reduce

    def choose(self, collective: str, dtype: str, size_bytes: int, in_place: bool) -> Choice:
        """Return the algorithm that ``auto`` chooses for such a call, and why (collective, with equal arguments)."""
        return self._chooser.choose(self._situation(collective, dtype, in_place), size_bytes)

    def contenders(self, collective: str, dtype: str, size_bytes: int, in_place: bool) -> list[str]:
        """Return that algorithm, and others that may be faster when links change (collective, as ``choose``)."""
        return self._chooser.contenders(self._situation(collective, dtype, in_place), size_bytes)

    def settle(self, op: str, send: Buffer, recv: Buffer, collective: str = "all_reduce", root: int = 0) -> Choice:
        """Choose by timing the most promising algorithms that were not measured (collective). Both buffers are
        overwritten.

        The result also holds for later calls in the same situation, including those of ``all_reduce``.
        """
        dtype, size_bytes = str(recv.local.dtype), recv.local.nbytes
        situation = self._situation(collective, dtype, send is recv)
        likely = self._chooser.likely(situation, size_bytes)
        if len(likely) < 2:
            return self._chooser.choose(situation, size_bytes)
        times_us = tried(likely, size_bytes, lambda name: self.plan(name, op, send, recv, collective, root), self)
        where = f" at {format_size(size_bytes)}, turn by turn"
        found = Choice.fastest("tried here", times_us, where, likeliest=likely)
        self._chooser.learn(situation, size_bytes, found)
        return found

    def tune(self, x: Array, op: str = "sum", out: Array | None = None) -> Choice:
        """Time which algorithm ``auto`` should choose for all-reduces like this one, in separate memory (collective).

        Of the measured algorithms only the fastest is timed; if all were measured, nothing is timed.
        """
        call = all_reduce_call(x, x if out is None else out, op, AUTO, self._registered.place, "tune")
        self._agree(call)
        staging = self._registered.staging(x.nbytes, self.buffer)
        send, recv = (buffer.head(x.nbytes).view(str(x.dtype)) for buffer in staging)
        for buffer in (send, recv):
            buffer.local.fill(0)
        found = self.settle(op, recv if call.in_place else send, recv)
        self._forget_plans()  # the earlier choice of auto
        return found

    def _situation(self, collective: str, dtype: str, in_place: bool) -> Situation:
        is_crowded = bool(shared_cores(self.size, self.cores))
        return Situation(collective, dtype, tuple(map(len, self.nodes)), self.transport.name, in_place, is_crowded)

    def plan(
        self,
        algorithm: str,
        op: str,
        send: Buffer,
        recv: Buffer,
        collective: str = "all_reduce",
        root: int = 0,
    ) -> Plan:
        """Prepare a collective between registered buffers; equal arguments on every rank.

        Both buffers hold the whole layout: if it has a part per rank, the part of rank r is chunk r, in the input and
        in the result. The same buffer twice means in place. After an error in a run the ranks are out of step: the end
        of this program then ends all of them.
        """
        return guarded(self._planner.plan(algorithm, op, send, recv, collective, root))

    def halves(self, algorithm: str, count: int) -> tuple[Schedule, Schedule] | None:
        """Return the reduce-scatter and the all-gather of which an all-reduce of ``count`` elements consists.

        None if the algorithm is a library's, or does not leave an equal share of the sum on each rank in between.
        """
        return self._planner.halves(algorithm, count)

    def plan_schedule(self, schedule: Schedule, buffer: Buffer) -> Plan:
        """Prepare a schedule that sums or copies in place; equal arguments on every rank, and errors as in ``plan``."""
        return guarded(self.transport.plan(schedule, "sum", buffer, buffer))

    def all_reduce(self, x: Array, op: str = "sum", algorithm: str = "auto", out: Array | None = None) -> Array:
        """Reduce ``x`` over all ranks into ``out``, or into ``x`` itself, and return that array (collective).

        Registered arrays are sent without a copy; others are staged. Raises EngineError on every rank if the ranks
        disagree on length, dtype, op or algorithm.
        """
        target = x if out is None else out
        call = all_reduce_call(x, target, op, algorithm, self._registered.place)
        dtype = str(x.dtype)
        staged = self._agree(call)
        if not staged:
            self._cached_plan(call, algorithm, op, dtype).run()
            return target
        if algorithm == AUTO:
            algorithm = self._chosen(call, dtype)
        send, recv = (buffer.head(x.nbytes).view(dtype) for buffer in self._registered.staging(x.nbytes, self.buffer))
        copy(send.local, x.reshape(-1))
        plan = self.plan(algorithm, op, send, recv)
        plan.run()
        plan.free()
        copy(target.reshape(-1), recv.local)
        return target

    def _chosen(self, call: Call, dtype: str) -> str:
        """Return the algorithm of a call; only after all ranks have agreed on the call, because the choice is
        collective.
        """
        size_bytes = call.count * np.dtype(dtype).itemsize
        return self.choose(FUNCTIONS[call.function], dtype, size_bytes, bool(call.in_place)).algorithm

    def _agree(self, call: Call) -> bool:
        """Compare the call over all ranks; return whether any rank's arrays need staging."""
        every = self._exchange(call.numbers())
        require_agreement(every)
        return needs_staging(every)

    def _exchange(self, numbers: list[int]) -> Array:
        self.position[positions.UNTIMED] += 1  # a call has begun, which counts as progress
        try:
            return self._agreement.exchange(numbers)
        except StalledError:
            end_all()
            raise

    def _cached_plan(self, call: Call, algorithm: str, op: str, dtype: str) -> Plan:
        key = tuple(call.numbers())
        if key not in self._plans:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.pop(next(iter(self._plans))).free()
            if algorithm == AUTO:
                algorithm = self._chosen(call, dtype)
            size_bytes = call.count * np.dtype(dtype).itemsize
            send, recv = (self._registered.at(place, size_bytes).view(dtype) for place in (call.send, call.recv))
            self._plans[key] = self.plan(algorithm, op, send, recv)
        return self._plans[key]

    def _forget_plans(self) -> None:
        for plan in self._plans.values():
            plan.free()
        self._plans.clear()

    # functions that a sweep needs in addition

    def rebuild(self) -> None:
        """Reconnect after NCCL's communicator was aborted (collective); arrays, buffers and plans stay valid.

        The end of this program then no longer ends the other ranks. EngineError if the transport cannot reconnect.
        """
        if not isinstance(self.transport, NcclTransport):
            raise EngineError(f"rebuild: transport {self.transport.name} cannot reconnect; start the job again.")
        self.transport.rebuild()
        end_alone()

    @property
    def nccl_report(self) -> str | None:
        """Return what NCCL said of its network, channels and transports; None if it was not asked, or said nothing."""
        return self.transport.report if isinstance(self.transport, NcclTransport) else None

    def barrier(self, sleeps: bool = False) -> None:
        """Wait for all ranks (collective). If all give ``sleeps`` they leave the core and return up to 2 ms late."""
        with self._roll_call.watchdog.guard("a barrier"):
            sleep_until(self._comm.Ibarrier().Test) if sleeps else self._comm.Barrier()

    def reseat(self, turn: int) -> None:
        """Move this rank to its core for ``turn`` when ranks share cores, so that all candidates see the same
        sharing.
        """
        self._core_rotation.take(turn)

    def maximum(self, values: Array) -> Array:
        """Return the elementwise maximum over all ranks (collective)."""
        return self._reduced(values, MPI.MAX)

    def _everywhere(self, flags: Array) -> Array:
        return self._reduced(flags, MPI.MIN)

    def total(self, values: Array) -> Array:
        """Return the elementwise sum over all ranks (collective)."""
        return self._reduced(values, MPI.SUM)

    def broadcast(self, values: Array, root: int) -> None:
        """Broadcast ``values`` from ``root``, a NumPy array of equal shape and dtype on every rank (collective)."""
        with self._roll_call.watchdog.guard("a broadcast"):
            self._comm.Bcast(values, root)

    def torch_store(self) -> tuple[Any, bool]:
        """Return a store of torch.distributed for all ranks, and whether they are on one node (collective)."""
        return torch_store(self._comm)

    def ended_ranks(self) -> list[int]:
        """Return the ranks of this node whose processes have ended."""
        return self._roll_call.ended()

    def _reduced(self, values: Array, op: MPI.Op) -> Array:
        result = np.empty_like(values)
        with self._roll_call.watchdog.guard("the exchange of results"):
            self._comm.Allreduce(values, result, op)
        return result

    def finish(self) -> None:
        """Announce that this rank's program makes no more calls, so that ranks of its node stop waiting for it."""
        self.position[positions.FINISHED] = self._roll_call.watchdog.calls + 1

    def free(self) -> None:
        """Free all registered memory (collective); arrays in it must not be used afterwards."""
        self._forget_plans()
        self._registered.forget()
        with self._roll_call.watchdog.guard("the end"):
            self.transport.free()
            self._agreement.free()
        self._roll_call.free()
        self._comm.Free()

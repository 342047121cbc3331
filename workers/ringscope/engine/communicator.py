"""The communicator: the ranks of one gang, the transport between them, and their registered memory."""

from __future__ import annotations

import atexit
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI

from ringscope.choice.chooser import Choice, Situation
from ringscope.contracts.collectives import AUTO, REDUCING, VENDORS, available
from ringscope.contracts.devices import VENDOR_DEVICES
from ringscope.contracts.dtypes import DTYPES, OPS, check_dtype, check_op
from ringscope.contracts.record import POSITIONS_VARIABLE
from ringscope.contracts.tuning import Table
from ringscope.engine import positions
from ringscope.engine.agreement import Agreement
from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS, Array, Buffer, Plan, Transport, remembered, require_memory
from ringscope.engine.connect import connect
from ringscope.engine.errors import EngineError, StalledError
from ringscope.engine.memory.arrays import address, copy, is_array, is_writable, overlap
from ringscope.engine.memory.buffer import HostMemory, Memory
from ringscope.engine.post import Post
from ringscope.engine.shared_choice import SharedChooser
from ringscope.engine.transports.mpi import MpiTransport, abort, unlink_segments
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.vendors.gloo import gloo_plan, torch_store
from ringscope.engine.vendors.mpi import vendor_plan
from ringscope.engine.waiting.roll_call import RollCall
from ringscope.schedules.algorithms import SCHEDULES, build

_ALGORITHMS = (*SCHEDULES, *sorted(VENDORS), AUTO)
_MAX_PLANS = 256
_build = remembered(build)


@dataclass(frozen=True, slots=True)
class _Call:
    """What every rank must agree on in one call, as numbers that fit one small message.

    ``send`` and ``recv`` are places in registered memory: (index of the allocation, byte offset); -1: elsewhere.
    """

    function: int
    count: int
    dtype: int = 0
    op: int = 0
    algorithm: int = 0
    in_place: int = 0
    send: tuple[int, int] = (0, 0)
    recv: tuple[int, int] = (0, 0)

    def numbers(self) -> list[int]:
        """The message: first what must be equal, then the places."""
        equal = [self.function, self.count, self.dtype, self.op, self.algorithm, self.in_place]
        return [*equal, *self.send, *self.recv]


_FUNCTIONS = ("all_reduce", "empty")
_EQUAL = ("function", "length", "dtype", "op", "algorithm", "in place or out of place")


class Communicator:
    """All ranks that were started together. Every method marked collective must be called by all of them."""

    def __init__(
        self,
        transport: str = "auto",
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        device: str = "auto",
        table: Callable[[], Table] = Table,
        give_up: Callable[[EngineError], None] | None = None,
        among: MPI.Intracomm = MPI.COMM_WORLD,
    ) -> None:
        """``timeout_seconds`` is how long a rank waits for another one before StalledError names it.

        ``table`` gives what is measured, for ``auto``; it is called once, on rank 0, when ``auto`` first needs it.
        A library's call that blocks for ever cannot raise the error: then ``give_up`` gets it, in a thread of its own,
        and has to end all ranks. Without one the sentence goes to standard error before the end. ``among`` are the
        ranks, all by default.
        """
        if not timeout_seconds > 0:
            raise EngineError(f"timeout_seconds: {timeout_seconds:g} is no time to wait; give more than 0.")
        self._choices = (transport, timeout_seconds, device, table, give_up)
        self._comm = among.Dup()
        self.rank: int = self._comm.rank
        self.size: int = self._comm.size
        node = self._comm.Split_type(MPI.COMM_TYPE_SHARED, key=self.rank)
        self.local_rank: int = node.rank
        self.local_size: int = node.size
        leaders = self._comm.allgather(node.bcast(self.rank))
        self.nodes: tuple[tuple[int, ...], ...] = tuple(
            tuple(rank for rank, its_leader in enumerate(leaders) if its_leader == leader)
            for leader in sorted(set(leaders))
        )
        node.Free()
        unlink_segments(self._comm)
        self.position = positions.slot(os.environ.get(POSITIONS_VARIABLE), MPI.COMM_WORLD.rank)
        self._agreement = Agreement(self._comm, len(_Call(0, 0).numbers()), timeout_seconds)
        self._roll_call = RollCall(self._comm, timeout_seconds, give_up or self._end)
        self.transport: Transport
        self.transport, self.gpu = connect(self._comm, transport, device, timeout_seconds)
        self._buffers: list[Buffer] = []
        self._plans: dict[tuple[int, ...], Plan] = {}
        self._staging = [Buffer(np.empty(0, np.uint8), ())] * 2
        self._chooser = SharedChooser(self._comm, table)

    def split(self, color: int) -> Communicator:
        """The communicator of those ranks that give the same ``color``, 0 or more (collective).

        They are numbered anew in their old order; calls of different groups do not meet.
        """
        if color < 0:
            raise EngineError(f"color: {color} is negative; give 0 or more.")
        members = MPI.Intracomm(self._comm.Split(color, self.rank))
        group = Communicator(*self._choices, among=members)
        members.Free()
        return group

    def post(self) -> Post:
        """For messages between two ranks, beside collectives (collective)."""
        return Post(self._comm, self._choices[1])

    # registered memory

    def buffer(self, size_bytes: int) -> Buffer:
        """Registered bytes on every rank (collective); they live as long as the communicator."""
        self._agree(_Call(_FUNCTIONS.index("empty"), size_bytes))
        if self.gpu is None:
            require_memory(size_bytes * self.local_size)
        with self._roll_call.watchdog.guard("an allocation"):
            allocated = self.transport.allocate(-(-size_bytes // 64) * 64)
        self._buffers.append(allocated)
        return allocated

    def empty(self, shape: int | tuple[int, ...], dtype: str = "float32") -> Array:
        """This rank's array in registered memory, zeroed (collective: equal shape and dtype on every rank)."""
        _check("dtype", check_dtype, str(np.dtype(dtype)))
        count = math.prod(shape if isinstance(shape, tuple) else (shape,))
        local = self.buffer(count * np.dtype(dtype).itemsize).local
        return local[: count * np.dtype(dtype).itemsize].view(dtype).reshape(shape)

    # all-reduce

    def choose(self, collective: str, dtype: str, size_bytes: int, in_place: bool) -> Choice:
        """What ``auto`` means for such a call, and why (collective, with equal arguments)."""
        ranks_of_nodes = tuple(map(len, self.nodes))
        situation = Situation(collective, dtype, ranks_of_nodes, self.transport.name, in_place)
        return self._chooser.choose(situation, size_bytes)

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

        Both buffers hold the whole layout: where it has a part per rank, that of rank r is chunk r of as many, in the
        input as in the result. The same buffer twice means in place.
        """
        if collective not in REDUCING:
            op = "sum"  # of a single value: the value
        _check("op", check_op, op, recv.local.dtype.name)
        if algorithm not in available(collective):
            raise EngineError(
                f"algorithm: {collective} has no {algorithm}; choose one of {', '.join(available(collective))}."
            )
        here = "cpu" if self.gpu is None else "cuda"
        if here not in VENDOR_DEVICES.get(algorithm, (here,)):
            raise EngineError(f"algorithm: {algorithm} does not work on device {here}; choose another one.")
        match algorithm:
            case "nccl":
                if not isinstance(self.transport, NcclTransport):
                    raise EngineError("algorithm: nccl needs transport nccl; choose that or another algorithm.")
                return self.transport.vendor_plan(collective, op, send, recv, root)
            case "mpi":
                memory: Memory = HostMemory()
                if isinstance(self.transport, MpiTransport):
                    memory = self.transport.memory
                elif self.gpu is not None:
                    raise EngineError(
                        "algorithm: mpi does not work on device cuda without transport mpi; "
                        "choose that or another algorithm."
                    )
                return vendor_plan(self._comm, self._roll_call.watchdog, memory, collective, op, send, recv, root)
            case "gloo":
                return gloo_plan(self._comm, self._roll_call, op, send, recv)
        schedule = _build(algorithm, self.size, recv.local.size, self.nodes, collective, root)
        return self.transport.plan(schedule, op, send, recv)

    def all_reduce(self, x: Array, op: str = "sum", algorithm: str = "auto", out: Array | None = None) -> Array:
        """Reduce ``x`` over all ranks into ``out``, or into ``x`` itself, and return that array (collective).

        Registered arrays travel without a copy; others are staged. Raises EngineError on every rank when the
        ranks disagree on length, dtype, op or algorithm.
        """
        target = x if out is None else out
        dtype = _checked(x, target)
        _check("dtype", check_dtype, dtype)
        _check("op", check_op, op, dtype)
        call = _Call(
            function=_FUNCTIONS.index("all_reduce"),
            count=x.size,
            dtype=DTYPES.index(dtype),
            op=OPS.index(op),
            algorithm=_code(algorithm, _ALGORITHMS, "algorithm"),
            in_place=int(target is x),
            send=self._place(x),
            recv=self._place(target),
        )
        staged = self._agree(call)
        if not staged:
            self._run(self._cached_plan(call, algorithm, op, dtype))
            return target
        if algorithm == AUTO:
            algorithm = self._chosen(call, dtype)
        send, recv = (buffer.head(x.nbytes).view(dtype) for buffer in self._staged(x.nbytes))
        copy(send.local, x.reshape(-1))
        plan = self.plan(algorithm, op, send, recv)
        self._run(plan)
        plan.free()
        copy(target.reshape(-1), recv.local)
        return target

    def _chosen(self, call: _Call, dtype: str) -> str:
        """Only after all ranks agreed on the call: to choose, they must all be here."""
        size_bytes = call.count * np.dtype(dtype).itemsize
        return self.choose(_FUNCTIONS[call.function], dtype, size_bytes, bool(call.in_place)).algorithm

    def _run(self, plan: Plan) -> None:
        try:
            plan.run()
        except StalledError:
            self._give_up()
            raise

    def _agree(self, call: _Call) -> bool:
        """Compare the call over all ranks; true when some rank's arrays need staging."""
        every = self._exchange(call.numbers())
        for column, name in enumerate(_EQUAL):
            different = np.flatnonzero(every[:, column] != every[0, column])
            if different.size:
                other = int(different[0])
                theirs, ours = (_shown(name, int(every[rank, column])) for rank in (other, 0))
                raise EngineError(
                    f"{_FUNCTIONS[call.function]}: rank {other} differs from rank 0 in {name} "
                    f"({theirs} against {ours}); all ranks must make the same call."
                )
        places = every[:, len(_EQUAL) :]
        return bool((places != places[0]).any() or (places[:, ::2] < 0).any())

    def _exchange(self, numbers: list[int]) -> Array:
        try:
            return self._agreement.exchange(numbers)
        except StalledError:
            self._give_up()
            raise

    def _give_up(self) -> None:
        """After a stall the ranks are out of step for good: end them all when this program ends, as MPI would wait."""
        atexit.register(abort, 1)

    def _end(self, error: EngineError) -> None:
        sys.stderr.write(f"rank {self.rank}: {error}\n")
        sys.stderr.flush()
        abort(1)

    def _cached_plan(self, call: _Call, algorithm: str, op: str, dtype: str) -> Plan:
        key = tuple(call.numbers())
        if key not in self._plans:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.pop(next(iter(self._plans))).free()
            if algorithm == AUTO:
                algorithm = self._chosen(call, dtype)
            itemsize = np.dtype(dtype).itemsize
            send, recv = (
                self._buffers[index].section(start, call.count * itemsize).view(dtype)
                for index, start in (call.send, call.recv)
            )
            self._plans[key] = self.plan(algorithm, op, send, recv)
        return self._plans[key]

    def _place(self, x: Array) -> tuple[int, int]:
        start = address(x)
        for index, buffer in enumerate(self._buffers):
            first = address(buffer.local)
            if first <= start and start + x.nbytes <= first + buffer.local.nbytes:
                return index, start - first
        return -1, 0

    def _staged(self, size_bytes: int) -> list[Buffer]:
        if self._staging[0].local.nbytes < size_bytes or not self._staging[0].parts:
            self._staging = [self.buffer(max(4096, 1 << (size_bytes - 1).bit_length())) for _ in range(2)]
        return self._staging

    # what a sweep needs beside

    def barrier(self) -> None:
        """Wait for all ranks (collective)."""
        with self._roll_call.watchdog.guard("a barrier"):
            self._comm.Barrier()

    def maximum(self, values: Array) -> Array:
        """Element by element the largest value of any rank (collective)."""
        return self._reduced(values, MPI.MAX)

    def total(self, values: Array) -> Array:
        """Element by element the sum over all ranks (collective)."""
        return self._reduced(values, MPI.SUM)

    def broadcast(self, values: Array, root: int) -> None:
        """Give every rank what ``root`` has in ``values``, a NumPy array of equal shape and dtype (collective)."""
        with self._roll_call.watchdog.guard("a broadcast"):
            self._comm.Bcast(values, root)

    def torch_store(self) -> tuple[Any, bool]:
        """A store of torch.distributed for all ranks, and whether they are on one node (collective)."""
        return torch_store(self._comm)

    def _reduced(self, values: Array, op: MPI.Op) -> Array:
        result = np.empty_like(values)
        with self._roll_call.watchdog.guard("the exchange of results"):
            self._comm.Allreduce(values, result, op)
        return result

    def free(self) -> None:
        """Give back all registered memory (collective); arrays in it must not be used any more."""
        for plan in self._plans.values():
            plan.free()
        self._plans.clear()
        self._buffers.clear()
        self._staging.clear()
        with self._roll_call.watchdog.guard("the end"):
            self.transport.free()
            self._agreement.free()
        self._roll_call.free()
        self._comm.Free()


def _checked(x: Any, target: Any) -> str:
    """The common dtype of two arrays fit for an all-reduce; raises EngineError otherwise."""
    for name, array in (("x", x), ("out", target)):
        if not is_array(array):
            raise EngineError(f"{name}: a {type(array).__name__} is not a NumPy or CuPy array; pass one.")
        if not array.flags.c_contiguous:
            raise EngineError(f"{name}: the array is not contiguous; pass a copy by ascontiguousarray.")
    if not is_writable(target):
        raise EngineError("out: the array is read-only; pass one that can be written.")
    if x.dtype != target.dtype or x.shape != target.shape:
        raise EngineError(
            f"out: {target.dtype}{list(target.shape)} does not match x, which is {x.dtype}{list(x.shape)}; "
            "give both the same dtype and shape."
        )
    if target is not x and overlap(x, target):
        raise EngineError("out: the array overlaps x; leave it out to work in place, or pass separate memory.")
    return str(x.dtype)


def _check(field: str, check: Callable[..., None], *values: str) -> None:
    """What ``check`` says against the values, as an error of the field."""
    try:
        check(*values)
    except ValueError as error:
        raise EngineError(f"{field}: {error}") from error


def _code(value: str, choices: tuple[str, ...], field: str) -> int:
    if value not in choices:
        raise EngineError(f"{field}: unknown {field} {value!r}; choose one of {', '.join(choices)}.")
    return choices.index(value)


def _shown(name: str, number: int) -> str:
    named = {
        "dtype": DTYPES,
        "op": OPS,
        "algorithm": _ALGORITHMS,
        "in place or out of place": ("out", "in"),
        "function": _FUNCTIONS,
    }
    return named[name][number] if name in named else f"{number} elements"

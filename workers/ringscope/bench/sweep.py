"""The sweep of one benchmark: per size every algorithm, out of place and then in place; checked after timing.

As in nccl-tests, a block is timed after a barrier; the reported time is its mean, averaged over the ranks. The
percentiles are of the slowest rank per iteration. All iterations use the same buffers, so small sizes are timed
in the cache.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ringscope.algorithms import AUTO, REDUCING
from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.bench.timing import Block, spread, timed_block
from ringscope.choice import Choice
from ringscope.devices import carrier
from ringscope.nccl_tests import UNCHECKED_IN_PLACE, bus_factor, elements
from ringscope.record import Check, Measurement, Record, Steps
from ringscope.spec import BenchmarkSpec
from ringscope.transports.arrays import to_host, write
from ringscope.transports.base import Buffer, Plan

if TYPE_CHECKING:
    from ringscope.transports.communicator import Communicator

_STEPS_PER_RECORD = 1000
_UNTOUCHED = 0xA5  # what a result holds before a checked call, so that elements that were never written show


class Sweep:
    """A benchmark on one rank; all ranks run the same sweep."""

    def __init__(
        self, comm: "Communicator", spec: BenchmarkSpec, emit: Callable[[Record], None], spoil: bool = False
    ) -> None:
        """``emit`` takes the records; ``spoil`` is a drill: this rank damages one element of each result."""
        self._comm, self._spec, self._emit, self._spoil = comm, spec, emit, spoil
        self._dtype = np.dtype(spec.dtype)
        size_bytes = max(self._elements(size)[1] for size in spec.sizes()) * self._dtype.itemsize
        self._send, self._recv = (comm.buffer(size_bytes).view(spec.dtype) for _ in range(2))
        self._op = spec.op if spec.collective in REDUCING else "none"
        self._step = 0
        self._seed = 0

    def run(self) -> int:
        """Measure everything; the number of wrong elements over all ranks and checks."""
        wrong = 0
        for size_bytes in self._spec.sizes():
            for algorithm in self._spec.algorithms:
                for in_place in (False, True):
                    wrong += self._measure(size_bytes, algorithm, in_place)
        return wrong

    def _measure(self, size_bytes: int, algorithm: str, in_place: bool) -> int:
        spec = self._spec
        count, total = self._elements(size_bytes)
        recv = self._recv.head(total)
        send = recv if in_place else self._send.head(total)
        send.local.fill(0)  # zeros stay zeros, however often in-place iterations add them up
        choice = self._choice(algorithm, send.local.nbytes, in_place)
        executed = choice.algorithm if choice is not None else algorithm
        plan = self._comm.plan(executed, spec.op, send, recv, spec.collective, spec.root)
        block = self._timed(plan)
        transport = carrier(executed, self._comm.transport.name)
        self._send_steps(block, algorithm, transport, in_place, send.local.nbytes)
        checked = spec.check and not (in_place and spec.collective in UNCHECKED_IN_PLACE)
        wrong = self._check(plan, algorithm, in_place, send, recv) if checked else None
        plan.free()
        self._send_measurement(block, algorithm, choice, transport, in_place, count, send.local.nbytes, wrong)
        return wrong or 0

    def _choice(self, algorithm: str, size_bytes: int, in_place: bool) -> Choice | None:
        """What auto takes for the row; None for an algorithm that the job names itself."""
        if algorithm != AUTO:
            return None
        return self._comm.choose(self._spec.collective, self._spec.dtype, size_bytes, in_place)

    def _elements(self, size_bytes: int) -> tuple[int, int]:
        return elements(self._spec.collective, size_bytes, self._dtype.itemsize, self._comm.size)

    def _timed(self, plan: Plan) -> Block:
        for _ in range(self._spec.warmup):
            plan.run()
        self._comm.barrier()
        return timed_block(plan.run, self._spec.iterations)

    def _check(self, plan: Plan, algorithm: str, in_place: bool, send: Buffer, recv: Buffer) -> int:
        self._seed += 1
        recv.local.view(np.uint8).fill(_UNTOUCHED)
        case = Case(self._dtype, self._op, self._comm.size, self._seed)
        write(send.local, lambda memory: fill(memory, case, self._comm.rank))
        plan.run()
        result = to_host(recv.local)
        wanted = pieces(self._spec.collective, result.size, self._comm.size, self._comm.rank, self._spec.root)
        if self._spoil and wanted and result.size:
            offset, length = wanted[0].target
            result[offset + length // 2] += 1
        mismatch = check(result, case, wanted)
        if mismatch is not None:
            self._emit(
                Check(
                    rank=self._comm.rank,
                    op=self._spec.collective,
                    algorithm=algorithm,
                    in_place=in_place,
                    size_bytes=result.nbytes,
                    wrong=mismatch.wrong,
                    first_index=mismatch.first_index,
                    want=mismatch.want,
                    got=mismatch.got,
                    time_ns=time.time_ns(),
                )
            )
        return int(self._comm.total(np.array([mismatch.wrong if mismatch else 0]))[0])

    def _send_steps(self, block: Block, algorithm: str, transport: str, in_place: bool, size_bytes: int) -> None:
        durations, starts = block.durations_us, block.starts_ns()
        for first in range(0, durations.size, _STEPS_PER_RECORD):
            times = durations[first : first + _STEPS_PER_RECORD].tolist()
            self._emit(
                Steps(
                    rank=self._comm.rank,
                    first_step=self._step,
                    op=self._spec.collective,
                    algorithm=algorithm,
                    transport=transport,
                    in_place=in_place,
                    bytes=size_bytes,
                    bus_factor=bus_factor(self._spec.collective, self._comm.size),
                    start_ns=starts[first : first + _STEPS_PER_RECORD].tolist(),
                    duration_us=times,
                    communication_us=times,
                    compute_us=[0.0] * len(times),
                    exposed_us=times,
                )
            )
            self._step += len(times)

    def _send_measurement(
        self,
        block: Block,
        algorithm: str,
        choice: Choice | None,
        transport: str,
        in_place: bool,
        count: int,
        size_bytes: int,
        wrong: int | None,
    ) -> None:
        slowest = self._comm.maximum(block.durations_us)
        time_us = float(self._comm.total(np.array([block.mean_us]))[0]) / self._comm.size
        if self._comm.rank != 0:
            return
        algbw = size_bytes / (time_us * 1e3) if time_us else 0.0
        self._emit(
            Measurement(
                collective=self._spec.collective,
                algorithm=algorithm,
                chosen_algorithm=choice.algorithm if choice is not None else None,
                chosen_because=choice.because if choice is not None else None,
                transport=transport,
                in_place=in_place,
                size_bytes=size_bytes,
                count=count,
                dtype=self._spec.dtype,
                op=self._op,
                ranks=self._comm.size,
                time_us=time_us,
                algbw_gb_per_s=algbw,
                busbw_gb_per_s=algbw * bus_factor(self._spec.collective, self._comm.size),
                wrong=wrong,
                **spread(slowest),
                iterations=self._spec.iterations,
                time_ns=block.start_ns,
            )
        )

"""The sweep of one benchmark: at each size all algorithms take turns, out of place and in place; then all results are
checked.

As in nccl-tests, a block is timed after untimed operations and a barrier; the reported time is the mean of its
iterations, averaged over the ranks. Here the iterations of a size are split into several rounds. In each of them every
candidate has one block, and the next round begins with the next candidate, so that a change of the machine's speed
affects all candidates equally. The statistics are of the slowest rank per iteration, over all rounds. Steps are noted
in a ring while they happen (``ringscope.engine.step_ring``); all other records are sent after a size has been timed, so
that sending disturbs no timed operation.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ringscope.bench.candidate import Candidate, slot_count
from ringscope.bench.oracle import Case, Mismatch
from ringscope.bench.timing import Block, mean_interval, rounds, spread
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Check, Log, Measurement, Record, Trace
from ringscope.contracts.traced import MAX_FOLLOWED_RANKS, RankTrace
from ringscope.contracts.words.collectives import REDUCING, UNCHECKED_IN_PLACE, bus_factor, elements
from ringscope.contracts.words.devices import too_many_channels
from ringscope.engine.base import Array
from ringscope.engine.errors import EngineError
from ringscope.engine.positions import set_stage
from ringscope.engine.step_ring import StepRing

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_FOLLOWED_BYTES = 64 << 10  # for smaller messages the latency matters more than the link


def shows_links(spec: BenchmarkSpec, nodes: Sequence[Sequence[int]], size_bytes: int) -> bool:
    """Return whether to trace operations of the largest size without a request, to show which hop is slow.

    Each traced operation is one of the warm-up operations, so it costs almost nothing.

    Args:
        nodes: the ranks on each node.
    """
    ranks = sum(map(len, nodes))
    return not spec.trace and len(nodes) > 1 and ranks <= MAX_FOLLOWED_RANKS and size_bytes >= _FOLLOWED_BYTES


class Sweep:
    """A benchmark on one rank; all ranks run the same sweep."""

    def __init__(
        self,
        comm: "Communicator",
        spec: BenchmarkSpec,
        emit: Callable[[Record], None],
        fault: str = "",
        ring: StepRing | None = None,
    ) -> None:
        """``emit`` receives the records and ``ring`` the steps; without a ring, steps are not recorded.

        ``fault`` is injected on this rank (see ``rank_process.FAULT_VARIABLE``). Raises EngineError if the smallest
        node has fewer ranks than the requested channels.
        """
        if spec.channels is not None and comm.channels < spec.channels:
            raise EngineError(f"benchmark.channels: {too_many_channels(spec.channels, comm.channels)}")
        self._comm, self._spec, self._emit, self._fault = comm, spec, emit, fault
        self._ring = ring or StepRing.opened(None, comm.rank)
        self._dtype = np.dtype(spec.dtype)
        size_bytes = max(self._elements(size)[1] for size in spec.sizes()) * self._dtype.itemsize
        self._send, self._recv = (comm.buffer(size_bytes).view(spec.dtype) for _ in range(2))
        self._op = spec.op if spec.collective in REDUCING else "none"
        self._bus_factor = bus_factor(spec.collective, comm.size)
        self._seed = 0
        self._says_untraceable = False
        self._is_loading = True
        set_stage(comm.position, "preparing the first size")

    def run(self) -> int:
        """Measure everything; return the number of wrong elements over all ranks and checks."""
        wrong = 0
        for cycle in range(self._spec.cycles):
            for size_bytes in self._spec.sizes():
                wrong += self._measure(size_bytes, cycle)
        return wrong

    def _measure(self, size_bytes: int, cycle: int) -> int:
        count, total = self._elements(size_bytes)
        slots = slot_count(self._spec, total, self._recv.local.size)
        send, recv = self._send.head(slots * total), self._recv.head(slots * total)
        send.local.fill(0)  # zeros stay zeros, however often in-place iterations add them
        recv.local.fill(0)
        candidates = [
            Candidate(self._comm, self._spec, algorithm, in_place, send, recv, total, self._ring)
            for algorithm in self._spec.algorithms
            for in_place in (False, True)
        ]
        largest = max(self._elements(size)[1] for size in self._spec.sizes()) * self._dtype.itemsize
        is_last = cycle == 0 and candidates[0].size_bytes == largest
        self._time(candidates, is_last and shows_links(self._spec, self._comm.nodes, largest))
        is_asked = self._spec.trace and cycle == 0
        traces = self._follow(candidates) if is_asked else [candidate.followed for candidate in candidates]
        wrong = 0
        for candidate in candidates:
            found = self._check(candidate)
            candidate.free()
            self._send_measurement(candidate, cycle, count, found)
            wrong += found or 0
        for candidate, trace in zip(candidates, traces, strict=False):
            if trace is not None:
                self._send_trace(candidate, trace)
        return wrong

    def _elements(self, size_bytes: int) -> tuple[int, int]:
        return elements(self._spec.collective, size_bytes, self._dtype.itemsize, self._comm.size)

    def _time(self, candidates: list[Candidate], follow: bool) -> None:
        iterations = rounds(self._spec.iterations)
        later = max(1, self._spec.warmup // len(iterations))
        first = max(1, self._spec.warmup - later * (len(iterations) - 1))
        for number, timed in enumerate(iterations):
            start = number % len(candidates)
            for candidate in candidates[start:] + candidates[:start]:
                is_followed = follow and number == len(iterations) - 1
                candidate.time(first if number == 0 else later, timed, is_followed)
                if self._is_loading:
                    self._is_loading = False
                    set_stage(self._comm.position, "")

    def _follow(self, candidates: list[Candidate]) -> list[RankTrace | None]:
        traces = [candidate.trace() for candidate in candidates]
        if self._comm.rank == 0 and not self._says_untraceable and not any(traces):
            self._says_untraceable = True
            text = (
                f"benchmark.trace: {candidates[0].size_bytes} bytes over {self._comm.transport.name} could not be "
                "traced; libraries' own collectives and transports of GPUs cannot be traced."
            )
            self._emit(Log(rank=0, stream="stderr", time_ns=time.time_ns(), text=text))
        return traces

    def _check(self, candidate: Candidate) -> int | None:
        """Return the wrong elements over all ranks; None if nothing is checked."""
        if not self._spec.check or (candidate.in_place and self._spec.collective in UNCHECKED_IN_PLACE):
            return None
        if self._fault == "deadlock":
            threading.Event().wait()
        self._seed += 1
        mismatch = candidate.check(
            Case(self._dtype, self._op, self._comm.size, self._seed), self._fault == "wrong_element"
        )
        if mismatch is not None:
            self._send_check(candidate, mismatch)
        with candidate.waiting():
            return int(self._comm.total(np.array([mismatch.wrong if mismatch else 0]))[0])

    def _send_check(self, candidate: Candidate, mismatch: Mismatch) -> None:
        self._emit(
            Check(
                rank=self._comm.rank,
                op=self._spec.collective,
                algorithm=candidate.algorithm,
                in_place=candidate.in_place,
                size_bytes=candidate.size_bytes,
                wrong=mismatch.wrong,
                first_index=mismatch.first_index,
                want=mismatch.want,
                got=mismatch.got,
                time_ns=time.time_ns(),
            )
        )

    def _send_trace(self, candidate: Candidate, trace: RankTrace) -> None:
        choice = candidate.choice
        self._emit(
            Trace(
                rank=self._comm.rank,
                collective=self._spec.collective,
                algorithm=candidate.algorithm,
                chosen_algorithm=None if choice is None else choice.algorithm,
                transport=candidate.transport,
                in_place=candidate.in_place,
                size_bytes=candidate.size_bytes,
                dtype=self._spec.dtype,
                **trace.told(),
            )
        )

    def _send_measurement(self, candidate: Candidate, cycle: int, count: int, wrong: int | None) -> None:
        spec, block = self._spec, candidate.block
        with candidate.waiting():
            slowest = self._comm.maximum(block.durations_us) / spec.aggregate
            time_us = self._averaged(block) / spec.aggregate
        if self._comm.rank != 0:
            return
        algbw = candidate.size_bytes / (time_us * 1e3) if time_us else 0.0
        self._emit(
            Measurement(
                collective=spec.collective,
                algorithm=candidate.algorithm,
                chosen_algorithm=None if candidate.choice is None else candidate.choice.algorithm,
                chosen_because=None if candidate.choice is None else candidate.choice.because,
                transport=candidate.transport,
                in_place=candidate.in_place,
                cycle=cycle,
                size_bytes=candidate.size_bytes,
                count=count,
                dtype=spec.dtype,
                op=self._op,
                ranks=self._comm.size,
                cores=self._comm.cores,
                channels=candidate.channels,
                time_us=time_us,
                **self._interval(slowest, time_us),
                algbw_gb_per_s=algbw,
                busbw_gb_per_s=algbw * self._bus_factor,
                wrong=wrong,
                **spread(slowest[spec.skip_iterations :]),
                iterations=spec.iterations,
                times_us=slowest.tolist() if spec.per_iteration else None,
                time_ns=int(block.starts_ns[0]),
            )
        )

    def _interval(self, slowest_us: Array, time_us: float) -> dict[str, float]:
        """Return the interval of a time by the field names of ``Measurement``: its relative width is that of the
        slowest rank's interval.
        """
        ends = np.cumsum(rounds(self._spec.iterations))[:-1]
        found = mean_interval(np.split(slowest_us, ends))
        mean_us = float(slowest_us.mean())
        if found is None or not mean_us:
            return {}
        low_us, high_us = (time_us * end_us / mean_us for end_us in found)
        return {"time_low_us": low_us, "time_high_us": high_us}

    def _averaged(self, block: Block) -> float:
        """Return the mean duration of an iteration, combined over the ranks as the job's ``average`` says."""
        mean_us = block.mean_us
        match self._spec.average:
            case "mean":
                return float(self._comm.total(np.array([mean_us]))[0]) / self._comm.size
            case "rank0":
                return float(self._comm.total(np.array([mean_us if self._comm.rank == 0 else 0.0]))[0])
            case "min":
                return -float(self._comm.maximum(np.array([-mean_us]))[0])
            case "max":
                return float(self._comm.maximum(np.array([mean_us]))[0])

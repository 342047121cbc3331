"""The sweep of one benchmark: at each size all algorithms take turns, out of place and in place; then all results are
checked.

As in nccl-tests, the reported time is the mean of the timed iterations, averaged over the ranks. But nccl-tests times
all iterations in one block. Here they are split into rounds: in each round every candidate has one block, in random
order, so that whatever changes the machine's speed hits all of them. The statistics are of the slowest rank per
iteration, over all rounds. Steps are noted in a ring while they happen (``ringscope.engine.step_ring``); all else is
reported after a size has been timed, so that reporting takes no time from an operation.
"""

import threading
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from ringscope.bench.candidate import Candidate, slot_count
from ringscope.bench.largest_size import FittingSizes
from ringscope.bench.oracle import Case, Mismatch
from ringscope.bench.timing import Block, mean_interval, spread
from ringscope.contracts.benchmark import BenchmarkSpec, batches, rounds
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
_LONG_US = 1_000.0


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
        self._sizes = FittingSizes.of(comm, spec, self._buffer_bytes)
        self._largest_bytes = max(map(self._buffer_bytes, self._sizes.sizes_bytes))
        self._send, self._recv = (comm.buffer(self._largest_bytes).view(spec.dtype) for _ in range(2))
        self._op = spec.op if spec.collective in REDUCING else "none"
        self._bus_factor = bus_factor(spec.collective, comm.size)
        self._seed = 0
        seed = time.time_ns() % 2**31 if comm.rank == 0 else 0
        self._order = Random(int(comm.maximum(np.array([seed]))[0]))  # the same on all ranks
        self._says_untraceable = False
        self._is_loading = True
        set_stage(comm.position, "preparing the first size")

    def run(self) -> int:
        """Measure everything; return the number of wrong elements over all ranks and checks."""
        wrong = 0
        if self._sizes.because and self._comm.rank == 0:
            self._say(self._sizes.because)
        for cycle in range(self._spec.cycles):
            for size_bytes in self._sizes.sizes_bytes:
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
        is_last = cycle == 0 and candidates[0].size_bytes == self._largest_bytes
        self._time(candidates, is_last and shows_links(self._spec, self._comm.nodes, self._largest_bytes))
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

    def _buffer_bytes(self, size_bytes: int) -> int:
        return self._elements(size_bytes)[1] * self._dtype.itemsize

    def _say(self, sentence: str) -> None:
        self._emit(Log(rank=0, stream="stderr", time_ns=time.time_ns(), text=sentence))

    def _time(self, candidates: list[Candidate], follow: bool) -> None:
        iterations = rounds(self._spec.iterations)
        untimed = [max(1, self._spec.warmup)] * len(candidates)
        for number, timed in enumerate(iterations):
            for place in self._order.sample(range(len(candidates)), len(candidates)):
                candidate = candidates[place]
                is_followed = follow and number == len(iterations) - 1
                candidate.time(max(untimed[place], is_followed), timed, is_followed)
                if self._is_loading:
                    self._is_loading = False
                    set_stage(self._comm.position, "")
            if number == 0:
                untimed = self._untimed(candidates)

    def _untimed(self, candidates: list[Candidate]) -> list[int]:
        """Return the untimed operations of each candidate in later rounds.

        One brings the ranks and their caches back to where they are in a series of operations. Where an operation takes
        long, that is a small part of it, and an untimed one would double the time of the sweep.
        """
        with candidates[0].waiting():
            slowest_us = self._comm.maximum(np.array([candidate.block.mean_us for candidate in candidates]))
        return [int(time_us < _LONG_US * self._spec.aggregate) for time_us in slowest_us]

    def _follow(self, candidates: list[Candidate]) -> list[RankTrace | None]:
        traces = [candidate.trace() for candidate in candidates]
        if self._comm.rank == 0 and not self._says_untraceable and not any(traces):
            self._says_untraceable = True
            text = (
                f"benchmark.trace: {candidates[0].size_bytes} bytes over {self._comm.transport.name} could not be "
                "traced; libraries' own collectives and transports of GPUs cannot be traced."
            )
            self._say(text)
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
            time_us = self._averaged(block.mean_us) / spec.aggregate
            device_time_us = self._device_time_us(block) if candidate.is_streamed else None
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
                library_function=candidate.library_function,
                cuda_graph_launches=spec.cuda_graph_launches or None,
                lowered_max_bytes=self._sizes.lowered_max_bytes,
                nccl_report=self._comm.nccl_report if candidate.transport.startswith("nccl") else None,
                time_us=time_us,
                **self._interval(slowest, time_us),
                device_time_us=device_time_us,
                algbw_gb_per_s=algbw,
                busbw_gb_per_s=algbw * self._bus_factor,
                wrong=wrong,
                **spread(slowest[spec.skip_iterations :]),
                iterations=spec.iterations,
                times_us=slowest.tolist() if spec.per_iteration else None,
                rounds_us=_rounds_us(slowest),
                time_ns=int(block.starts_ns[0]),
            )
        )

    def _interval(self, slowest_us: Array, time_us: float) -> dict[str, float]:
        """Return the interval of a time by the names of ``Measurement``, scaled from that of the slowest rank."""
        found = mean_interval(_parts(slowest_us, batches(self._spec.iterations)))
        mean_us = float(slowest_us.mean())
        if found is None or not mean_us:
            return {}
        low_us, high_us = (time_us * end_us / mean_us for end_us in found)
        return {"time_low_us": low_us, "time_high_us": high_us}

    def _device_time_us(self, block: Block) -> float | None:
        """Return the time of an operation by the GPUs' clocks; None if a rank waited for each of them."""
        mean_us = -1.0 if block.device_us is None else float(block.device_us.mean())
        if self._comm.maximum(np.array([-mean_us]))[0] > 0:
            return None
        return self._averaged(mean_us) / self._spec.aggregate

    def _averaged(self, mean_us: float) -> float:
        """Return the mean duration of an iteration, combined over the ranks as the job's ``average`` says."""
        match self._spec.average:
            case "mean":
                return float(self._comm.total(np.array([mean_us]))[0]) / self._comm.size
            case "rank0":
                return float(self._comm.total(np.array([mean_us if self._comm.rank == 0 else 0.0]))[0])
            case "min":
                return -float(self._comm.maximum(np.array([-mean_us]))[0])
            case "max":
                return float(self._comm.maximum(np.array([mean_us]))[0])


def _parts(times_us: Array, lengths: Sequence[int]) -> list[Array]:
    return np.split(times_us, np.cumsum(lengths)[:-1])


def _rounds_us(slowest_us: Array) -> list[float] | None:
    """Return the mean of each round; None if one took no time that the clock can show. Six digits keep rows short."""
    means_us = [float(f"{one.mean():.6g}") for one in _parts(slowest_us, rounds(len(slowest_us)))]
    return means_us if all(means_us) else None

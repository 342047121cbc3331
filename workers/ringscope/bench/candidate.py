"""A candidate: one algorithm with one use of the buffers at one message size, and its timed blocks.

If the job sets rotate, operations move through memory as in nccl-tests: operation i uses the memory ``i mod slots``
messages further on, with as many slots as fit into the largest message. Messages are then timed outside the cache, and
their time depends on the largest size. Each slot has a plan of its own, prepared before anything is timed.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice, repeat
from typing import TYPE_CHECKING

import numpy as np

from ringscope.bench.oracle import Case, Mismatch, check, fill, pieces
from ringscope.bench.timing import Block, Notes, enqueued_block, graph_block, joined, spaced_block, timed_block
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.traced import RankTrace
from ringscope.contracts.words.collectives import AUTO, IN_CHANNELS, bus_factor
from ringscope.contracts.words.devices import carrier
from ringscope.engine.base import Buffer, CapturedPlan, DeviceClock, EnqueuedPlan, LibraryPlan, Plan, TraceablePlan, cut
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arrays import copy, to_host
from ringscope.engine.positions import SIZE_BYTES, UNTIMED, WAITED_NS
from ringscope.engine.step_ring import StepRing, described
from ringscope.schedules.schedule import Chunk

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_Call = Callable[[], None]

# Plans are prepared in memory: enough slots that messages of 1 MiB and more do not stay in any cache, and few enough
# that no size takes noticeably longer to prepare than to time.
MOST_SLOTS = 64
_LONG_SECONDS = 0.01  # a wait for each operation of at least this length costs less than a hundredth of it
_MOST_ENQUEUED = 1000  # operations before a wait, whose deadline is that of one operation
_UNTOUCHED = 0xA5  # value of a result before a checked call, which reveals elements that were never written


def slot_count(spec: BenchmarkSpec, message_elements: int, memory_elements: int) -> int:
    """Return the number of messages side by side in memory, at most the number of timed operations."""
    if not spec.rotate or not message_elements:
        return 1
    return max(1, min(memory_elements // message_elements, spec.iterations * spec.aggregate, MOST_SLOTS))


def _slot(send: Buffer, recv: Buffer, start: int, elements: int, in_place: bool) -> tuple[Buffer, Buffer]:
    """Input and result of a message; in place they are the same array."""
    result = recv.section(start, elements)
    return (result if in_place else send.section(start, elements)), result


class Candidate:
    """A candidate that is prepared for one size; all ranks call every method (collective)."""

    def __init__(
        self,
        comm: "Communicator",
        spec: BenchmarkSpec,
        algorithm: str,
        in_place: bool,
        send: Buffer,
        recv: Buffer,
        elements: int,
        ring: StepRing,
    ) -> None:
        """``send`` and ``recv`` hold a message of ``elements`` elements in every slot; ``ring`` takes the steps.

        ``choice`` is the algorithm that auto chooses here; None for an algorithm named in the job.
        """
        self._comm, self._spec = comm, spec
        self.algorithm, self.in_place = algorithm, in_place
        starts = range(0, recv.local.size, elements) if elements else (0,)
        self._slots = [_slot(send, recv, start, elements, in_place) for start in starts]
        is_auto = algorithm == AUTO
        self.choice = comm.settle(spec.op, *self._slots[0], spec.collective, spec.root) if is_auto else None
        self._executed = executed = algorithm if self.choice is None else self.choice.algorithm
        self.transport = carrier(executed, comm.transport.name)
        self.channels = comm.channels if (spec.collective, executed) in IN_CHANNELS else None
        self._plans = [
            comm.plan(executed, spec.op, source, target, spec.collective, spec.root) for source, target in self._slots
        ]
        plan = self._plans[-1]
        self.library_function = plan.function if isinstance(plan, LibraryPlan) else None
        # the plans of our own schedules report their waits
        self._tells_waits = isinstance(self._plans[-1], TraceablePlan)
        self._operations: Iterator[_Call] = cycle([self._operation(plan.run) for plan in self._plans])
        # On GPUs, where a block's operations are enqueued before one wait; None: each of them is waited for.
        self._streamed = _streamed(self._plans) if spec.blocking == 0 and not spec.per_iteration else None
        if spec.cuda_graph_launches and not all(isinstance(one, CapturedPlan) for one in self._plans):
            raise EngineError(
                f"benchmark.cuda_graph_launches: {algorithm} over {self.transport} cannot be captured as a CUDA graph; "
                "choose transport nccl, or give 0."
            )
        self._graphs: dict[int, _Call] = {}  # the launch of each graph, by its iterations
        self._is_long = False
        self._blocks: list[Block] = []
        self.followed: RankTrace | None = None
        self._ring = ring
        self._notes = self._noted(spec.aggregate)

    @property
    def size_bytes(self) -> int:
        """Return the message size."""
        return int(self._slots[0][1].local.nbytes)

    @property
    def is_streamed(self) -> bool:
        """Return whether operations are enqueued before one wait; where one takes long, each is waited for."""
        return self._streamed is not None

    @property
    def block(self) -> Block:
        """Return all timed iterations; each has as many operations as the job aggregates."""
        return joined(self._blocks)

    def time(self, warmup: int, iterations: int, follow: bool = False) -> None:
        """Time a block after untimed operations, with a barrier before the last one.

        The last one has the ranks leave the barrier, so that the block begins as an operation in a series does. It is
        followed as ``trace`` would, if ``follow`` says so and it can be: ``followed`` then has it.
        """
        self._comm.position[SIZE_BYTES] = self.size_bytes
        plan = self._plans[-1] if follow and warmup else None
        traceable = plan if isinstance(plan, TraceablePlan) else None
        for run in islice(self._operations, max(0, warmup - 1)):
            run()
            self._go_on()
        launch = self._captured(iterations) if self._spec.cuda_graph_launches else None
        self._meet()
        if traceable is not None:
            self.followed = traceable.trace()
            self._go_on()
        elif warmup:
            begin = time.monotonic()
            next(self._operations)()
            self._is_long = time.monotonic() - begin > _LONG_SECONDS
            self._go_on()
        if launch is not None:
            self._blocks.append(self._launched(launch, iterations))
            return
        if self._streamed is not None and not self._is_long:
            operations, wait, clock = self._streamed
            at_once = max(1, _MOST_ENQUEUED // self._spec.aggregate)
            enqueues = repeat(lambda: self._run_several(operations)) if self._spec.aggregate > 1 else operations
            self._blocks.append(enqueued_block(enqueues, iterations, wait, at_once, clock, self._notes))
            return
        calls = self._operations if self._spec.aggregate == 1 else repeat(lambda: self._run_several(self._operations))
        if self._spec.blocking == 3:
            self._blocks.append(spaced_block(calls, iterations, self._meet, self._notes))
        else:
            self._blocks.append(timed_block(calls, iterations, self._notes))

    def trace(self) -> RankTrace | None:
        """Trace one more operation, after an untimed one and a barrier; None if it cannot be traced."""
        plan = self._plans[-1]
        if not isinstance(plan, TraceablePlan):
            return None
        self._plans[0].run()
        self._go_on()
        self._meet()
        found = plan.trace()
        self._go_on()
        return found

    def check(self, case: Case, spoil: bool) -> Mismatch | None:
        """Run the last slot's plan on known values and compare all of its result; ``spoil`` damages one element."""
        spec, rank = self._spec, self._comm.rank
        source, target = self._slots[-1]
        target.local.view(np.uint8).fill(_UNTOUCHED)
        fill(source.local, case, rank)
        self._go_on()
        self._plans[-1].run()
        result = target.local
        wanted = pieces(spec.collective, result.size, self._comm.size, rank, spec.root)
        if spoil and wanted and result.size:
            offset, length = wanted[0].target
            middle = cut(result, Chunk(offset + length // 2, 1))
            copy(middle, to_host(middle) + result.dtype.type(1))
        return check(result, case, wanted, self._go_on)

    def free(self) -> None:
        """Release the resources of the plans."""
        self._graphs.clear()
        for plan in self._plans:
            plan.free()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the enclosed waits for all ranks, outside the timed operations, as waiting.

        Otherwise a rank that finished early and only waits here would look busy with its own part. Nothing is counted
        for operations that do not report waits: all of their time counts as waiting.
        """
        since_ns = time.monotonic_ns()
        yield
        if self._tells_waits:
            self._comm.position[WAITED_NS] += time.monotonic_ns() - since_ns

    def _meet(self) -> None:
        with self.waiting():
            self._comm.barrier()

    def _go_on(self) -> None:
        """Record progress outside the timing, so that an observer sees that this rank lives."""
        self._comm.position[UNTIMED] += 1

    def _operation(self, run: _Call) -> _Call:
        if self._spec.blocking != 1:
            return run
        barrier = self._comm.barrier

        def run_and_meet() -> None:
            run()
            barrier()

        return run_and_meet

    def _captured(self, iterations: int) -> _Call:
        """Return the call that launches a graph of so many iterations, after one untimed launch of a new one."""
        if iterations not in self._graphs:
            assert self._streamed is not None
            operations, wait, _ = self._streamed
            plan = self._plans[-1]
            assert isinstance(plan, CapturedPlan)
            next(self._operations)()  # what NCCL does in its first call is then in no graph
            count = iterations * self._spec.aggregate
            name = f"{count} operation{'s' * (count > 1)} of {self._executed}"
            self._graphs[iterations] = plan.capture(partial(_call_all, islice(operations, count)), name)
            self._graphs[iterations]()
            wait()
            self._go_on()
        return self._graphs[iterations]

    def _launched(self, launch: _Call, iterations: int) -> Block:
        assert self._streamed is not None
        _, wait, clock = self._streamed
        operations = iterations * self._spec.aggregate
        at_once = max(1, _MOST_ENQUEUED // operations)
        notes = self._noted(operations)
        return graph_block(launch, self._spec.cuda_graph_launches, iterations, wait, at_once, clock, notes)

    def _noted(self, operations: int) -> Notes:
        """Return where steps of so many operations are noted."""
        text = described(
            op=self._spec.collective,
            algorithm=self.algorithm,
            transport=self.transport,
            in_place=self.in_place,
            bytes=self.size_bytes * operations,
            bus_factor=bus_factor(self._spec.collective, self._comm.size),
        )
        return Notes(self._comm.position, self._ring, text)

    def _run_several(self, operations: Iterator[_Call]) -> None:
        for run in islice(operations, self._spec.aggregate):
            run()


def _call_all(calls: Iterable[_Call]) -> None:
    for call in calls:
        call()


def _streamed(plans: Sequence[Plan]) -> tuple[Iterator[_Call], _Call, DeviceClock] | None:
    """Return the operations that enqueue the plans in turn, the wait for all of them, and the clock of their stream;
    None if any plan waits by itself.
    """
    enqueued = [plan for plan in plans if isinstance(plan, EnqueuedPlan)]
    if len(enqueued) < len(plans):
        return None
    return cycle([plan.enqueue for plan in enqueued]), enqueued[-1].wait, enqueued[-1].clock

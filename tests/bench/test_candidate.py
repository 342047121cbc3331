"""Candidates on one pretended rank: which memory an operation takes, what is timed, and where ranks meet."""

from collections.abc import Callable

import numpy as np
import pytest

from ringscope.bench.candidate import MOST_SLOTS, Candidate, slot_count
from ringscope.bench.oracle import Case
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.traced import RankTrace
from ringscope.engine import positions
from ringscope.engine.base import Buffer
from ringscope.engine.errors import EngineError
from ringscope.engine.step_ring import StepRing

ELEMENTS = 16


class Plan:
    """Copies the input to the result, and tells where they lie."""

    def __init__(self, comm: "Comm", send: Buffer, recv: Buffer) -> None:
        self._comm, self._send, self._recv = comm, send, recv

    def run(self) -> None:
        self._comm.told.append((self._comm.place(self._send), self._comm.place(self._recv)))
        np.copyto(self._recv.local, self._send.local)

    def free(self) -> None:
        self._comm.told.append("free")


class Comm:
    """One rank whose all-reduce is a copy."""

    rank, size, channels = 0, 1, 1

    def __init__(self, slots: int) -> None:
        memory = [np.zeros(slots * ELEMENTS, np.float32) for _ in range(2)]
        self.send, self.recv = (Buffer(part, (part,)) for part in memory)
        self.transport = type("Transport", (), {"name": "shared_memory"})
        self.told: list[object] = []
        self.position = positions.slot(None, 0)

    def place(self, buffer: Buffer) -> str:
        """s2 is the third slot of the input."""
        for name, whole in (("s", self.send), ("r", self.recv)):
            offset = buffer.local.ctypes.data - whole.local.ctypes.data
            if 0 <= offset < whole.local.nbytes:
                return f"{name}{offset // (ELEMENTS * 4)}"
        raise AssertionError("foreign memory")

    def plan(self, algorithm: str, op: str, send: Buffer, recv: Buffer, collective: str, root: int) -> Plan:
        return Plan(self, send, recv)

    def barrier(self) -> None:
        self.told.append("barrier")


def candidate(comm: Comm, in_place: bool = False, **options: object) -> Candidate:
    spec = BenchmarkSpec.model_validate({"algorithms": ["ring"]} | options)
    ring = StepRing.opened(None, 0)
    return Candidate(comm, spec, "ring", in_place, comm.send, comm.recv, ELEMENTS, ring)  # type: ignore[arg-type]


def out_of_place(*slots: int) -> list[tuple[str, str]]:
    return [(f"s{slot}", f"r{slot}") for slot in slots]


def test_a_rank_says_how_far_it_is_while_it_times_a_block():
    comm = Comm(1)
    ring = candidate(comm)
    ring.time(warmup=2, iterations=3)
    ring.time(warmup=1, iterations=4)
    assert comm.position.tolist()[:5] == [0, 7, 3, ELEMENTS * 4, 0]
    ring.check(Case(np.dtype(np.float32), "sum", 1, 1), spoil=False)
    assert comm.position[positions.UNTIMED] == 5, "its values are there, and compared"


class TracedPlan(Plan):
    """A plan that returns an empty trace, as the plans of our own schedules return theirs."""

    def trace(self) -> RankTrace:
        self.run()
        return RankTrace(0, 0, [])


@pytest.mark.parametrize(("plan", "is_told"), [(TracedPlan, True), (Plan, False)])
def test_who_waits_for_all_ranks_around_a_block_says_so_where_the_block_does(
    plan: type[Plan], is_told: bool, monkeypatch: pytest.MonkeyPatch
):
    comm = Comm(1)
    monkeypatch.setattr(comm, "plan", lambda algorithm, op, send, recv, collective, root: plan(comm, send, recv))
    ring = candidate(comm)
    told = [comm.position[positions.WAITED_NS]]
    ring.time(warmup=1, iterations=1)
    told.append(comm.position[positions.WAITED_NS])
    with ring.waiting():
        pass
    told.append(comm.position[positions.WAITED_NS])
    assert (told[0] < told[1] < told[2]) if is_told else told == [0, 0, 0]


def test_operations_take_the_slots_in_turn_through_warm_up_and_blocks():
    comm = Comm(3)
    ring = candidate(comm)
    ring.time(warmup=1, iterations=2)
    ring.time(warmup=1, iterations=3)
    assert comm.told == ["barrier", *out_of_place(0, 1, 2), "barrier", *out_of_place(0, 1, 2, 0)]
    assert ring.block.durations_us.size == ring.block.starts_ns.size == 5


def test_in_place_input_and_result_are_one():
    comm = Comm(2)
    candidate(comm, in_place=True).time(warmup=1, iterations=1)
    assert comm.told == ["barrier", ("r0", "r0"), ("r1", "r1")]


def test_the_last_untimed_operation_comes_between_the_barrier_and_the_block():
    comm = Comm(1)
    candidate(comm).time(warmup=3, iterations=2)
    assert comm.told == [*out_of_place(0, 0), "barrier", *out_of_place(0, 0, 0)]


def test_an_iteration_aggregates_operations():
    comm = Comm(2)
    ring = candidate(comm, aggregate=3)
    ring.time(warmup=0, iterations=2)
    assert comm.told == ["barrier", *out_of_place(0, 1, 0, 1, 0, 1)]
    assert ring.block.durations_us.size == 2


@pytest.mark.parametrize(
    ("blocking", "expected"),
    [
        (0, [*out_of_place(0, 0, 0, 0)]),
        (1, [*out_of_place(0), "barrier"] * 4),
        (2, [*out_of_place(0, 0, 0, 0)]),
        (3, [*out_of_place(0, 0), "barrier"] * 2),
    ],
)
def test_where_ranks_meet(blocking, expected):
    comm = Comm(1)
    candidate(comm, blocking=blocking, aggregate=2).time(warmup=0, iterations=2)
    assert comm.told == ["barrier", *expected]


class Clock:
    """A GPU's clock, by which everything between begin and end takes 6 us."""

    def __init__(self) -> None:
        self.marks: list[str] = []

    def begin(self) -> None:
        self.marks.append("begin")

    def end(self) -> None:
        self.marks.append("end")

    def elapsed_us(self) -> float:
        assert self.marks[-2:] == ["begin", "end"]
        return 6.0


class StreamPlan(Plan):
    """Has a queue, as the plans on a GPU's stream do."""

    clock = Clock()

    def run(self) -> None:
        self.enqueue()
        self.wait()

    def enqueue(self) -> None:
        self._comm.told.append(f"enqueue {self._comm.place(self._send)}")

    def wait(self) -> None:
        self._comm.told.append("wait")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["enqueue s0", "enqueue s1", "enqueue s0", "wait"]),
        ({"aggregate": 2}, [f"enqueue s{slot}" for slot in (0, 1, 0, 1, 0, 1)] + ["wait"]),
        ({"blocking": 2}, ["enqueue s1", "wait", "enqueue s0", "wait", "enqueue s1", "wait"]),
        ({"per_iteration": True}, ["enqueue s1", "wait", "enqueue s0", "wait", "enqueue s1", "wait"]),
    ],
)
def test_operations_on_a_stream_are_enqueued_before_one_wait(options, expected, monkeypatch: pytest.MonkeyPatch):
    comm = Comm(2)
    monkeypatch.setattr(comm, "plan", lambda algorithm, op, send, recv, collective, root: StreamPlan(comm, send, recv))
    ring = candidate(comm, **options)
    ring.time(warmup=1, iterations=3)
    assert comm.told == ["barrier", "enqueue s0", "wait", *expected]
    block = ring.block
    assert block.durations_us.size == 3
    assert "per_iteration" in options or "blocking" in options or len({*block.durations_us.tolist()}) == 1
    assert comm.position[positions.ITERATIONS] == 3
    waits_for_each = "per_iteration" in options or "blocking" in options
    assert (None if block.device_us is None else block.device_us.tolist()) == (None if waits_for_each else [2.0] * 3)


class GraphPlan(StreamPlan):
    """Its graphs tell what they hold when they are launched."""

    def capture(self, calls: Callable[[], None], name: str) -> Callable[[], None]:
        told, self._comm.told = self._comm.told, []
        calls()
        held, self._comm.told = self._comm.told, told
        return lambda: told.append(f"launch {name}: {held}")


def test_a_block_is_captured_once_as_a_graph_and_launched_as_often_as_was_asked_for(monkeypatch: pytest.MonkeyPatch):
    comm = Comm(2)
    monkeypatch.setattr(comm, "plan", lambda algorithm, op, send, recv, collective, root: GraphPlan(comm, send, recv))
    ring = candidate(comm, cuda_graph_launches=3, aggregate=2)
    ring.time(warmup=1, iterations=2)
    graph = f"launch 4 operations of ring: {[f'enqueue s{slot}' for slot in (0, 1, 0, 1)]}"
    untimed = ["enqueue s0", "wait", graph, "wait", "barrier", "enqueue s1", "wait"]
    assert comm.told == [*untimed, graph, graph, graph, "wait"]
    comm.told.clear()
    ring.time(warmup=0, iterations=2)
    assert comm.told == ["barrier", graph, graph, graph, "wait"], "the same graph"
    block = ring.block
    assert block.durations_us.size == 4 and block.device_us is not None
    assert block.device_us.tolist() == [1.0] * 4, "6 us by three launches of two iterations"
    assert comm.position[positions.ITERATIONS] == 6, "launches"


def test_a_plan_that_cannot_be_captured_is_refused_in_one_sentence():
    sentence = r"cuda_graph_launches: ring over shared_memory cannot be captured as a CUDA graph; choose transport nccl"
    with pytest.raises(EngineError, match=sentence):
        candidate(Comm(1), cuda_graph_launches=1)


def test_long_operations_on_a_stream_are_waited_for_one_by_one(monkeypatch: pytest.MonkeyPatch):
    comm = Comm(1)
    monkeypatch.setattr("ringscope.bench.candidate._LONG_SECONDS", -1.0)
    monkeypatch.setattr(comm, "plan", lambda algorithm, op, send, recv, collective, root: StreamPlan(comm, send, recv))
    candidate(comm).time(warmup=1, iterations=2)
    assert comm.told == ["barrier", *["enqueue s0", "wait"] * 3]


def test_very_many_operations_on_a_stream_are_waited_for_in_parts(monkeypatch: pytest.MonkeyPatch):
    comm = Comm(1)
    monkeypatch.setattr("ringscope.bench.candidate._MOST_ENQUEUED", 4)
    monkeypatch.setattr(comm, "plan", lambda algorithm, op, send, recv, collective, root: StreamPlan(comm, send, recv))
    candidate(comm, aggregate=2).time(warmup=0, iterations=3)
    assert comm.told == ["barrier", *["enqueue s0"] * 4, "wait", *["enqueue s0"] * 2, "wait"]


def test_the_check_is_of_the_last_slot():
    comm = Comm(3)
    ring = candidate(comm)
    case = Case(np.dtype(np.float32), "sum", 1, 1)
    assert ring.check(case, spoil=False) is None
    assert comm.told == out_of_place(2)
    assert comm.recv.local[-ELEMENTS:].any()
    assert not comm.recv.local[:-ELEMENTS].any(), "other slots are left alone"
    mismatch = ring.check(case, spoil=True)
    assert mismatch is not None
    assert (mismatch.wrong, mismatch.first_index) == (1, ELEMENTS // 2)


def test_every_plan_is_freed():
    comm = Comm(3)
    candidate(comm).free()
    assert comm.told == ["free"] * 3


@pytest.mark.parametrize(
    ("options", "message", "memory", "slots"),
    [
        ({}, 1024, 4096, 1),  # no rotation unless asked for
        ({"rotate": True}, 1024, 4096, 4),
        ({"rotate": True}, 1024, 4095, 3),
        ({"rotate": True}, 4096, 4096, 1),
        ({"rotate": True}, 0, 4096, 1),
        ({"rotate": True, "iterations": 5}, 1, 4096, 5),
        ({"rotate": True, "iterations": 5, "aggregate": 4}, 1, 4096, 20),
        ({"rotate": True, "iterations": 100_000}, 1, 1 << 20, MOST_SLOTS),
    ],
)
def test_as_many_slots_as_fit_and_are_used(options, message, memory, slots):
    assert slot_count(BenchmarkSpec.model_validate(options), message, memory) == slots


class FollowedPlan(Plan):
    """A plan that can report its messages."""

    def trace(self) -> RankTrace:
        self.run()
        return RankTrace(7, 1, [])


def test_a_followed_operation_comes_after_an_untimed_one_and_is_none_of_the_timed_ones(monkeypatch):
    comm = Comm(3)
    monkeypatch.setattr(
        comm, "plan", lambda algorithm, op, send, recv, collective, root: FollowedPlan(comm, send, recv)
    )
    ring = candidate(comm)
    ring.time(warmup=1, iterations=2)
    timed, untimed = ring.block.durations_us.tolist(), comm.position[positions.UNTIMED]
    comm.told.clear()
    assert ring.trace() == RankTrace(7, 1, [])
    assert comm.told == [*out_of_place(0), "barrier", *out_of_place(2)]
    assert ring.block.durations_us.tolist() == timed
    assert comm.position[positions.UNTIMED] == untimed + 2, "who looks from outside sees that this rank lives"


def test_the_last_untimed_operation_of_a_block_can_be_followed(monkeypatch):
    comm = Comm(1)
    monkeypatch.setattr(
        comm, "plan", lambda algorithm, op, send, recv, collective, root: FollowedPlan(comm, send, recv)
    )
    ring = candidate(comm)
    ring.time(warmup=2, iterations=1, follow=True)
    assert comm.told == [*out_of_place(0), "barrier", *out_of_place(0), *out_of_place(0)]
    assert ring.followed == RankTrace(7, 1, [])
    assert comm.position[positions.UNTIMED] == 2, "as many as without"


def test_a_plan_that_cannot_be_followed_does_nothing():
    comm = Comm(1)
    ring = candidate(comm)
    assert ring.trace() is None
    assert comm.told == []
    ring.time(warmup=1, iterations=1, follow=True)
    assert (ring.followed, comm.told) == (None, ["barrier", *out_of_place(0, 0)])

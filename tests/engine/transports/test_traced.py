"""Traced operations: what each kind of plan tells is exactly what the schedule has, in times that can be."""

from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

from ringscope.contracts.traced import MAX_TRANSFERS, RankTrace, Span, TracedTransfer
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.topology import Link, flat
from ringscope.cost.timeline import simulate
from ringscope.cost.traces.modelled_trace import modelled
from ringscope.engine.transports.hazards import programs
from ringscope.engine.transports.traces import of_hubs, of_messages, pulled
from ringscope.schedules.algorithms import build
from ringscope.schedules.messages import messages
from ringscope.schedules.schedule import Schedule, hubs

EVERY = [(collective, name) for collective, names in SCHEDULED.items() for name in names]
RANKS = (1, 2, 3, 4, 5, 8)
ITEMSIZE = 4
Moved = tuple[int, int, int, str, int, bool]


def schedules(collective: str, algorithm: str) -> Iterable[Schedule]:
    for ranks in RANKS:
        for count in (1, 7, 64):
            total = count * ranks if collective == "alltoall" else count
            yield build(algorithm, ranks, total, collective=collective)


def of_schedule(schedule: Schedule) -> Counter[Moved]:
    return Counter((t.src, t.dst, t.step, t.phase, t.chunk, t.reduce) for t in schedule.transfers())


def of_trace(rank: int, transfers: Iterable[TracedTransfer]) -> Counter[Moved]:
    """The transfers that a rank told, chunk by chunk."""
    found: Counter[Moved] = Counter()
    for t in transfers:
        ends = (rank, t.peer) if t.is_send else (t.peer, rank)
        found.update((*ends, t.step, t.phase, chunk, t.reduce) for chunk in t.chunks)
    return found


def spans(count: int) -> list[Span]:
    """Return spans one after another, each longer than the one before."""
    return [Span(10 * i**2 + 5, 10 * i**2 + 5 + i + 1) for i in range(count)]


def assert_times_can_be(transfers: Sequence[TracedTransfer]) -> None:
    for t in transfers:
        known = [x for x in (t.start_ns, t.send_ns, t.recv_ns, t.reduce_ns, t.done_ns) if x is not None]
        assert known == sorted(known) and known[0] >= 0
        assert t.work_ns is None or t.work_ns <= t.done_ns - t.start_ns


@pytest.mark.parametrize(("collective", "algorithm"), EVERY)
@pytest.mark.parametrize("in_place", [False, True])
def test_what_ranks_pull_is_what_the_schedule_has(collective: str, algorithm: str, in_place: bool) -> None:
    for schedule in schedules(collective, algorithm):
        told: Counter[Moved] = Counter()
        size_bytes = 0
        for rank, program in enumerate(programs(schedule, in_place)):
            transfers = pulled(program.actions, spans(len(program.actions)), 3, ITEMSIZE)
            assert_times_can_be(transfers)
            assert [t.step for t in transfers] == sorted(t.step for t in transfers)
            size_bytes += sum(t.bytes for t in transfers)
            told += of_trace(rank, transfers)
        assert told == of_schedule(schedule)
        assert size_bytes == sum(schedule.elements_sent()) * ITEMSIZE


def test_what_is_pulled_aside_is_done_when_it_is_in_its_place() -> None:
    (program, _) = programs(build("recursive_doubling", 2, 4), in_place=True)
    assert [action.commit for action in program.actions] == [False, True]
    (only,) = pulled(program.actions, [Span(20, 30), Span(50, 52)], 7, ITEMSIZE)
    assert (only.start_ns, only.send_ns, only.reduce_ns, only.done_ns, only.work_ns) == (7, 20, 20, 52, 12)


@pytest.mark.parametrize("algorithm", ["direct", "naive", "parameter_server"])
def test_what_hubs_do_is_what_the_schedule_has(algorithm: str) -> None:
    tiles = 3
    for schedule in schedules("all_reduce", algorithm):
        found = hubs(schedule)
        if not found:
            continue
        told: Counter[Moved] = Counter()
        for rank in range(schedule.ranks):
            own = [(hub, schedule.chunks[hub.chunk], tiles) for hub in found if hub.rank == rank]
            taken = spans(sum(tiles * len(hub.transfers) for hub, _, _ in own))
            transfers = of_hubs(own, taken, ITEMSIZE)
            assert_times_can_be(transfers)
            assert sum(t.work_ns or 0 for t in transfers) == sum(span.end_ns - span.begin_ns for span in taken)
            told += of_trace(rank, transfers)
        assert told == of_schedule(schedule)


@pytest.mark.parametrize(("collective", "algorithm"), EVERY)
def test_both_ends_of_messages_tell_what_the_schedule_has(collective: str, algorithm: str) -> None:
    for schedule in schedules(collective, algorithm):
        sent: Counter[Moved] = Counter()
        received: Counter[Moved] = Counter()
        for rank in range(schedule.ranks):
            mine = [m for step in messages(schedule, True) for m in step if rank in (m.src, m.dst)]
            after = {i: Span(2000 + i, 2010 + i) for i, m in enumerate(mine) if m.dst == rank and m.reduce}
            transfers = list(of_messages(rank, [(m, Span(5, 1000)) for m in mine], after, ITEMSIZE))
            assert_times_can_be(transfers)
            sent += of_trace(rank, [t for t in transfers if t.is_send])
            received += of_trace(rank, [t for t in transfers if not t.is_send])
        assert sent == received == of_schedule(schedule)


@pytest.mark.parametrize(("collective", "algorithm"), EVERY)
def test_the_models_trace_is_the_schedule_in_model_time(collective: str, algorithm: str) -> None:
    schedule = build(algorithm, 4, 1000, collective=collective)
    timeline = simulate(schedule, ITEMSIZE, flat(4, Link(1e-6, 1e9), 1e10))
    sent: Counter[Moved] = Counter()
    for rank in range(4):
        trace = modelled(timeline, rank, 77)
        assert (trace.started_at_ns, trace.duration_ns) == (77, round(timeline.seconds * 1e9))
        assert_times_can_be(trace.transfers)
        assert max(t.done_ns for t in trace.transfers) <= trace.duration_ns
        sent += of_trace(rank, [t for t in trace.transfers if t.is_send])
    assert sent == of_schedule(schedule)


def test_more_transfers_than_a_record_holds_are_counted() -> None:
    schedule = build("ring_pipelined", 16, 1 << 27)
    trace = modelled(simulate(schedule, ITEMSIZE, flat(16, Link(1e-6, 1e9))), 3, 0)
    told = trace.told()
    assert len(told["transfers"]) == MAX_TRANSFERS
    assert told["left_out"] == len(trace.transfers) - MAX_TRANSFERS > 0
    assert max(t.start_ns for t in told["transfers"]) <= min(
        t.start_ns for t in sorted(trace.transfers, key=lambda t: (t.start_ns, t.done_ns))[MAX_TRANSFERS:]
    )


def test_an_operation_without_a_transfer_has_an_empty_trace() -> None:
    assert RankTrace(5, 9, []).told() == {"started_at_ns": 5, "duration_ns": 9, "transfers": [], "left_out": 0}

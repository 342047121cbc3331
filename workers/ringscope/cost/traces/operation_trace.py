"""Join the traces of all ranks in one operation, on one clock, with the model's times. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ringscope.contracts.operation_trace import (
    ChunkView,
    OperationTrace,
    TracedHop,
    TracedOperation,
    TracedRank,
    TracePrediction,
    TraceRow,
    TraceStep,
)
from ringscope.contracts.record import Trace
from ringscope.contracts.traced import TracedTransfer
from ringscope.contracts.words.units import format_size
from ringscope.cost.timeline import TimedMessage, Timeline
from ringscope.cost.traces import slow_hops, wire_times
from ringscope.schedules.schedule import Chunk


class Clock(NamedTuple):
    """The clock of a rank's node: its offset, and the largest error of the offset; None: unknown."""

    node: str
    offset_ns: int | None = 0
    error_ns: int | None = 0


class PricedCall(NamedTuple):
    """The model's timeline, and the source of its parameters."""

    timeline: Timeline
    parameters: str


def joined(
    told: Sequence[Trace],
    clocks: Mapping[int, Clock],
    chunks: Sequence[Chunk] | None = None,
    priced: PricedCall | None = None,
) -> OperationTrace:
    """Join the traces of the ranks in one operation; ``told`` has at least one trace, ``clocks`` one for each rank."""
    starts_ns = {t.rank: t.started_at_ns - (clocks[t.rank].offset_ns or 0) for t in told}
    origin_ns = min(starts_ns.values())
    ordered = sorted(told, key=lambda t: t.rank)
    expected = _expected(priced)
    told_rows = [_row(t.rank, x, starts_ns[t.rank] - origin_ns, expected) for t in ordered for x in t.transfers]
    sends = wire_times.sends_of(told_rows)
    rows = [row.model_copy(update={"wire_ns": _wire_ns(row, sends)}) for row in told_rows]
    ranks = [_rank(t, starts_ns[t.rank] - origin_ns, clocks[t.rank]) for t in ordered]
    hops = slow_hops.hop_times(wire_times.hop_samples(wire_times.wires(rows, ranks)))
    what = f"{ordered[0].chosen_algorithm or ordered[0].algorithm} at {format_size(ordered[0].size_bytes)}"
    return OperationTrace(
        **ordered[0].model_dump(include=TracedOperation.model_fields.keys() - {"duration_ns"}),
        duration_ns=max(t.duration_ns for t in told),
        started_at=datetime.fromtimestamp(origin_ns / 1e9, UTC),
        chunks=None if chunks is None else [ChunkView(offset=chunk.offset, length=chunk.length) for chunk in chunks],
        ranks=ranks,
        steps=_steps(rows, priced),
        rows=rows,
        hops=[_hop(hop) for hop in hops],
        slow_links=slow_hops.sentences(slow_hops.slow_links(hops), what),
        prediction=None
        if priced is None
        else TracePrediction(duration_ns=_ns(priced.timeline.seconds), parameters=priced.parameters),
    )


def operations(told: Iterable[Trace], clocks: Mapping[int, Clock]) -> list[OperationTrace]:
    """List all operations that ranks traced, in the order in which they began."""
    found: dict[tuple[str, int, bool], list[Trace]] = {}
    for trace in told:
        found.setdefault((trace.algorithm, trace.size_bytes, trace.in_place), []).append(trace)
    return sorted((joined(each, clocks) for each in found.values()), key=lambda operation: operation.started_at)


_Key = tuple[int, int, int, tuple[int, ...]]  # step, source, destination, chunks


def _expected(priced: PricedCall | None) -> dict[_Key, TimedMessage]:
    timed = priced.timeline.messages if priced is not None else ()
    return {(m.message.step, m.message.src, m.message.dst, m.message.reads): m for m in timed}


def _row(rank: int, x: TracedTransfer, shift_ns: int, expected: Mapping[_Key, TimedMessage]) -> TraceRow:
    ends = (rank, x.peer) if x.is_send else (x.peer, rank)
    timed = expected.get((x.step, *ends, tuple(x.chunks)))
    times = {
        name: None if value is None else value + shift_ns
        for name in ("start_ns", "send_ns", "recv_ns", "reduce_ns", "done_ns")
        for value in (getattr(x, name),)
    }
    predicted_ns = None if timed is None else _ns(timed.end_s - timed.start_s)
    return TraceRow.model_validate(x._asdict() | times | {"rank": rank, "predicted_ns": predicted_ns})


def _wire_ns(row: TraceRow, sends: Mapping[wire_times.Pair, TraceRow]) -> int | None:
    start_ns = wire_times.start_of_wire_ns(row, sends)
    return None if start_ns is None or row.recv_ns is None else max(0, row.recv_ns - start_ns)


def _hop(hop: slow_hops.HopTime) -> TracedHop:
    src, dst = hop.hop
    return TracedHop(
        src=src,
        dst=dst,
        messages=hop.messages,
        bytes=hop.bytes,
        wire_ns=hop.wire_ns,
        times_longer=hop.ratio,
        is_slow=hop.is_slow,
    )


def _rank(told: Trace, started_ns: int, clock: Clock) -> TracedRank:
    return TracedRank(
        rank=told.rank,
        node=clock.node,
        started_ns=started_ns,
        ended_ns=started_ns + told.duration_ns,
        clock_offset_ns=clock.offset_ns,
        clock_error_ns=clock.error_ns,
        left_out=told.left_out,
    )


def _steps(rows: Sequence[TraceRow], priced: PricedCall | None) -> list[TraceStep]:
    by_step: dict[int, list[TraceRow]] = {}
    for row in rows:
        by_step.setdefault(row.step, []).append(row)
    expected: dict[int, list[TimedMessage]] = {}
    for timed in priced.timeline.messages if priced is not None else ():
        expected.setdefault(timed.message.step, []).append(timed)
    return [_step(step, by_step[step], expected.get(step, [])) for step in sorted(by_step)]


def _step(step: int, rows: Sequence[TraceRow], expected: Sequence[TimedMessage]) -> TraceStep:
    return TraceStep(
        step=step,
        phase=" + ".join(dict.fromkeys(row.phase for row in rows)),
        start_ns=min(row.start_ns if row.send_ns is None else row.send_ns for row in rows),
        end_ns=max(row.done_ns for row in rows),
        predicted_start_ns=_ns(min(timed.start_s for timed in expected)) if expected else None,
        predicted_end_ns=_ns(max(timed.end_s for timed in expected)) if expected else None,
    )


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)

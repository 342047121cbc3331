"""Traced operations as Chrome trace events, which ui.perfetto.dev opens: one process per rank. Pure.

Overlapping slices are on separate tracks. Several operations are shown back to back, without the time between them. The
format's source: see ``ringscope.cost.traces.perfetto``.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from ringscope.contracts.operation_trace import OperationTrace, TraceRow
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_duration, format_size

_OPERATION, _SEND, _WAIT, _RECEIVE, _ADD = range(5)
_TRACKS = {_OPERATION: "operation", _SEND: "send", _WAIT: "wait", _RECEIVE: "receive", _ADD: "add"}
_LANES = 1000  # track numbers that each kind of track may take
_GAP_NS = 1000


class _Slice(NamedTuple):
    rank: int
    track: int
    name: str
    start_ns: int
    end_ns: int
    details: dict[str, Any]


def traced_to_perfetto(operations: Sequence[OperationTrace], title: str) -> dict[str, Any]:
    """Return the JSON document; its metadata has ``title``, after the word simulated for a simulation."""
    slices: list[_Slice] = []
    arrows: list[dict[str, Any]] = []
    begins_ns, numbers = 0, count()
    for operation in operations:
        slices += _slices(operation, begins_ns)
        arrows += _arrows(operation.rows, begins_ns, numbers)
        begins_ns += max(rank.ended_ns for rank in operation.ranks) + _GAP_NS
    events = list(_on_tracks(slices))
    ranks = {rank.rank: rank.node for operation in operations for rank in operation.ranks}
    tracks = sorted({(event["pid"], event["tid"]) for event in events})
    slow = [sentence for operation in operations for sentence in operation.slow_links]
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "title": f"{_simulated(operations)}{title}",
            "clock": _clock(operations),
            **({"slow_links": slow} if slow else {}),
        },
        "traceEvents": [
            *(name for rank, node in sorted(ranks.items()) for name in _rank_names(rank, node)),
            *(_track_name(rank, track) for rank, track in tracks),
            *events,
            *arrows,
        ],
    }


def _simulated(operations: Sequence[OperationTrace]) -> str:
    return f"{SIMULATED.upper()} " if any(operation.transport == SIMULATED for operation in operations) else ""


def _clock(operations: Sequence[OperationTrace]) -> str:
    if _simulated(operations):
        return "model time of the α-β-γ cost model"
    if len({rank.node for operation in operations for rank in operation.ranks}) == 1:
        return "one node's"
    errors = [rank.clock_error_ns for operation in operations for rank in operation.ranks]
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        return "the nodes' own; their offsets are unknown"
    return f"the server's, to {format_duration(max(known, default=0) / 1e9)} between nodes"


def _slices(operation: OperationTrace, begins_ns: int) -> Iterator[_Slice]:
    place = "in place" if operation.in_place else "out of place"
    name = f"{operation.executed} {format_size(operation.size_bytes)} {place}"
    for rank in operation.ranks:
        details = rank.model_dump() | {"transport": operation.transport}
        yield _Slice(rank.rank, _OPERATION, name, begins_ns + rank.started_ns, begins_ns + rank.ended_ns, details)
    nodes = {rank.rank: rank.node for rank in operation.ranks}
    slow = {(hop.src, hop.dst) for hop in operation.hops if hop.is_slow}
    for row in operation.rows:
        source, target = (row.rank, row.peer) if row.is_send else (row.peer, row.rank)
        ends = f"{source}→{target}"
        if (nodes.get(source), nodes.get(target)) in slow:
            ends += " (slow hop)"
        for track, verb, start_ns, end_ns in _parts(row):
            if end_ns == start_ns:
                continue
            yield _Slice(row.rank, track, f"{verb} {ends}", begins_ns + start_ns, begins_ns + end_ns, row.model_dump())


def _parts(row: TraceRow) -> Iterator[tuple[int, str, int, int]]:
    """Yield the parts of a row: track, name, start and end."""
    moving_ns = row.start_ns if row.send_ns is None else row.send_ns
    if row.wire_ns is not None and row.recv_ns is not None:  # before that, the receiver waited for the sender's data
        moving_ns = max(row.start_ns, row.recv_ns - row.wire_ns)
    if moving_ns > row.start_ns:
        yield _WAIT, "wait for", row.start_ns, moving_ns
    if row.recv_ns is None:
        yield _RECEIVE, f"{row.phase}: read and add", moving_ns, row.done_ns
        return
    yield _SEND if row.is_send else _RECEIVE, row.phase, moving_ns, row.recv_ns
    if row.reduce_ns is not None:
        yield _ADD, "add", row.reduce_ns, row.done_ns
    elif row.done_ns > row.recv_ns:
        yield _ADD, "put in place", row.recv_ns, row.done_ns


def _on_tracks(slices: Sequence[_Slice]) -> Iterator[dict[str, Any]]:
    ends_ns: dict[tuple[int, int], list[int]] = {}  # for each lane of a rank's kind of track
    for part in sorted(slices, key=lambda part: (part.start_ns, -part.end_ns)):
        lanes = ends_ns.setdefault((part.rank, part.track), [])
        lane = next((i for i, end_ns in enumerate(lanes) if end_ns <= part.start_ns), len(lanes))
        lanes[lane : lane + 1] = [part.end_ns]
        yield {
            "ph": "X",
            "cat": part.details.get("phase", "operation"),
            "name": part.name,
            "pid": part.rank,
            "tid": part.track * _LANES + lane,
            "args": part.details,
            "ts": part.start_ns / 1e3,
            "dur": (part.end_ns - part.start_ns) / 1e3,
        }


def _arrows(rows: Sequence[TraceRow], begins_ns: int, numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    """Yield an arrow from the send to the arrival of each message that both ends recorded."""
    sent = {(row.step, row.rank, row.peer, tuple(row.chunks)): row for row in rows if row.is_send}
    for row in rows:
        source = sent.get((row.step, row.peer, row.rank, tuple(row.chunks)))
        if row.is_send or source is None or row.recv_ns is None:
            continue
        arrow = {"cat": "message", "name": "message", "id": next(numbers)}
        yield arrow | _end("s", source.rank, _SEND, begins_ns + source.start_ns)
        yield arrow | {"bp": "e"} | _end("f", row.rank, _RECEIVE, begins_ns + row.recv_ns)


def _end(kind: str, rank: int, track: int, time_ns: int) -> dict[str, Any]:
    return {"ph": kind, "pid": rank, "tid": track * _LANES, "ts": time_ns / 1e3}


def _rank_names(rank: int, node: str) -> Iterator[dict[str, Any]]:
    name = {"name": f"rank {rank} on {node}"}
    yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": name}
    yield {"ph": "M", "name": "process_sort_index", "pid": rank, "tid": 0, "args": {"sort_index": rank}}


def _track_name(rank: int, track: int) -> dict[str, Any]:
    kind, lane = divmod(track, _LANES)
    name = _TRACKS[kind] if lane == 0 else f"{_TRACKS[kind]} {lane + 1}"
    return {"ph": "M", "name": "thread_name", "pid": rank, "tid": track, "args": {"name": name}}

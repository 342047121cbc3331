"""A timeline as Chrome trace events, which ui.perfetto.dev opens: one process per rank, a track for each port. Pure.

Format: "Trace Event Format" of the Chromium project; complete events (ph X) in microseconds, arrows (ph s and f) from a
message's start to its arrival, metadata (ph M) for names.
"""

from collections.abc import Iterator
from typing import Any

from ringscope.contracts.words.devices import SIMULATED
from ringscope.cost.timeline import TimedMessage, Timeline

_SEND, _RECEIVE, _ADD = 0, 1, 2
_TRACKS = {_SEND: "send", _RECEIVE: "receive", _ADD: "add"}


def to_perfetto(timeline: Timeline, title: str) -> dict[str, Any]:
    """Return the JSON document; its metadata has ``title``, after the word simulated."""
    return {
        "displayTimeUnit": "ns",
        "otherData": {"title": f"{SIMULATED.upper()} {title}", "clock": "model time of the α-β-γ cost model"},
        "traceEvents": [
            *(event for rank in range(timeline.ranks) for event in _names(rank)),
            *(event for i, timed in enumerate(timeline.messages) for event in _events(i, timed)),
        ],
    }


def _names(rank: int) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"rank {rank}"}}
    yield {"ph": "M", "name": "process_sort_index", "pid": rank, "tid": 0, "args": {"sort_index": rank}}
    for track, name in _TRACKS.items():
        yield {"ph": "M", "name": "thread_name", "pid": rank, "tid": track, "args": {"name": name}}


def _events(number: int, timed: TimedMessage) -> Iterator[dict[str, Any]]:
    m = timed.message
    details = {
        "phase": timed.phase,
        "step": m.step,
        "chunks": list(m.reads),
        "size_bytes": timed.size_bytes,
        "from": m.src,
        "to": m.dst,
    }
    name = f"{timed.phase} {m.src}→{m.dst}"
    yield _slice(name, m.src, _SEND, timed.start_s, timed.arrived_s, details)
    yield _slice(name, m.dst, _RECEIVE, timed.start_s, timed.arrived_s, details)
    if m.reduce and timed.end_s > timed.adding_s:
        yield _slice(f"add from {m.src}", m.dst, _ADD, timed.adding_s, timed.end_s, details)
    arrow = {"cat": "message", "name": "message", "id": number}
    yield arrow | {"ph": "s", "pid": m.src, "tid": _SEND, "ts": timed.start_s * 1e6}
    yield arrow | {"ph": "f", "bp": "e", "pid": m.dst, "tid": _RECEIVE, "ts": timed.arrived_s * 1e6}


def _slice(name: str, rank: int, track: int, start_s: float, end_s: float, details: dict[str, Any]) -> dict[str, Any]:
    times = {"ts": start_s * 1e6, "dur": (end_s - start_s) * 1e6}
    return {"ph": "X", "cat": details["phase"], "name": name, "pid": rank, "tid": track, "args": details} | times

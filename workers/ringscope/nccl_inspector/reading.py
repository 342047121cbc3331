"""JSON lines of NCCL Inspector as series of bus bandwidth for each communicator, collective and size. Pure."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite
from statistics import median
from typing import Any

from ringscope.imports.lines import decode

DROP = 0.5  # a record below this part of its series' median is a drop
_FEWEST = 8  # records of a series with drops
_TOLERANCE = 0.02
# The size is one rank's part; the algorithm's bandwidth counts all parts.
_PARTS = ("AllGather", "ReduceScatter")


@dataclass(frozen=True)
class Record:
    """One operation as one rank measured it; bandwidths in GB/s (1e9 bytes)."""

    line: int
    rank: int
    host: str
    number: int
    time_us: float
    algbw: float
    busbw: float
    at_us: int | None
    source: str | None
    is_contradictory: bool


@dataclass
class Series:
    """The records of one collective and size of a communicator."""

    communicator: str
    ranks: int
    nodes: int | None
    collective: str
    size_bytes: int
    records: list[Record] = field(default_factory=list)

    @property
    def median_busbw(self) -> float:
        """Return the median of the bus bandwidth, without records that contradict themselves."""
        return median([one.busbw for one in self.records if not one.is_contradictory] or [0.0])

    @property
    def drops(self) -> list[Record]:
        """Return the records below half of the median, the lowest first; none of a series with few records."""
        if len(self.records) < _FEWEST:
            return []
        floor = DROP * self.median_busbw
        return sorted((one for one in self.records if one.busbw < floor), key=lambda one: one.busbw)

    @property
    def skipped(self) -> int:
        """Return how many operations between a rank's first and last record have none, over all ranks."""
        numbers: dict[int, set[int]] = {}
        for one in self.records:
            numbers.setdefault(one.rank, set()).add(one.number)
        return sum(max(found) - min(found) + 1 - len(found) for found in numbers.values())


@dataclass
class Inspected:
    """The series of files, and what is not in them: other records, and lines that are no record."""

    series: list[Series] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    others: int = 0
    unreadable: int = 0


def sniff(text: str) -> bool:
    """Return whether a text has records of the Inspector."""
    return '"coll_perf"' in text or '"p2p_perf"' in text or '"inspector_output_format_version"' in text


def read(contents: Iterable[bytes]) -> Inspected:
    """Return the series of all files; NotTextError for a binary file. A cut line is counted and left out."""
    found = Inspected()
    series: dict[tuple[str, str, int], Series] = {}
    for content in contents:
        for number, line in enumerate(decode(content).split("\n"), 1):
            if line.strip():
                _take(found, series, number, line)
    found.series = sorted(series.values(), key=lambda one: (one.communicator, one.collective, one.size_bytes))
    return found


def _take(found: Inspected, series: dict[tuple[str, str, int], Series], number: int, line: str) -> None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        found.unreadable += 1
        return
    header, perf = (_object(told, name) for name in ("header", "coll_perf"))
    metadata = _object(told, "metadata")
    version = metadata.get("inspector_output_format_version")
    if isinstance(version, str) and version[:40] not in found.versions:
        found.versions.append(version[:40])
    if not perf:
        found.others += bool(header or metadata)
        found.unreadable += not (header or metadata)
        return
    name, size, ranks = perf.get("coll"), _whole(perf.get("coll_msg_size_bytes")), _whole(header.get("n_ranks"))
    time_us, busbw = _number(perf.get("coll_exec_time_us")), _number(perf.get("coll_busbw_gbs"))
    rank, algbw = _whole(header.get("rank")), _number(perf.get("coll_algobw_gbs"))
    if not isinstance(name, str) or None in (size, ranks, time_us, busbw, algbw, rank):
        found.unreadable += 1
        return
    assert size is not None and ranks is not None and time_us is not None
    assert busbw is not None and algbw is not None and rank is not None
    key = (str(header.get("id"))[:80], name[:40], size)
    if key not in series:
        series[key] = Series(key[0], ranks, _whole(header.get("nnodes")), key[1], size)
    host, source = metadata.get("hostname"), perf.get("coll_timing_source")
    record = Record(
        line=number,
        rank=rank,
        host=host[:255] if isinstance(host, str) else "",
        number=_whole(perf.get("coll_sn")) or 0,
        time_us=time_us,
        algbw=algbw,
        busbw=busbw,
        at_us=_whole(metadata.get("dump_timestamp_us")),
        source=source[:40] if isinstance(source, str) else None,
        is_contradictory=_contradicts(name, size, ranks, time_us, algbw, busbw),
    )
    series[key].records.append(record)


def _contradicts(name: str, size: int, ranks: int, time_us: float, algbw: float, busbw: float) -> bool:
    """Return whether the bandwidths are not those of size and time; the time is in whole microseconds."""
    factor = {"AllReduce": 2 * (ranks - 1) / max(ranks, 1)}.get(
        name, (ranks - 1) / max(ranks, 1) if name in (*_PARTS, "AllToAll") else 1.0
    )
    known = name in ("AllReduce", *_PARTS, "Broadcast", "Reduce")
    moved = size * (ranks if name in _PARTS else 1)
    slack = _TOLERANCE + 1 / max(time_us, 1)
    is_off = time_us <= 0 or abs(algbw * time_us * 1e3 - moved) > slack * max(moved, 1)
    return known and (is_off or abs(busbw - algbw * factor) > _TOLERANCE * max(busbw, algbw * factor))


def _object(told: Any, name: str) -> dict[str, Any]:
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, dict) else {}


def _number(told: Any) -> float | None:
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    try:
        value = float(told)
    except OverflowError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _whole(told: Any) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 2**63 else None

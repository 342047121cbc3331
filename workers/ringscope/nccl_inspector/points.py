"""The series as a page draws them: of many records the lowest and the highest of each stretch. Pure."""

from typing import Any

from ringscope.nccl_inspector.reading import Inspected, Record, Series
from ringscope.nccl_inspector.sentences import answer, drop_sentence, notes

MOST_SERIES = 60
MOST_POINTS = 600


def drawn(found: Inspected) -> dict[str, Any]:
    """Return the answer, the notes and the series, those with the deepest drops first."""
    ordered = sorted(found.series, key=_depth)
    return {
        "answer": answer(found),
        "notes": notes(found),
        "versions": found.versions,
        "series": [_series(one) for one in ordered[:MOST_SERIES]],
        "series_omitted": max(len(ordered) - MOST_SERIES, 0),
    }


def _depth(one: Series) -> float:
    """Return the lowest record over the median; 2 for a series without drops."""
    drops = one.drops
    return drops[0].busbw / one.median_busbw if drops else 2.0


def _series(one: Series) -> dict[str, Any]:
    rates = [record.busbw for record in one.records]
    drops = one.drops
    low = {id(record) for record in drops}
    return {
        "communicator": one.communicator,
        "ranks": one.ranks,
        "nodes": one.nodes,
        "collective": one.collective,
        "size_bytes": one.size_bytes,
        "records": len(rates),
        "lowest_busbw_gb_per_s": min(rates),
        "median_busbw_gb_per_s": one.median_busbw,
        "highest_busbw_gb_per_s": max(rates),
        "drops": len(drops),
        "drop_sentence": drop_sentence(one) if drops else None,
        "contradictory": sum(record.is_contradictory for record in one.records),
        "skipped_operations": one.skipped,
        "points": [
            {
                "operation": record.number,
                "rank": record.rank,
                "host": record.host or None,
                "time_us": record.time_us,
                "busbw_gb_per_s": record.busbw,
                "is_drop": id(record) in low,
                "is_contradictory": record.is_contradictory,
            }
            for record in _thinned(one.records)
        ],
    }


def _thinned(records: list[Record]) -> list[Record]:
    """Return the records in the order of their operations, of each stretch the lowest and the highest."""
    ordered = sorted(records, key=lambda one: (one.number, one.rank))
    if len(ordered) <= MOST_POINTS:
        return ordered
    length = -(-len(ordered) * 2 // MOST_POINTS)
    kept = []
    for begin in range(0, len(ordered), length):
        part = ordered[begin : begin + length]
        ends = {id(one): one for one in (min(part, key=_rate), max(part, key=_rate))}
        kept += [one for one in part if id(one) in ends]
    return kept


def _rate(one: Record) -> float:
    return one.busbw

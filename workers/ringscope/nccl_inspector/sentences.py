"""The series in sentences and as JSON. Pure."""

from typing import Any

from ringscope.contracts.words.units import format_size, plural
from ringscope.nccl_inspector.reading import Inspected, Record, Series


def answer(found: Inspected) -> str:
    """Return the sentence about the deepest drop, or that there is none."""
    dropped = [one for one in found.series if one.drops]
    records = sum(len(one.records) for one in found.series)
    if not dropped:
        return f"No drop: {plural(records, 'record')} in {len(found.series)} series."
    worst = min(dropped, key=lambda one: one.drops[0].busbw / one.median_busbw)
    return drop_sentence(worst)


def drop_sentence(series: Series) -> str:
    """Return the drops of a series in a sentence."""
    drops, lowest = series.drops, series.drops[0]
    return (
        f"{len(drops)} of {plural(len(series.records), 'record')} of {_name(series)} fell below half of the median of "
        f"{series.median_busbw:.4g} GB/s; the lowest is {lowest.busbw:.4g} GB/s on {_rank(lowest)}, operation "
        f"{lowest.number}."
    )


def notes(found: Inspected) -> list[str]:
    """Return what the series do not have, and what contradicts itself."""
    wrong = sum(record.is_contradictory for one in found.series for record in one.records)
    skipped = sum(one.skipped for one in found.series)
    lines = []
    if wrong:
        lines.append(
            f"Marked: {plural(wrong, 'record')} with another bandwidth than size and time give, left out of the median."
        )
    if skipped:
        lines.append(f"No record: {plural(skipped, 'operation')} between the first and the last of a rank.")
    if found.others:
        lines.append(f"Not shown: {plural(found.others, 'record')} of other kinds, such as point-to-point.")
    if found.unreadable:
        lines.append(f"{plural(found.unreadable, 'line')} cannot be read, for example because a line is cut.")
    return lines


def cells(one: Series) -> list[str]:
    """Return the cells of a series in the table."""
    rates = [record.busbw for record in one.records]
    return [
        one.communicator,
        str(one.ranks),
        one.collective,
        format_size(one.size_bytes),
        str(len(rates)),
        f"{min(rates):.4g}",
        f"{one.median_busbw:.4g}",
        f"{max(rates):.4g}",
        str(len(one.drops)),
    ]


def document(found: Inspected) -> dict[str, Any]:
    """Return the series as JSON."""
    return {
        "answer": answer(found),
        "notes": notes(found),
        "versions": found.versions,
        "series": [_series(one) for one in found.series],
    }


def _series(one: Series) -> dict[str, Any]:
    lowest = {id(record) for record in one.drops}
    return {
        "communicator": one.communicator,
        "ranks": one.ranks,
        "nodes": one.nodes,
        "collective": one.collective,
        "size_bytes": one.size_bytes,
        "median_busbw_gb_per_s": one.median_busbw,
        "skipped_operations": one.skipped,
        "records": [
            {
                "rank": record.rank,
                "host": record.host,
                "operation": record.number,
                "time_us": record.time_us,
                "algbw_gb_per_s": record.algbw,
                "busbw_gb_per_s": record.busbw,
                "timestamp_us": record.at_us,
                "timing_source": record.source,
                "is_drop": id(record) in lowest,
                "is_contradictory": record.is_contradictory,
            }
            for record in one.records
        ],
    }


def _name(one: Series) -> str:
    return f"{one.collective} at {format_size(one.size_bytes)} ({one.ranks} ranks)"


def _rank(one: Record) -> str:
    return f"rank {one.rank} ({one.host})" if one.host else f"rank {one.rank}"

"""The series as tables that an import stores: a run for each communicator and collective, a row for each operation.

A row has the time of the slowest rank of which a record is there. Pure.
"""

from collections.abc import Iterable, Sequence

from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.contracts.words.units import plural
from ringscope.imports.checks import check
from ringscope.imports.files import Reading
from ringscope.imports.model import Cell, Row, Run
from ringscope.imports.names import collective_named, has_parts
from ringscope.nccl_inspector.reading import Inspected, Record, Series
from ringscope.nccl_inspector.sentences import drop_sentence, notes

TOOL = "nccl-inspector"
MOST_RUNS = 40
MOST_ROWS = 500  # rows of one size; of more operations, the slowest of each stretch
_TIME_HALF_US = 0.5  # times are whole microseconds
_RATE_HALF = 5e-7  # bandwidths have six decimals


def reading_of(found: Inspected) -> Reading:
    """Return the runs of files; the refusal says why there is none."""
    groups: dict[tuple[str, str], list[Series]] = {}
    for one in found.series:
        groups.setdefault((one.communicator, one.collective), []).append(one)
    storable = [group for group in groups.values() if _why_not(group[0]) is None]
    left_out = [_left_out(group) for group in groups.values() if _why_not(group[0]) is not None]
    if not storable:
        why = " ".join(left_out[:3]) or "No line is a collective's record; give the whole file."
        return Reading(refused=f"Line 1: {why}")
    ordered = sorted(storable, key=lambda group: -sum(_moved(one) for one in group))
    if rest := len(ordered) - MOST_RUNS:
        left_out += [f"Left out: {plural(rest, 'table')} of fewer bytes."] if rest > 0 else []
    shared = [*notes(found), *left_out]
    return Reading([check(_run(group, found, shared)) for group in ordered[:MOST_RUNS]])


def _why_not(series: Series) -> str | None:
    if collective_named(series.collective) not in COLLECTIVES:
        return ", which cannot be stored"
    return " in a communicator of one rank, where nothing goes over a link" if series.ranks < 2 else None


def _left_out(group: Sequence[Series]) -> str:
    records = sum(len(one.records) for one in group)
    return f"Left out: {plural(records, 'record')} of {group[0].collective}{_why_not(group[0])}."


def _run(group: Sequence[Series], found: Inspected, shared: Iterable[str]) -> Run:
    first = group[0]
    collective = collective_named(first.collective)
    line = min(record.line for one in group for record in one.records)
    run = Run(TOOL, line, collective, "the records", first.ranks, "the records", partial=found.unreadable > 0)
    run.machine.info_ranks, run.machine.info_nodes = first.ranks, first.nodes
    run.machine.versions = {"inspector": found.versions[-1]} if found.versions else {}
    run.note(f"Communicator {first.communicator}.")
    parts = first.ranks if collective is not None and has_parts(collective) and _is_part(first) else 1
    for one in sorted(group, key=lambda one: one.size_bytes):
        if one.drops:
            run.note(drop_sentence(one))
        slowest = _slowest(one.records)
        if len(slowest) > MOST_ROWS:
            run.note(f"Of {len(slowest)} operations of one size, the slowest of each stretch is here.")
        run.rows += [_row(record, one.size_bytes * parts) for record in _thinned(slowest)]
    for sentence in shared:
        run.note(sentence)
    return run


def _is_part(series: Series) -> bool:
    """Return whether the size is one rank's part: algbw counts all parts of AllGather and ReduceScatter."""
    told = next((one for one in series.records if not one.is_contradictory and one.time_us > 0), None)
    return told is not None and told.algbw * told.time_us * 1e3 > series.size_bytes * (1 + series.ranks) / 2


def _slowest(records: Iterable[Record]) -> list[Record]:
    """Return the slowest rank's record of each operation, in their order; one that contradicts itself counts last."""
    slowest: dict[int, Record] = {}
    for one in records:
        other = slowest.get(one.number)
        if other is None or (one.is_contradictory, one.busbw) < (other.is_contradictory, other.busbw):
            slowest[one.number] = one
    return [slowest[number] for number in sorted(slowest)]


def _thinned(records: Sequence[Record]) -> list[Record]:
    length = -(-len(records) // MOST_ROWS)
    if length <= 1:
        return list(records)
    stretches = [records[begin : begin + length] for begin in range(0, len(records), length)]
    return [min(stretch, key=lambda one: (one.is_contradictory, one.busbw)) for stretch in stretches]


def _row(record: Record, size_bytes: int) -> Row:
    time = Cell(record.time_us, _TIME_HALF_US)
    return Row(record.line, size_bytes, False, time_us=time, algbw=_rate(record.algbw), busbw=_rate(record.busbw))


def _rate(value: float) -> Cell:
    return Cell(value, _RATE_HALF)


def _moved(series: Series) -> int:
    return series.size_bytes * len(series.records)

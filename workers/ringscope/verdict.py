"""One sentence that compares the algorithms of a sweep. Pure."""

from collections.abc import Sequence
from math import log2

from ringscope.record import Measurement
from ringscope.units import format_size

VENDOR_NAMES = {"mpi": "MPI_Allreduce"}
REFERENCE_BYTES = 1 << 20


def verdict(rows: Sequence[Measurement]) -> str:
    """Which algorithm wins and by how much, out of place, at the measured size nearest to 1 MiB.

    Two choices keep it honest: the size is fixed beforehand, since the one with the largest ratio would flatter; and
    medians are compared, since one preemption among twenty short iterations can multiply a mean. Empty without rows.
    """
    wrong = sum(row.wrong or 0 for row in rows)
    if wrong:
        return f"Wrong results: {wrong} elements differ from the exact answer."
    size_bytes = _reference_size(rows)
    fastest_first = sorted(
        (row for row in rows if row.size_bytes == size_bytes and not row.in_place), key=lambda row: row.p50_us
    )
    if not fastest_first:
        return ""
    winner, *rest = fastest_first
    at = f"at {format_size(size_bytes)}"
    if not rest:
        return f"{_name(winner)} reaches {winner.busbw_gb_per_s:.3g} GB/s bus bandwidth {at}"
    rival = next((row for row in rest if row.algorithm in VENDOR_NAMES), rest[0])
    return f"{_name(winner)} is {rival.p50_us / winner.p50_us:.1f}x {_name(rival)} {at} (median iteration)"


def _reference_size(rows: Sequence[Measurement]) -> int:
    sizes = {row.size_bytes for row in rows if row.size_bytes > 0}
    return min(sizes, key=lambda size: abs(log2(size / REFERENCE_BYTES)), default=0)


def _name(row: Measurement) -> str:
    return VENDOR_NAMES.get(row.algorithm, row.algorithm)

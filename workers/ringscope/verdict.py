"""One sentence that compares the algorithms of a sweep. Pure."""

from collections.abc import Sequence
from math import log2

from ringscope.algorithms import VENDORS
from ringscope.record import Measurement
from ringscope.spec import SIMULATED
from ringscope.units import format_size

VENDOR_NAMES = {
    "all_reduce": "MPI_Allreduce",
    "reduce_scatter": "MPI_Reduce_scatter",
    "all_gather": "MPI_Allgatherv",
    "broadcast": "MPI_Bcast",
    "reduce": "MPI_Reduce",
    "alltoall": "MPI_Alltoall",
    "sendrecv": "MPI_Sendrecv",
}
REFERENCE_BYTES = 1 << 20


def verdict(rows: Sequence[Measurement], collective: str = "all_reduce") -> str:
    """Which algorithm wins and by how much, out of place, at the measured size nearest to 1 MiB.

    Two choices keep it honest: the size is fixed beforehand, since the one with the largest ratio would flatter; and
    medians are compared, since one preemption among twenty short iterations can multiply a mean. Empty without rows.
    """
    wrong = sum(row.wrong or 0 for row in rows)
    if wrong:
        return f"Wrong results: {wrong} elements differ from the exact answer."
    size_bytes = _reference_size(rows)
    by_algorithm: dict[str, list[Measurement]] = {}
    for row in rows:
        if row.size_bytes == size_bytes and not row.in_place:
            by_algorithm.setdefault(row.algorithm, []).append(row)
    fastest_first = sorted(map(_middle, by_algorithm.values()), key=lambda row: row.p50_us)
    if not fastest_first:
        return ""
    winner, *rest = fastest_first
    at = f"at {format_size(size_bytes)}"
    if not rest:
        simulated = f" ({SIMULATED})" if winner.transport == SIMULATED else ""
        return f"{_name(winner, collective)} reaches {winner.busbw_gb_per_s:.3g} GB/s bus bandwidth {at}{simulated}"
    rival = next((row for row in rest if row.algorithm in VENDORS), rest[0])
    ratio = rival.p50_us / winner.p50_us
    basis = SIMULATED if winner.transport == SIMULATED else "median iteration"
    return f"{_name(winner, collective)} is {ratio:.1f}x {_name(rival, collective)} {at} ({basis})"


def _middle(cycles: list[Measurement]) -> Measurement:
    """Of several cycles the one in the middle."""
    return sorted(cycles, key=lambda row: row.p50_us)[len(cycles) // 2]


def _reference_size(rows: Sequence[Measurement]) -> int:
    sizes = {row.size_bytes for row in rows if row.size_bytes > 0}
    return min(sizes, key=lambda size: abs(log2(size / REFERENCE_BYTES)), default=0)


def _name(row: Measurement, collective: str) -> str:
    return VENDOR_NAMES[collective] if row.algorithm == "mpi" else row.algorithm

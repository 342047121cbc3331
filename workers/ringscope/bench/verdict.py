"""The algorithms of a sweep compared in a sentence, and in a second one what the fastest does less of. Pure."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log2
from typing import NamedTuple, Protocol

from ringscope.contracts.collectives import SCHEDULED, VENDORS, total_elements
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.record import Measurement
from ringscope.contracts.units import format_size, plural
from ringscope.schedules.algorithms import build

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
# Counting the N² messages of a ring takes a tenth of a second for this many.
MOST_COUNTED_RANKS = 128


class Contender(Protocol):
    """What the comparison reads of a row; ``record.Measurement`` has it."""

    @property
    def collective(self) -> str:
        """What the sweep measures."""

    @property
    def algorithm(self) -> str:
        """As the job names it."""

    @property
    def transport(self) -> str:
        """Or ``simulated``."""

    @property
    def size_bytes(self) -> int:
        """Size of the message, as nccl-tests counts it."""

    @property
    def count(self) -> int:
        """Elements, as nccl-tests counts them."""

    @property
    def ranks(self) -> int:
        """Ranks that took part."""

    @property
    def busbw_gb_per_s(self) -> float:
        """Bus bandwidth in 1e9 bytes per second."""

    @property
    def p50_us(self) -> float:
        """The median iteration."""


def verdict(rows: Sequence[Measurement], collective: str = "all_reduce") -> str:
    """Which algorithm wins and by how much, out of place, at the measured size nearest to 1 MiB.

    Two choices keep it honest: the size is fixed beforehand, since the one with the largest ratio would flatter; and
    medians are compared, since one preemption among twenty short iterations can multiply a mean. Empty without rows.
    """
    return verdict_of(_contenders(rows), _wrong(rows), collective)


def verdict_of(contenders: Iterable[Contender], wrong: int, collective: str) -> str:
    """The same where somebody else has kept one row of each algorithm, and counted the wrong elements.

    Each is out of place at the ``reference_bytes``, of several cycles the one in the middle; the algorithms stand in
    the order in which they came there.
    """
    if wrong:
        return f"Wrong results: {wrong} elements differ from the exact answer."
    fastest_first = _fastest_first(contenders)
    if not fastest_first:
        return ""
    winner, *rest = fastest_first
    at = f"at {format_size(winner.size_bytes)}"
    if not rest:
        simulated = f" ({SIMULATED})" if winner.transport == SIMULATED else ""
        return f"{_name(winner, collective)} reaches {winner.busbw_gb_per_s:.3g} GB/s bus bandwidth {at}{simulated}"
    rival = next((row for row in rest if row.algorithm in VENDORS), rest[0])
    ratio = rival.p50_us / winner.p50_us
    basis = SIMULATED if winner.transport == SIMULATED else "median iteration"
    return f"{_name(winner, collective)} is {ratio:.1f}x {_name(rival, collective)} {at} ({basis})"


def explanation(rows: Sequence[Measurement], collective: str = "all_reduce") -> str:
    """What the winner sends, and over how many hops, beside the next of our algorithms: counted in the schedules.

    It says what differs, not that this made the difference. Empty without two algorithms, with wrong elements, with
    more ranks than are counted, and for ``hierarchical``, whose schedule depends on the nodes.
    """
    return explanation_of(_contenders(rows), _wrong(rows), collective)


def explanation_of(contenders: Iterable[Contender], wrong: int, collective: str) -> str:
    """The same of what ``verdict_of`` takes."""
    fastest_first = _fastest_first(contenders)
    if len(fastest_first) < 2 or wrong:
        return ""
    winner, *rest = fastest_first
    ours = SCHEDULED[collective]
    rival = next((row for row in rest if row.algorithm in ours), rest[0])
    library = next((row for row in (winner, rival) if row.algorithm not in ours), None)
    unknown = f"what {_name(library, collective)} does inside is the library's choice." if library else ""
    if library is winner:
        return f"W{unknown[1:]}"
    if winner.ranks > MOST_COUNTED_RANKS or "hierarchical" in (winner.algorithm, rival.algorithm):
        return ""
    mine = _effort(winner.algorithm, winner.ranks, _elements(winner), collective)
    sends = f"{winner.algorithm} sends at most {_bytes(mine, winner)} from a rank, over {_hops(mine)}"
    if library:
        return f"{sends}; {unknown}"
    theirs = _effort(rival.algorithm, rival.ranks, _elements(rival), collective)
    if mine == theirs:
        return f"{sends}, and so does {rival.algorithm}: these counts do not tell them apart."
    much = "as much" if mine.elements == theirs.elements else _bytes(theirs, rival)
    counts = f"{sends}; {rival.algorithm} {much}, over {_hops(theirs)}."
    if theirs.elements <= mine.elements and theirs.hops <= mine.hops:
        counts += f" That speaks for {rival.algorithm}: look at the spread of the times."
    return counts


def reference_bytes(sizes_bytes: Iterable[int]) -> int:
    """The size at which algorithms are compared: the one nearest to 1 MiB, of two the smaller; 0 for none."""
    sizes = (size for size in sizes_bytes if size > 0)
    return min(sizes, key=lambda size: (abs(log2(size / REFERENCE_BYTES)), size), default=0)


class _Effort(NamedTuple):
    """Elements that the busiest rank sends, and the longest way of a piece: hops that wait for the one before."""

    elements: int
    hops: int


@lru_cache(maxsize=256)
def _effort(algorithm: str, ranks: int, count: int, collective: str) -> _Effort:
    schedule = build(algorithm, ranks, count, collective=collective)
    return _Effort(max(schedule.elements_sent()), schedule.hops())


def _bytes(effort: _Effort, row: Contender) -> str:
    return format_size(effort.elements * row.size_bytes // _elements(row))


def _elements(row: Contender) -> int:
    return total_elements(row.collective, row.count, row.ranks)


def _hops(effort: _Effort) -> str:
    return plural(effort.hops, "hop")


def _wrong(rows: Sequence[Measurement]) -> int:
    return sum(row.wrong or 0 for row in rows)


def _contenders(rows: Sequence[Measurement]) -> list[Measurement]:
    """One row of each algorithm: out of place, at the size that is compared."""
    size_bytes = reference_bytes({row.size_bytes for row in rows})
    by_algorithm: dict[str, list[Measurement]] = {}
    for row in rows:
        if row.size_bytes == size_bytes and not row.in_place:
            by_algorithm.setdefault(row.algorithm, []).append(row)
    return [_middle(cycles) for cycles in by_algorithm.values()]


def _middle(cycles: list[Measurement]) -> Measurement:
    """Of several cycles the one in the middle."""
    return sorted(cycles, key=lambda row: row.p50_us)[len(cycles) // 2]


def _fastest_first(contenders: Iterable[Contender]) -> list[Contender]:
    return sorted(contenders, key=lambda row: row.p50_us)


def _name(row: Contender, collective: str) -> str:
    return VENDOR_NAMES[collective] if row.algorithm == "mpi" else row.algorithm

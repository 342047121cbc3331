"""The verdict about the dumps of all ranks: the earliest operation that does not fit together, and whose fault it is.

Pure. Every kind of finding is in ``KINDS``; at most one finding is told for each group, the cause first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from ringscope.hangs.matching import Aligned, Shared, aligned, difference
from ringscope.hangs.model import Dump, Operation
from ringscope.hangs.pairs import Unmatched, unmatched

KINDS = ("missing", "order", "size", "type", "slow", "torn_down", "no_dump", "stuck")
SLOW_S = 1.0  # pauses of a busy machine are shorter
_SLOW_RATIO = 10  # times the median distance between the last two ranks
_FEWEST_ROWS = 4
_NEED_ALL = (
    "all_reduce",
    "allreduce",
    "all_gather",
    "_allgather",
    "reduce_scatter",
    "_reduce_scatter",
    "all_to_all",
    "barrier",
)


@dataclass(frozen=True)
class Finding:
    """One group's finding: ``ranks`` are to blame, ``waiting`` wait for them in the operation ``seq``.

    ``expected`` is the operation as the waiting ranks issued it; ``found`` what a rank to blame issued instead, or the
    last one that it issued.
    """

    kind: str
    group: Shared
    seq: int
    ranks: tuple[int, ...]
    waiting: tuple[int, ...]
    expected: Operation | None
    found: Operation | None
    late_s: float | None = None
    blocked_in: str | None = None
    gone: tuple[int, ...] = ()


@dataclass
class Verdict:
    """The findings, the cause first, and what was compared."""

    findings: list[Finding] = field(default_factory=list)
    pairs: list[Unmatched] = field(default_factory=list)
    compared: int = 0
    ranks: tuple[int, ...] = ()
    without_dump: tuple[int, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Return whether all operations that can be compared fit together and have ended."""
        return not self.findings and not self.pairs


def explain(dumps: Sequence[Dump]) -> Verdict:
    """Return what keeps the ranks waiting; the dumps are of different ranks and none is empty."""
    groups = aligned(dumps)
    known = {dump.rank: dump for dump in dumps}
    findings = [found for one in groups if (found := _finding(one, known)) is not None]
    everyone = {rank for one in groups for rank in one.group.members}
    verdict = Verdict(
        pairs=unmatched(dumps),
        compared=sum(1 for one in groups for _ in one.rows()),
        ranks=tuple(sorted(known)),
        without_dump=tuple(sorted(everyone - known.keys())),
    )
    verdict.findings = _by_cause(findings)
    if not verdict.findings and not verdict.pairs:
        verdict.findings = [late for one in groups if (late := _slow(one)) is not None][:1]
    return verdict


def _finding(one: Aligned, known: Mapping[int, Dump]) -> Finding | None:
    """Return what is wrong in the earliest operation that has not ended, or that ranks called differently."""
    for seq, row in one.rows():
        differs = difference(row) if len(row) > 1 else None
        pending = tuple(sorted(rank for rank, operation in row.items() if not operation.is_complete))
        absent = tuple(rank for rank in one.ranks if rank not in row and (one.last(rank) or -1) < seq)
        if differs:  # also where all have ended: the sums are then wrong
            return _differing(one, seq, row, differs.kind, differs.odd)
        if absent:
            return _missing(one, seq, row, absent, known)
        if pending:
            gone = tuple(rank for rank in one.group.members if rank not in known)
            kind = "no_dump" if gone else "stuck"
            return Finding(kind, one.group, seq, gone or pending, pending, row[pending[0]], None)
    return None


def _differing(one: Aligned, seq: int, row: Mapping[int, Operation], kind: str, odd: tuple[int, ...]) -> Finding:
    usual = [rank for rank in sorted(row) if rank not in odd] or [min(row)]
    blamed = odd if len(odd) < len(row) else tuple(rank for rank in odd if rank != usual[0])
    return Finding(kind, one.group, seq, blamed, tuple(usual), row[usual[0]], row[blamed[0]])


def _missing(
    one: Aligned, seq: int, row: Mapping[int, Operation], absent: tuple[int, ...], known: Mapping[int, Dump]
) -> Finding:
    last = one.last(absent[0])
    found = one.by_seq[last][absent[0]] if last is not None else None
    gone = tuple(rank for rank in one.group.members if rank not in known)
    waiting = tuple(sorted(row))
    blocked = _blocked(known[absent[0]], one)
    kind = "torn_down" if not gone and not blocked and _is_aborted(row) else "missing"
    return Finding(kind, one.group, seq, absent, waiting, row[waiting[0]], found, None, blocked, gone)


def _is_aborted(row: Mapping[int, Operation]) -> bool:
    """Return whether an operation that needs all ranks has ended on some: only a closed connection ends it."""
    return any(one.name.startswith(_NEED_ALL) and (one.is_complete or one.retired) for one in row.values())


def _blocked(dump: Dump, one: Aligned) -> str | None:
    """Return the name of the other group in which a missing rank itself waits."""
    for operation in reversed(dump.operations):
        if not operation.is_complete and operation.group != one.group.name:
            return operation.group
    return None


def _by_cause(findings: Sequence[Finding]) -> list[Finding]:
    """Put different calls first, then ranks that wait nowhere; what waits in another finding's group comes last."""
    found = {finding.group.name for finding in findings}
    order = {"order": 0, "size": 0, "type": 0, "torn_down": 1, "missing": 1, "no_dump": 2, "stuck": 3}
    return sorted(findings, key=lambda one: (one.blocked_in in found, order[one.kind], -len(one.waiting)))


def _slow(one: Aligned) -> Finding | None:
    """Return the operation to which one rank came much later than all others; the clocks' offsets are taken out."""
    rows = [(seq, row) for seq, row in one.rows() if len(row) == len(one.ranks) > 1 and seq > 1]
    times = [(seq, row, {rank: op.created_ns for rank, op in row.items() if op.created_ns}) for seq, row in rows]
    times = [(seq, row, created) for seq, row, created in times if len(created) == len(one.ranks)]
    if len(times) < _FEWEST_ROWS:
        return None
    offsets = {rank: median(created[rank] - median(created.values()) for _, _, created in times) for rank in one.ranks}
    gaps = []
    for seq, row, created in times:
        arrived = sorted((at - offsets[rank], rank) for rank, at in created.items())
        gaps.append((arrived[-1][0] - arrived[-2][0], seq, arrived[-1][1], row))
    late_ns, seq, rank, row = max(gaps, key=lambda gap: gap[0])
    if late_ns < SLOW_S * 1e9 or late_ns < _SLOW_RATIO * median(gap[0] for gap in gaps):
        return None
    others = tuple(other for other in one.ranks if other != rank)
    return Finding("slow", one.group, seq, (rank,), others, row[others[0]], row[rank], late_ns / 1e9)

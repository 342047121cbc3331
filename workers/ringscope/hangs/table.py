"""The last operations of a group by rank: which have ended, which wait, and which a rank has not issued. Pure."""

from collections.abc import Sequence
from typing import Any

from ringscope.hangs.matching import Aligned, aligned
from ringscope.hangs.model import Dump, Operation
from ringscope.hangs.sentences import dtype_words, size_words
from ringscope.hangs.verdict import Finding, Verdict

STATES = ("ended", "waits", "missing", "differs", "late", "not_issued", "overwritten", "no_dump")
_BEFORE = 3  # operations before that of the finding
_MARKS = {"order": "differs", "size": "differs", "type": "differs", "slow": "late"}
Cell = tuple[str, str | None]


def table(dumps: Sequence[Dump], verdict: Verdict) -> dict[str, Any] | None:
    """Return the operations around the first finding, or the last ones, by rank; None if no group has collectives.

    Ranks with the same states share a row; those of the finding come first.
    """
    finding = verdict.findings[0] if verdict.findings else None
    one = _group(aligned(dumps), finding)
    if one is None or (finding is None and verdict.pairs):
        return None
    sequences = [seq for seq, _ in one.rows()]
    place = sequences.index(finding.seq) if finding and finding.seq in sequences else len(sequences) - 1
    shown = sequences[max(place - _BEFORE, 0) : place + 2]
    ranks: dict[tuple[Cell, ...], list[int]] = {}
    for rank in one.group.members or one.ranks:
        ranks.setdefault(tuple(_cell(one, rank, seq, finding) for seq in shown), []).append(rank)
    blamed = finding.ranks if finding else ()
    rows = sorted(ranks.items(), key=lambda row: (not any(rank in blamed for rank in row[1]), row[1][0]))
    return {
        "group": one.group.name,
        "group_description": one.group.description,
        "columns": [_column(one, seq, finding) for seq in shown],
        "rows": [
            {"ranks": members, "cells": [{"state": state, "detail": detail} for state, detail in cells]}
            for cells, members in rows
        ],
    }


def _group(groups: list[Aligned], finding: Finding | None) -> Aligned | None:
    if finding is None:
        return next((one for one in groups if any(True for _ in one.rows())), None)
    return next((one for one in groups if one.group == finding.group), None)


def _column(one: Aligned, seq: int, finding: Finding | None) -> dict[str, Any]:
    row = one.by_seq[seq]
    usual = next((row[rank] for rank in sorted(row) if not finding or rank not in finding.ranks), row[min(row)])
    return {
        "sequence": seq,
        "name": usual.name,
        "source": str(usual.source) if usual.source else None,
        "is_finding": finding is not None and finding.seq == seq,
    }


def _cell(one: Aligned, rank: int, seq: int, finding: Finding | None) -> Cell:
    if rank not in one.ranks:
        return "no_dump", None
    is_blamed = finding is not None and finding.seq == seq and rank in finding.ranks
    operation = one.by_seq[seq].get(rank)
    if operation is None:
        if seq < min(one.seqs[rank], default=seq):
            return "overwritten", None
        return ("missing" if is_blamed else "not_issued"), None
    if finding and is_blamed and finding.kind in _MARKS:
        return _MARKS[finding.kind], _detail(finding, operation)
    return ("ended" if operation.is_complete else "waits"), None


def _detail(finding: Finding, operation: Operation) -> str | None:
    if finding.kind == "order":
        return f"{operation.name}{f' at {operation.source}' if operation.source else ''}"
    if finding.kind == "slow":
        return f"{finding.late_s or 0:.1f} s late"
    return size_words(operation) if finding.kind == "size" else dtype_words(operation)

"""The verdict as JSON. Pure."""

from typing import Any

from ringscope.hangs.model import Operation
from ringscope.hangs.pairs import Unmatched
from ringscope.hangs.sentences import answer, pair_sentence, sentence
from ringscope.hangs.verdict import Finding, Verdict


def document(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict with its sentences."""
    return {
        "answer": answer(verdict),
        "ranks": list(verdict.ranks),
        "without_dump": list(verdict.without_dump),
        "operations_compared": verdict.compared,
        "findings": [_finding(one) for one in verdict.findings],
        "pairs": [_pair(one) for one in verdict.pairs],
    }


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "sentence": sentence(one),
        "group": one.group.name,
        "group_description": one.group.description,
        "group_ranks": list(one.group.members),
        "sequence": one.seq,
        "ranks": list(one.ranks),
        "waiting_ranks": list(one.waiting),
        "expected": _operation(one.expected),
        "found": _operation(one.found),
        "late_s": one.late_s,
    }


def _pair(one: Unmatched) -> dict[str, Any]:
    return {
        "sentence": pair_sentence(one),
        "rank": one.rank,
        "peer": one.peer,
        "operation": _operation(one.operation),
        "other": _operation(one.other),
    }


def _operation(one: Operation | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "name": one.name,
        "state": one.state,
        "input_sizes": [list(shape) for shape in one.input_sizes],
        "output_sizes": [list(shape) for shape in one.output_sizes],
        "input_dtypes": list(one.input_dtypes),
        "output_dtypes": list(one.output_dtypes),
        "source": None if one.source is None else str(one.source),
        "frames": [{"path": frame.path, "line": frame.line, "function": frame.function} for frame in one.frames],
    }

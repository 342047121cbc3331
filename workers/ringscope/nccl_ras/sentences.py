"""A RAS report in sentences, and as JSON: the ranks that do not answer first, then those that are behind. Pure."""

from dataclasses import dataclass
from typing import Any

from ringscope.contracts.words.units import plural
from ringscope.nccl_ras.model import Communicator, Report

_MOST = 8


@dataclass(frozen=True)
class Remark:
    """A remark; ``ranks`` are the minority that it names.

    ``kind`` is missing, failed, timeouts, or of ranks that are behind: hanging or progressing with an earlier report,
    else behind.
    """

    kind: str
    communicator: str
    ranks: tuple[int, ...]
    sentence: str


def remarks(report: Report, earlier: Report | None = None) -> list[Remark]:
    """Return what is wrong, ranks that do not answer first; with an earlier report also whether counts have risen."""
    before = {one.name: one.counts for one in earlier.communicators} if earlier else {}
    found = [_missing(one) for one in report.communicators if one.missing]
    found += [Remark("failed", one.name, (), f"{text}.") for one in report.communicators for text in one.failed[:_MOST]]
    found += [remark for one in report.communicators for remark in _behind(one, before.get(one.name))]
    if report.timeouts:
        text = f"RAS itself had {plural(report.timeouts, 'timeout')} while it collected, so its answer was late."
        found.append(Remark("timeouts", "", (), text))
    return found


def answer(report: Report, earlier: Report | None = None) -> str:
    """Return the most important sentence."""
    told = remarks(report, earlier)
    if told:
        return told[0].sentence[0].upper() + told[0].sentence[1:]
    return "No finding: the report names no rank that does not answer, has failed or is behind."


def document(report: Report, earlier: Report | None = None) -> dict[str, Any]:
    """Return the report as JSON."""
    return {
        "answer": answer(report, earlier),
        "nccl_version": report.version,
        "is_repaired": report.is_repaired,
        "timeouts": report.timeouts,
        "remarks": [
            {"kind": one.kind, "communicator": one.communicator, "ranks": list(one.ranks), "sentence": one.sentence}
            for one in remarks(report, earlier)
        ],
        "communicators": [
            {
                "name": one.name,
                "ranks": one.size,
                "missing_ranks": [place.rank for place in one.missing],
                "dead_ranks": None if one.dead is None else sorted(one.dead),
                "counts": {kind: {str(n): ranks for n, ranks in sorted(of.items())} for kind, of in one.counts.items()},
            }
            for one in report.communicators
        ],
    }


def _missing(one: Communicator) -> Remark:
    ranks = tuple(place.rank for place in one.missing)
    is_one = len(ranks) == 1
    state = ""
    if one.dead is not None:
        dead = "it is" if is_one else f"{len(one.dead)} of them are"
        state = f"; {dead} considered dead" if one.dead else f"; {'it is' if is_one else 'they are'} not declared dead"
    who = str(one.missing[0]) if is_one else _ranks(ranks)
    text = f"{who} of {_name(one)} {'does' if is_one else 'do'} not answer{state}."
    return Remark("missing", one.name, ranks, text[0].upper() + text[1:])


def _behind(one: Communicator, before: dict[str, dict[int, int]] | None) -> list[Remark]:
    """Return for each kind of operation the minority of ranks whose count is not that of most."""
    found = []
    for kind, counts in one.counts.items():
        if len(counts) < 2:
            continue
        most = max(counts, key=lambda count: (counts[count], count))
        for count in sorted(counts):
            if count == most:
                continue
            listed = one.ranks_of.get((kind, count), [])
            ranks = tuple(sorted(listed)) if len(listed) == counts[count] else ()
            who = _ranks(ranks) if ranks else plural(counts[count], "rank")
            word = "behind" if count < most else "ahead of"
            be = "is" if counts[count] == 1 else "are"
            operation = plural(abs(most - count), f"{kind} operation" if kind else "operation")
            text = f"{who} of {_name(one)} {be} {operation} {word} the other {counts[most]} ({count} to {most})"
            state, why = _progress(counts, (before or {}).get(kind))
            found.append(Remark(state, one.name, ranks, f"{text}; {why}."))
    return found


def _progress(counts: dict[int, int], before: dict[int, int] | None) -> tuple[str, str]:
    """Return whether an operation hangs by its counts in an earlier report, and the end of the sentence about it."""
    if not before:
        return "behind", "they hang only if a second report has the same counts"
    if counts == before:
        return "hanging", "the counts are those of the earlier report, so they hang"
    return "progressing", "the counts have changed since the earlier report, so they do not hang"


def _name(one: Communicator) -> str:
    return f"communicator {one.name}" + (f" ({plural(one.size, 'rank')})" if one.size else "")


def _ranks(ranks: tuple[int, ...]) -> str:
    if len(ranks) == 1:
        return f"Rank {ranks[0]}"
    shown = [str(rank) for rank in ranks[:_MOST]]
    rest = len(ranks) - len(shown)
    tail = f" and {plural(rest, 'other')}" if rest else ""
    return f"Ranks {', '.join(shown)}{tail}" if rest else f"Ranks {', '.join(shown[:-1])} and {shown[-1]}"

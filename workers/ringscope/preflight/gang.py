"""The node for which a gang does not start, by the pairs that its ranks measured before the program. Pure."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from ringscope.contracts.diagnosis.record import BlamedPart, DiagnosisVerdict, PairEvidence, PairMeasured, WayRate

_MARGIN = 0.1  # what reaches 90 % of the others is no fault, as in a diagnosis


class Unfit(NamedTuple):
    """A node that the next attempt leaves out, and the sentence with its number."""

    node: str
    sentence: str


def unfit_node(verdict: DiagnosisVerdict | None, pairs: Sequence[PairMeasured], nodes: Sequence[str]) -> Unfit | None:
    """Return the node to leave out; None if no node is slow by interval.

    ``nodes`` are the names by the ranks of ``pairs``. A slow node comes before a slow link, of which the second end is
    left out, as either of them avoids it. Of pairs that hung and explain nothing else, the second end is left out too,
    because the program would hang there. Boundaries between racks are no node's fault. What only varies, as a lossy
    link does, is not slow as long as its interval reaches what the others do.
    """
    typical = _typical_rate(pairs)
    blamed = [each for each in (verdict.blamed if verdict is not None else []) if not _only_varies(each, typical)]
    for kind in ("node", "link"):
        found = [each for each in blamed if each.kind == kind]
        if found:
            worst = min(found, key=_least_rate)
            more = f" So are {_listed(_others(found, worst))}." if len(found) > 1 else ""
            return Unfit(worst.names[-1], f"{worst.sentence} {_evidence(worst)}".rstrip() + more)
    for pair in pairs:
        if pair.ending != "measured":
            first, second = nodes[pair.first], nodes[pair.second]
            return Unfit(second, f"A message between {first} and {second} did not arrive.")
    return None


def _typical_rate(pairs: Sequence[PairMeasured]) -> float:
    """Return the median over the nodes of the best lower end of each, in bytes per second; 0 if nothing was measured.

    Short messages that leave a queue together seem faster than their link, so the upper ends tell less.
    """
    best: dict[int, float] = {}
    for pair in pairs:
        rates = [rate.low for rate in (pair.there, pair.back) if rate is not None]
        for node in (pair.first, pair.second):
            best[node] = max(best.get(node, 0.0), *rates, 0.0)
    return median(best.values()) if best else 0.0


def _only_varies(blamed: BlamedPart, typical: float) -> bool:
    if blamed.manner != "lossy":
        return False
    highest = [rate.high for one in blamed.evidence for rate in (one.there, one.back) if rate is not None]
    return min(highest, default=0.0) >= (1 - _MARGIN) * typical


def _least_rate(blamed: BlamedPart) -> float:
    """Return the lowest rate of the evidence in bytes per second; 0 for what hung."""
    rates = [rate.low for one in blamed.evidence for rate in (one.there, one.back) if rate is not None]
    return min(rates, default=0.0)


def _others(found: Sequence[BlamedPart], worst: BlamedPart) -> list[str]:
    return [" and ".join(one.names) for one in found if one is not worst]


def _evidence(blamed: BlamedPart) -> str:
    """Return the slowest direction with its interval."""
    ways: list[tuple[WayRate, str]] = []
    for one in blamed.evidence:
        ways += _ways(one)
    if not ways:
        return ""
    rate, way = min(ways, key=lambda each: each[0].low)
    return f"{way}: {rate.low / 1e6:.4g} to {rate.high / 1e6:.4g} MB/s."


def _ways(one: PairEvidence) -> list[tuple[WayRate, str]]:
    first, second = one.nodes
    named = ((one.there, f"{first} to {second}"), (one.back, f"{second} to {first}"))
    return [(rate, way) for rate, way in named if rate is not None]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

"""A verdict as the record that rank 0 sends. Pure."""

from ringscope.contracts.diagnosis.record import BlamedPart, DiagnosisVerdict, PairEvidence, WayRate
from ringscope.diagnosis.answers import Answer, Rate
from ringscope.diagnosis.verdict import Blamed, Verdict


def verdict_record(verdict: Verdict) -> DiagnosisVerdict:
    """Return the record of a verdict."""
    return DiagnosisVerdict(
        decided=verdict.decided,
        rounds=verdict.rounds,
        blamed=[_blamed(each) for each in verdict.blamed],
        cleared=list(verdict.cleared),
        sentences=list(verdict.sentences),
        undecided=list(verdict.undecided),
    )


def way_rate(rate: Rate, messages: int = 0) -> WayRate:
    """Return the record of a rate."""
    return WayRate(low=rate.low, high=rate.high, spread=rate.spread, messages=messages)


def _blamed(blamed: Blamed) -> BlamedPart:
    return BlamedPart(
        kind=blamed.kind.value,
        names=list(blamed.names),
        rail=blamed.rail,
        manner=blamed.manner.value,
        confidence=blamed.confidence,
        sentence=blamed.sentence,
        evidence=[_evidence(answer) for answer in blamed.evidence],
    )


def _evidence(answer: Answer) -> PairEvidence:
    return PairEvidence(
        nodes=list(answer.pair),
        rail=answer.rail,
        ending=answer.ending.value,
        there=way_rate(answer.there) if answer.there else None,
        back=way_rate(answer.back) if answer.back else None,
    )

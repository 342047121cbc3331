"""The verdict of a diagnosis: in words with its evidence, and as JSON."""

from collections.abc import Sequence
from typing import Any

from ringscope.cli.console import say, stdout_console
from ringscope.cli.formatting import table
from ringscope.cli.progress import describe
from ringscope.client import Diagnosis, Job, Node
from ringscope.client.views.diagnoses import Blamed, PairEvidence, WayRate
from ringscope.contracts.diagnosis.record import with_rail

_HEADINGS = ("NODES", "THERE MB/S", "BACK MB/S", "ENDED")


def print_verdict(job: Job, found: Diagnosis, lost: Sequence[Node]) -> None:
    """Print the verdict, then the evidence, the nodes that are cleared, and what is open."""
    for node in lost:
        say(lost_sentence(node))
    if found.decided is None:
        say(describe(job))
    elif found.blamed or not lost:
        say(found.sentence)
    for blamed in found.blamed:
        if blamed.evidence:
            say()
            say(f"Evidence against {' and '.join(labels(blamed))}, with a confidence of {_sure(blamed.confidence)}:")
            stdout_console().print(table(_HEADINGS, map(_row, blamed.evidence)))
    for sentence in (*found.sentences, *found.undecided):
        if sentence not in found.sentence:
            say(sentence)


def as_document(job: Job, found: Diagnosis, lost: Sequence[Node]) -> dict[str, Any]:
    """Return the verdict as JSON has it; ``lost`` nodes were left out, and are blamed for their silence."""
    gone = [
        {"kind": "node", "names": [node.name], "confidence": 1.0, "evidence": [lost_sentence(node)]} for node in lost
    ]
    blamed = [
        {
            "kind": each.kind,
            "names": each.names,
            **({} if each.rail is None else {"rail": each.rail}),
            "confidence": each.confidence,
            "evidence": [_told(one) for one in each.evidence] or [each.sentence],
        }
        for each in found.blamed
    ]
    return {
        "job": job.id,
        "decided": bool(found.decided),
        "rounds": found.rounds,
        "blamed": gone + blamed,
        "cleared": found.cleared,
    }


def labels(blamed: Blamed) -> list[str]:
    """Return the names of what is blamed, with the rail if only this rail is."""
    return [with_rail(name, blamed.rail) for name in blamed.names]


def lost_sentence(node: Node) -> str:
    """Return the sentence that blames a lost node."""
    reason = node.observed_reason or "its agent has stopped sending heartbeats"
    return f"{node.name} is lost: {reason}".rstrip(".") + "."


def _sure(confidence: float) -> str:
    return f"{confidence:.0%}" if confidence < 0.99 else "more than 99%"


def _row(one: PairEvidence) -> tuple[object, ...]:
    first, second = (with_rail(node, one.rail) for node in one.nodes)
    return f"{first} {second}", _interval(one.there), _interval(one.back), one.ending


def _interval(rate: WayRate | None) -> str | None:
    return None if rate is None else f"{rate.low / 1e6:.4g} to {rate.high / 1e6:.4g}"


def _told(one: PairEvidence) -> str:
    """Return a measurement in a sentence."""
    first, second = (with_rail(node, one.rail) for node in one.nodes)
    if one.there is None or one.back is None:
        return f"{first} and {second}: {one.ending}."
    return f"{first} to {second} {_interval(one.there)} MB/s, {second} to {first} {_interval(one.back)} MB/s."

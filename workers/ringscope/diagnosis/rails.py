"""The verdict on nodes whose rails were diagnosed one by one. Pure.

A rail is measured as if its ends were nodes, named "h5 rail 2". What is bad on all rails of a node is the fault of the
node; what is bad on some of them is the fault of these rails.
"""

from collections.abc import Sequence
from dataclasses import replace

from ringscope.contracts.diagnosis.record import with_rail
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.trials import MARGIN, trials_of
from ringscope.diagnosis.verdict import Blamed, Kind, Verdict

_NOTHING = "Nothing is wrong"


def merged(ends: Sequence[tuple[Belief, Verdict]]) -> Verdict:
    """Return the verdict on all rails; each has its belief and its verdict, and they are numbered from 0.

    Of rails that differ on most nodes nobody is blamed, as they may be built so; a sentence names them.
    """
    blamed = _blamed([verdict for _, verdict in ends])
    told = [[each.sentence for each in verdict.blamed] for _, verdict in ends]
    slower = _slower_rails([trials_of(belief).reference for belief, _ in ends])
    sentences = [each.sentence for each in blamed] + slower
    for rail, (_, verdict) in enumerate(ends):
        more = (one for one in verdict.sentences if one not in told[rail] and not one.startswith(_NOTHING))
        sentences += [_of_rail(one, rail) for one in more]
    undecided = [_of_rail(one, rail) for rail, (_, verdict) in enumerate(ends) for one in verdict.undecided]
    if not blamed and not undecided and not slower:
        nodes = len(ends[0][0].nodes)
        reached = f"all {nodes} nodes reach what most of them reach"
        sentences.insert(0, f"{_NOTHING}: on each of {len(ends)} rails {reached}.")
    bad = {name for each in blamed for name in each.names}
    cleared = {_without(name, rail) for rail, (_, verdict) in enumerate(ends) for name in verdict.cleared} - bad
    return Verdict(
        decided=all(verdict.decided for _, verdict in ends),
        rounds=sum(verdict.rounds for _, verdict in ends),
        blamed=tuple(blamed),
        cleared=tuple(sorted(cleared)),
        sentences=tuple(sentences),
        undecided=tuple(undecided),
    )


def _blamed(verdicts: Sequence[Verdict]) -> list[Blamed]:
    found: dict[tuple[Kind, frozenset[str]], dict[int, Blamed]] = {}
    for rail, verdict in enumerate(verdicts):
        for each in verdict.blamed:
            part = _with_nodes(each, rail)
            found.setdefault((part.kind, frozenset(part.names)), {})[rail] = part
    return [
        part
        for by_rail in found.values()
        for part in ([_on_all(by_rail)] if len(by_rail) == len(verdicts) else by_rail.values())
    ]


def _on_all(by_rail: dict[int, Blamed]) -> Blamed:
    """Return the fault of a node, link or boundary that is bad on all rails, of which the first one tells how."""
    first = by_rail[0]
    ends = " and ".join(first.names)
    words = {Kind.NODE: ends, Kind.LINK: f"The link between {ends}"}
    subject = words.get(first.kind, f"The boundary of {ends}")
    return replace(
        first,
        rail=None,
        confidence=max(each.confidence for each in by_rail.values()),
        ways=tuple(sorted({way for each in by_rail.values() for way in each.ways})),
        sentence=f"{subject} is bad on all {len(by_rail)} rails. {first.sentence}",
        evidence=tuple(answer for each in by_rail.values() for answer in each.evidence),
    )


def _with_nodes(blamed: Blamed, rail: int) -> Blamed:
    """Return a fault of a rail with the names of the nodes, and the rail beside them."""
    return replace(
        blamed,
        rail=rail,
        names=tuple(_without(name, rail) for name in blamed.names),
        ways=tuple((_without(source, rail), _without(destination, rail)) for source, destination in blamed.ways),
        sentence=_of_rail(blamed.sentence, rail),
        evidence=tuple(
            replace(each, pair=(_without(each.pair[0], rail), _without(each.pair[1], rail)), gone=None)
            for each in blamed.evidence
        ),
    )


def _slower_rails(references: Sequence[float]) -> list[str]:
    """Return a sentence for each rail on which most nodes reach less than on the fastest one."""
    most = max(references)
    fastest = references.index(most)
    return [
        f"Rail {rail} reaches {reference / most:.0%} of what rail {fastest} reaches, on most nodes."
        for rail, reference in enumerate(references)
        if reference < (1 - MARGIN) * most
    ]


def _of_rail(sentence: str, rail: int) -> str:
    """Return a sentence that names its rail."""
    return sentence if with_rail("", rail) in sentence else f"Rail {rail}: {sentence}"


def _without(name: str, rail: int) -> str:
    """Return the name of a node or rack, or the names of several, without the rail; a name has no space in it."""
    return name.replace(with_rail("", rail), "")

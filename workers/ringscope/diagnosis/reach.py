"""Pairs of nodes that did not reach each other before the ranks started: what is blamed, and what is left out. Pure."""

from collections.abc import Collection, Sequence

from ringscope.contracts.diagnosis.record import BlamedPart, PairEvidence

_TRIES = 3  # the agents try so often to reach each other node
_CHANCE_OF_SILENCE = 0.01  # the probability that a try of a good pair fails
Cut = frozenset[str]


def left_out(nodes: Sequence[str], cut: Collection[Cut]) -> str:
    """Return the node without which most of the rest can start: the end of most cut links, the last one of several."""
    return max(nodes, key=lambda node: (sum(node in pair for pair in cut), nodes.index(node)))


def blamed(nodes: Sequence[str], cut: Collection[Cut]) -> list[BlamedPart]:
    """Return each node that most others do not reach, and each other link that is cut; empty for two nodes.

    With three nodes, a node that reaches one of the two others is good, and so is the link to it.
    """
    if len(nodes) < 3:
        return []
    order = {node: place for place, node in enumerate(nodes)}
    bad = [node for node in nodes if 2 * sum(node in pair for pair in cut) > len(nodes) - 1]
    pairs = sorted((sorted(pair, key=order.__getitem__) for pair in cut), key=lambda pair: order[pair[0]])
    parts = [_node(node, [pair for pair in pairs if node in pair], nodes) for node in bad]
    return parts + [_link(pair) for pair in pairs if not set(bad).intersection(pair)]


def sentence(nodes: Sequence[str], cut: Collection[Cut]) -> str:
    """Return what was found, in a sentence for each part that is blamed."""
    if found := blamed(nodes, cut):
        return " ".join(part.sentence for part in found)
    return " ".join(f"{' and '.join(sorted(pair))} do not reach each other." for pair in cut)


def _node(node: str, pairs: Sequence[Sequence[str]], nodes: Sequence[str]) -> BlamedPart:
    count = f"{len(pairs)} of {len(nodes) - 1}"
    told = f"{node} does not reach {count} other nodes, which reach each other."
    return _part("node", [node], told, pairs)


def _link(pair: Sequence[str]) -> BlamedPart:
    first, second = pair
    told = f"The link between {first} and {second} is cut: they do not reach each other, and both reach other nodes."
    return _part("link", list(pair), told, [pair])


def _part(kind: str, names: list[str], told: str, pairs: Sequence[Sequence[str]]) -> BlamedPart:
    evidence = [PairEvidence(nodes=list(pair), ending="hung", there=None, back=None) for pair in pairs]
    confidence = 1 - _CHANCE_OF_SILENCE**_TRIES
    return BlamedPart.model_validate(
        {
            "kind": kind,
            "names": names,
            "manner": "hung",
            "confidence": confidence,
            "sentence": told,
            "evidence": evidence,
        }
    )

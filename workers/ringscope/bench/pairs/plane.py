"""The rounds between nodes: between the nodes as wholes, or on one of their rails. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ringscope.bench.pairs.begun import begun, rounds_left
from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.diagnosis.record import with_rail
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.diagnosis.answers import Answer, Round
from ringscope.diagnosis.planning import next_step
from ringscope.diagnosis.rails import merged
from ringscope.diagnosis.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Place:
    """The node of a rank, and its rack if it has one."""

    node: str
    rack: str | None = None


class Plane:
    """One rank of each node, and what is known of the links between them; ``rail`` is None for nodes as wholes."""

    def __init__(self, rail: int | None, ranks: dict[int, Place], is_all_pairs: bool, earlier: Earlier) -> None:
        self.rail = rail
        self.name_of = {rank: with_rail(place.node, rail) for rank, place in ranks.items()}
        self.rank_of = {name: rank for rank, name in self.name_of.items()}
        names = list(self.rank_of)
        racks = {self.name_of[rank]: with_rail(place.rack, rail) for rank, place in ranks.items() if place.rack}
        self._is_all_pairs = is_all_pairs
        self.belief = begun(names, racks, is_all_pairs, _on_rail(earlier, rail))
        self._left = rounds_left(names, self.belief) if is_all_pairs else []
        self._known_rounds = len(self.belief.heard)
        self.step = self._next()

    @property
    def expected_rounds(self) -> int:
        """Return the number of rounds of all pairs, or as many as one fault takes."""
        return len(self._left) or math.ceil(math.log2(len(self.name_of))) + 2

    @property
    def measured_rounds(self) -> int:
        """Return the number of rounds that were measured here, and not in an earlier attempt."""
        return len(self.belief.heard) - self._known_rounds

    def hear(self, asked: Round, answers: Sequence[Answer]) -> None:
        """Note the answers of a round, and plan the next one."""
        self.belief = self.belief.after(asked, answers)
        self.step = self._next()

    def verdict(self) -> Verdict:
        """Return the verdict on what was measured so far."""
        return self.step if isinstance(self.step, Verdict) else self._verdict()

    def _next(self) -> Round | Verdict:
        if not self._is_all_pairs:
            return next_step(self.belief)
        if self.measured_rounds < len(self._left):
            return Round(len(self.belief.heard), tuple(self._left[self.measured_rounds]))
        return self._verdict()

    def _verdict(self) -> Verdict:
        found = next_step(replace(self.belief, most_rounds=len(self.belief.heard)))
        assert isinstance(found, Verdict)
        return found


def planes_of(spec: DiagnosisSpec, places: Sequence[Place], earlier: Earlier) -> list[Plane]:
    """Return a plane for each rail, or the only one of nodes as wholes; ``places`` are those of all ranks."""
    is_all_pairs = spec.measure == "links"
    if spec.per == "node":
        return [Plane(None, dict(enumerate(places)), is_all_pairs, earlier)]
    seen: Counter[str] = Counter()
    rails: dict[int, dict[int, Place]] = {}
    for rank, place in enumerate(places):
        rails.setdefault(seen[place.node], {})[rank] = place
        seen[place.node] += 1
    return [Plane(rail, ranks, is_all_pairs, earlier) for rail, ranks in rails.items()]


def next_plane(planes: Sequence[Plane]) -> Plane | None:
    """Return the plane that measures the next round, in turns: a rail is measured while the others are silent.

    Two ranks of a node may share a network card, and a rail that waits for another one would seem slow.
    """
    open_planes = [plane for plane in planes if isinstance(plane.step, Round)]
    return min(open_planes, key=lambda plane: plane.measured_rounds, default=None)


def verdict_on(planes: Sequence[Plane]) -> Verdict:
    """Return the verdict on what was measured."""
    if planes[0].rail is None:
        return planes[0].verdict()
    return merged([(plane.belief, plane.verdict()) for plane in planes])


def _on_rail(earlier: Earlier, rail: int | None) -> Earlier:
    """Return what is known of a rail; two nodes that did not reach each other do so on no rail."""
    if rail is None:
        return Earlier(
            pairs=[each for each in earlier.pairs if each.rail is None],
            baselines=[each for each in earlier.baselines if each.rail is None],
            cards=earlier.cards,
        )
    pairs = [
        each.model_copy(update={"nodes": [with_rail(node, rail) for node in each.nodes]})
        for each in earlier.pairs
        if each.rail in (None, rail)
    ]
    baselines = [
        each.model_copy(
            update={"source": with_rail(each.source, rail), "destination": with_rail(each.destination, rail)}
        )
        for each in earlier.baselines
        if each.rail == rail
    ]
    cards = {with_rail(node, rail): rate for node, rate in earlier.cards.items()}
    return Earlier(pairs=pairs, baselines=baselines, cards=cards)

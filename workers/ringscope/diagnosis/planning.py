"""The next round of a diagnosis, or its verdict. Pure.

Pairs are measured, and not groups that are halved. All disjoint pairs run at the same time, so the links of a ring take
two rounds whatever the number of nodes. Each answer already names two nodes, and a suspect needs one further round and
not log2 N of them. The answer of a large group says only that something in it is slow, and one fault hides another. The
next round has these pairs, in this order:

1. Suspects are measured with partners that are known to be good, in their own rack if possible.
2. A bad pair of two good nodes is measured again.
3. Nodes without such work measure the links that are left.
4. Then racks are paired, all of their nodes at the same time: only many pairs together load an uplink.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from ringscope.diagnosis.answers import Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.boundaries import boundaries_of, not_explained, wanted_boundaries
from ringscope.diagnosis.rounds import Pair
from ringscope.diagnosis.suspects import Suspicion, chance_of_bad, suspicion_of
from ringscope.diagnosis.trials import Trials, trials_of
from ringscope.diagnosis.verdict import Verdict, verdict_of

_MOST_UNCLEAR = 2  # measurements of a pair whose interval holds the limit; then it counts as fine enough


def next_step(belief: Belief) -> Round | Verdict:
    """Return the round to measure next, or the verdict if nothing is left to ask or no round is left."""
    trials = trials_of(belief)
    chance = chance_of_bad(trials.nodes)
    boundaries = boundaries_of(belief, trials, chance)
    nodes = suspicion_of(not_explained(belief, trials, boundaries), len(belief.nodes), chance, belief.rack_of)
    done = len(belief.heard)
    if done < belief.most_rounds:
        wanted = wanted_boundaries(belief, trials, boundaries.racks, nodes.bad_units())
        asked = _Asked(belief, trials, nodes)
        asked.confirm(bool(wanted))
        asked.again()
        asked.links(wanted)
        if asked.pairs:
            return Round(done, tuple(asked.pairs), frozenset(asked.loaded), tuple(asked.reasons))
    return verdict_of(belief, trials, nodes, boundaries)


class _Asked:
    """The pairs of the next round, as they are chosen."""

    def __init__(self, belief: Belief, trials: Trials, suspicion: Suspicion) -> None:
        self._belief, self._trials, self._suspicion = belief, trials, suspicion
        self.pairs: list[Pair] = []
        self.loaded: set[Pair] = set()
        self.reasons: list[str] = []
        self._gone = suspicion.bad_units()
        self._free = {node: None for node in belief.nodes if node not in self._gone}
        self._rack_of = belief.rack_of

    def confirm(self, boundaries_are_open: bool) -> None:
        """Choose a partner that is known to be good for each suspect.

        The ends of a link across racks wait until the boundaries are known, which may explain it.
        """
        suspects = self._suspicion.confirm
        disturbed = {unit for pair in self._suspicion.again for unit in pair}
        trusted = self._suspicion.good - disturbed
        good = [node for node in self._free if node in trusted]
        partners = [node for node in good if node not in suspects]
        for suspect, tried in suspects.items():
            at_home = (node for node in partners if self._rack_of.get(node) == self._rack_of.get(suspect))
            partner = _first(at_home, self._free, tried) or _first(partners, self._free, tried)
            partner = partner or _first(good, self._free, {*tried, suspect})
            waits = boundaries_are_open and suspect in self._suspicion.good and self._is_bad_across_only(suspect)
            if partner is None or suspect not in self._free or waits:
                continue
            self._take((suspect, partner))
            self.reasons.append(
                f"{suspect} is measured with {partner}, which was fine with others, because {suspect} was bad with "
                f"{_listed(self._bad_with(suspect))}."
            )

    def _is_bad_across_only(self, suspect: str) -> bool:
        rack = self._rack_of.get(suspect)
        return all(self._rack_of.get(partner) != rack for partner in self._bad_with(suspect))

    def _bad_with(self, suspect: str) -> list[str]:
        return sorted({trial.partner(suspect) for trial in self._trials.bad if suspect in trial.pair})

    def again(self) -> None:
        """Repeat bad pairs of two good nodes, and pairs with an unclear interval."""
        for pair in self._suspicion.again:
            if self._can(pair):
                self._take(pair)
                self.reasons.append(
                    f"{pair[0]} and {pair[1]} are measured again: both are fine with others, so the link between them "
                    "may be bad."
                )

    def links(self, boundaries: Sequence[Pair]) -> None:
        """Measure the links that are left, and boundaries once few links are left.

        Pairs across racks wait while boundaries are loaded: they would share the uplinks.
        """
        left = self._left()
        ready = [pair for pair in left if self._can(pair)]
        at_home = [pair for pair in ready if self._rack_of.get(pair[0]) == self._rack_of.get(pair[1])]
        load = bool(boundaries) and (4 * len(ready) <= len(self._free) or not at_home)
        if load:
            ready = at_home
        for pair in ready:
            if self._can(pair):
                self._take(pair)
        for first, second in boundaries if load else ():
            self._load(first, second, left)

    def _load(self, first: str, second: str, left: Sequence[Pair]) -> None:
        """Pair the nodes of two racks; the links that are left between them come first."""
        racks = self._belief.racks
        suspects = self._suspicion.confirm
        members = [
            [node for node in racks[rack] if node in self._free and node not in suspects] for rack in (first, second)
        ]
        pairs: list[Pair] = []
        taken: set[str] = set()
        for pair in left:
            if _crosses(pair, *members) and taken.isdisjoint(pair):
                pairs.append(pair)
                taken.update(pair)
        pairs += zip(*([node for node in each if node not in taken] for each in members), strict=False)
        if len(pairs) < 2:
            return
        for pair in pairs:
            self._take(pair)
            self.loaded.add(pair)
        self.reasons.append(f"{first} and {second} exchange data between {len(pairs)} pairs of nodes at the same time.")

    def _left(self) -> list[Pair]:
        nodes = self._trials.nodes
        unclear = Counter(frozenset(trial.pair) for trial in nodes if trial.unclear)
        settled = {
            trial.pair for trial in nodes if not trial.unclear or unclear[frozenset(trial.pair)] >= _MOST_UNCLEAR
        }
        return [
            pair
            for pair in self._belief.links
            if pair not in settled and pair[::-1] not in settled and self._gone.isdisjoint(pair)
        ]

    def _can(self, pair: Pair) -> bool:
        return pair[0] in self._free and pair[1] in self._free

    def _take(self, pair: Pair) -> None:
        self.pairs.append(pair)
        del self._free[pair[0]], self._free[pair[1]]


def _first(nodes: Iterable[str], free: dict[str, None], tried: set[str]) -> str | None:
    return next((node for node in nodes if node in free and node not in tried), None)


def _crosses(pair: Pair, first: Sequence[str], second: Sequence[str]) -> bool:
    return (pair[0] in first and pair[1] in second) or (pair[0] in second and pair[1] in first)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"

"""Boundaries: racks that are tried against each other, and two groups of nodes that are fine alone. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.rounds import Pair
from ringscope.diagnosis.suspects import Chance, Suspicion, suspicion_of
from ringscope.diagnosis.trials import Trial, Trials

_FEWEST_BAD_LINKS = 4  # between two groups that are fine alone
_FEWEST_ENDS = 2  # ends of these links in each group


class Halves(NamedTuple):
    """Two groups of nodes, and the trials that are bad between them."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    bad: tuple[Trial, ...]


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Knowledge of boundaries: the suspicion of racks, bad trials between the only two racks, two halves."""

    racks: Suspicion
    between: tuple[Trial, ...]
    halves: Halves | None


def wanted_boundaries(belief: Belief, trials: Trials, racks: Suspicion, bad_nodes: set[str]) -> list[Pair]:
    """Return disjoint pairs of racks to try next: suspects with good racks, repetitions, then racks not yet tried.

    If the first two of three racks were bad, all pairs are tried, because one bad uplink leaves only one pair fine.
    """
    names = list(belief.racks)
    tried = {frozenset(trial.pair) for trial in trials.racks}
    seen = {rack for trial in trials.racks for rack in trial.pair}
    broken = racks.bad_units()
    wanted: list[Pair] = list(racks.again)
    for suspect, partners in racks.confirm.items():
        others = [rack for rack in names if rack in racks.good and rack not in partners and rack != suspect]
        wanted += [(suspect, other) for other in others]
        if not others and len(names) == 2 and len(trials.racks) < 2:
            wanted.append((names[0], names[1]))
    if len(names) == 3 and racks.confirm and not racks.good:
        wanted += [(a, b) for a in names for b in names if a < b and frozenset((a, b)) not in tried]
    unseen = [rack for rack in names if rack not in seen]
    wanted += list(zip(unseen[::2], unseen[1::2], strict=False))
    if len(unseen) % 2 and seen:
        last = unseen[-1]
        wanted += [(last, rack) for rack in names if rack in racks.good]
    chosen: list[Pair] = []
    taken: set[str] = set()
    for pair in wanted:
        if not taken.intersection(pair) and not broken.intersection(pair) and _can_load(belief, pair, bad_nodes):
            chosen.append(pair)
            taken.update(pair)
    return chosen


def _can_load(belief: Belief, pair: Pair, bad_nodes: set[str]) -> bool:
    """Return whether both racks have two nodes that are not blamed."""
    return all(len([node for node in belief.racks[rack] if node not in bad_nodes]) > 1 for rack in pair)


def boundaries_of(belief: Belief, trials: Trials, chance: Chance) -> Boundaries:
    """Return which boundaries are blamed and suspected."""
    racks = suspicion_of(trials.racks, len(belief.racks), chance)
    bad = [trial for trial in trials.racks if trial.bad]
    # No third rack can say to which of two racks the slow uplink belongs.
    between = bad if len(belief.racks) == 2 and racks.confirm and len(bad) > 1 else []
    halves = None if racks.blamed or between else halves_of(belief, trials)
    return Boundaries(racks, tuple(between), halves)


def halves_of(belief: Belief, trials: Trials) -> Halves | None:
    """Return two groups of nodes that are fine alone and bad with each other; None if there are none.

    It needs no names of racks: nodes that were fine with each other are connected, so no link between two groups was
    fine.
    """
    if len({frozenset(trial.pair) for trial in trials.bad}) < _FEWEST_BAD_LINKS:
        return None
    group_of = _connected(belief.nodes, trials.nodes)
    groups: dict[str, list[str]] = {}
    for node, group in group_of.items():
        groups.setdefault(group, []).append(node)
    large = {group: members for group, members in groups.items() if len(members) > 1}
    if len(large) != 2:
        return None
    bad = [trial for trial in trials.bad if {group_of[unit] for unit in trial.pair} == large.keys()]
    links = {frozenset(trial.pair) for trial in bad}
    ends = {unit for link in links for unit in link}
    first, second = large.values()
    if len(links) < _FEWEST_BAD_LINKS or any(len(ends.intersection(each)) < _FEWEST_ENDS for each in (first, second)):
        return None
    return Halves(tuple(first), tuple(second), tuple(bad))


def _connected(nodes: Sequence[str], trials: Sequence[Trial]) -> dict[str, str]:
    """Return for each node one node that stands for all that are connected with it by fine trials."""
    root = {node: node for node in nodes}

    def find(node: str) -> str:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for trial in trials:
        if trial.fine:
            root[find(trial.pair[0])] = find(trial.pair[1])
    return {node: find(node) for node in nodes}


def not_explained(belief: Belief, trials: Trials, boundaries: Boundaries) -> list[Trial]:
    """Return the trials of pairs of nodes that no blamed boundary explains."""
    racks = {frozenset(trial.pair) for trial in boundaries.between}
    racks |= {frozenset(blame.units) for blame in boundaries.racks.blamed if len(blame.units) == 2}
    broken = boundaries.racks.bad_units()
    rack_of = belief.rack_of
    half_of = {}
    if boundaries.halves:
        half_of = {node: index for index, half in enumerate(boundaries.halves[:2]) for node in half}

    def explained(pair: Pair) -> bool:
        ends = frozenset(rack_of.get(unit, unit) for unit in pair)
        halves = {half_of.get(unit) for unit in pair}
        return (len(ends) == 2 and (ends in racks or not ends.isdisjoint(broken))) or halves == {0, 1}

    if not any(explained(trial.pair) for trial in trials.bad):
        return trials.nodes
    return [trial for trial in trials.nodes if not trial.bad or not explained(trial.pair)]

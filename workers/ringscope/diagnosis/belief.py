"""The state of belief of a diagnosis: what is asked about, and what was heard so far. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from ringscope.diagnosis.answers import Answer, Heard, Rate, Round
from ringscope.diagnosis.rounds import Pair, all_pairs

MOST_ROUNDS = 12
_ALL_PAIRS_TO = 4  # so few nodes have all pairs within the budget of rounds
_FEWEST_TO_HALVE = 6


@dataclass(frozen=True)
class Belief:
    """The knowledge of a diagnosis; a new attempt of the job continues from it.

    ``nodes`` are in the order of the collective's ring. ``racks`` has the members of each rack; without it the two
    halves of the ring are tried against each other. ``baselines`` are the intervals that directed pairs
    reached in earlier diagnoses. ``links`` are the links that must be measured, by default those of the ring;
    ``all_links`` asks for all pairs. ``cards`` is the rate of the nodes' network cards, in bytes/s.
    """

    nodes: tuple[str, ...]
    racks: Mapping[str, tuple[str, ...]]
    has_labels: bool
    links: tuple[Pair, ...]
    baselines: Mapping[Pair, Rate] = field(default_factory=dict)
    heard: tuple[Heard, ...] = ()
    most_rounds: int = MOST_ROUNDS
    cards: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        nodes: Sequence[str],
        rack_of: Mapping[str, str] | None = None,
        baselines: Mapping[Pair, Rate] | None = None,
        all_links: bool = False,
        most_rounds: int = MOST_ROUNDS,
    ) -> "Belief":
        """Return the belief before the first round; ValueError for fewer than two nodes or a name given twice."""
        if len(nodes) < 2 or len(set(nodes)) != len(nodes):
            raise ValueError("a diagnosis takes at least two nodes, each named once")
        if all_links or len(nodes) <= _ALL_PAIRS_TO:
            links = [pair for each in all_pairs(nodes) for pair in each]
        else:
            around = [*pairwise(nodes), (nodes[-1], nodes[0])]
            links = [*around[::2], *around[1::2]]
        if all_links:
            most_rounds = max(most_rounds, len(nodes) + MOST_ROUNDS)
        racks = _racks(nodes, rack_of)
        return cls(tuple(nodes), racks, bool(rack_of), tuple(links), baselines or {}, (), most_rounds)

    @cached_property
    def rack_of(self) -> Mapping[str, str]:
        """Return the rack of each node that is in one."""
        return {node: rack for rack, members in self.racks.items() for node in members}

    def after(self, asked: Round, answers: Sequence[Answer]) -> "Belief":
        """Return the belief with the answers of a round; a pair without an answer is asked again."""
        unknown = {answer.pair for answer in answers} - set(asked.pairs)
        if unknown:
            raise ValueError(f"pairs that were not asked: {sorted(unknown)}")
        return replace(self, heard=(*self.heard, Heard(asked, tuple(answers))))


def _racks(nodes: Sequence[str], rack_of: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
    """Return the racks that can be tried against each other; a rack of one node is that node."""
    racks: dict[str, list[str]] = {}
    if rack_of:
        for node in nodes:
            if node in rack_of:
                racks.setdefault(rack_of[node], []).append(node)
    elif len(nodes) >= _FEWEST_TO_HALVE:
        half = len(nodes) // 2
        for members in (nodes[:half], nodes[half:]):
            racks[f"{members[0]} to {members[-1]}"] = list(members)
    large = {rack: tuple(members) for rack, members in racks.items() if len(members) > 1}
    return large if len(large) > 1 else {}

"""Other ways to find what is slow, on the same simulated fabrics: halving, random pairs, all pairs.

They are written from their descriptions and not from their code. Each returns the names that it blames and its rounds.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.diagnosis.fabric import Fabric

from ringscope.diagnosis.answers import Answer, Round
from ringscope.diagnosis.rounds import Pair, all_pairs

Blamed = set[tuple[str, tuple[str, ...]]]
FLOOR = 0.9  # of the rate that a healthy link has; what it is must be known
_RANDOM_ROUNDS = 8


@dataclass(frozen=True)
class Found:
    """The outcome of a way: what it blames, its rounds, and the number of groups or pairs that it measured."""

    blamed: Blamed
    rounds: int
    tests: int


def halving(fabric: Fabric) -> Found:
    """Halve each group whose bandwidth is below one static floor, until single nodes are left.

    This follows the guide of the NVIDIA Cluster Readiness Engine on adaptive fault isolation: split the suspects, run
    the test on each half, split the half that fails, then confirm. A single node is confirmed with a node of a group
    that passed. A test counts as it came.
    """
    floor = FLOOR * fabric.rate
    rounds, blamed = 1, set[tuple[str, tuple[str, ...]]]()
    passed: list[str] = []
    failing = [list(fabric.nodes)]
    if fabric.group_rates(failing)[0] >= floor:
        return Found(blamed, rounds, fabric.tests)
    while failing:
        halves = [half for group in failing for half in (group[: len(group) // 2], group[len(group) // 2 :])]
        single = [half[0] for half in halves if len(half) == 1]
        groups = [half for half in halves if len(half) > 1]
        partners = passed[: len(single)]
        confirmed = [[node, partner] for node, partner in zip(single, partners, strict=False)]
        rates = fabric.group_rates([*groups, *confirmed]) if groups or confirmed else []
        rounds += bool(rates)
        failing = []
        for group, rate in zip(groups, rates, strict=False):
            if rate < floor:
                failing.append(group)
            else:
                passed += group
        for (node, _), rate in zip(confirmed, rates[len(groups) :], strict=True):
            if rate < floor:
                blamed.add(("node", (node,)))
    return Found(blamed, rounds, fabric.tests)


def random_pairs(fabric: Fabric) -> Found:
    """Measure random disjoint pairs in a fixed number of rounds; blame nodes whose median is below the floor.

    The reference is the median of all pairs.
    """
    chooser = random.Random(fabric.seed)
    answers: list[Answer] = []
    for number in range(_RANDOM_ROUNDS):
        order = list(fabric.nodes)
        chooser.shuffle(order)
        answers += fabric.answer(Round(number, tuple(zip(order[::2], order[1::2], strict=False))))
    values = _values(answers)
    limit = FLOOR * median(values.values())
    return Found(_low_nodes(answers, limit), _RANDOM_ROUNDS, fabric.tests)


def every_pair(fabric: Fabric) -> Found:
    """Measure all pairs; blame nodes whose median is below the floor, and low links between other nodes."""
    rounds = all_pairs(fabric.nodes)
    answers = [answer for number, pairs in enumerate(rounds) for answer in fabric.answer(Round(number, tuple(pairs)))]
    values = _values(answers)
    limit = FLOOR * median(values.values())
    blamed = _low_nodes(answers, limit)
    bad = {names[0] for _, names in blamed}
    low = {pair for (pair, _), rate in values.items() if rate < limit and not bad & {*pair}}
    return Found(blamed | {("link", (min(pair), max(pair))) for pair in low}, len(rounds), fabric.tests)


PEERS: dict[str, Callable[[Fabric], Found]] = {
    "halving, one floor": halving,
    "random pairs": random_pairs,
    "all pairs": every_pair,
}


def _values(answers: Sequence[Answer]) -> dict[tuple[Pair, int], float]:
    """Return the lower bandwidth of both directions of each answer; 0 for a pair that hung or died."""
    return {
        (answer.pair, index): min((rate.centre for _, rate in answer.ways()), default=0.0)
        for index, answer in enumerate(answers)
    }


def _low_nodes(answers: Sequence[Answer], limit: float) -> Blamed:
    of_node: dict[str, list[float]] = {}
    for (pair, _), rate in _values(answers).items():
        for node in pair:
            of_node.setdefault(node, []).append(rate)
    return {("node", (node,)) for node, rates in of_node.items() if median(rates) < limit}

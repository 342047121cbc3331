"""Diagnoses of fabrics with any racks and faults end, whatever is not answered, and no round has a node twice."""

import random
from collections import Counter

import pytest
from benchmarks.diagnosis.diagnosing import names
from benchmarks.diagnosis.fabric import Fabric, Fault

from ringscope.diagnosis.answers import Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.planning import next_step

_MOST_ROUNDS = 60  # all pairs of the largest fabric, and 12 more


def fabric(dice: random.Random) -> Fabric:
    nodes, racks = names(dice.randrange(2, 34)), dice.randrange(1, 9)
    faults = [_fault(dice, nodes, racks) for _ in range(dice.randrange(4))]
    made = Fabric(nodes, racks, faults, dice.randrange(1 << 30), dice.choice([0.005, 0.03, 0.08]), disturbed=0.01)
    if dice.random() < 0.5:
        made.rack_of = {node: f"rack{dice.randrange(racks)}" for node in nodes}
        made._size = Counter(made.rack_of.values())
    return made


def _fault(dice: random.Random, nodes: tuple[str, ...], racks: int) -> Fault:
    kind, manner = dice.choice(["node", "link", "boundary"]), dice.choice(["slow", "lossy", "hung", "died"])
    if kind == "boundary":
        return Fault(kind, (f"rack{dice.randrange(racks)}",))
    affected = tuple(dice.sample(nodes, 1 if kind == "node" else 2))
    return Fault(kind, affected, 0.5, manner, dice.choice(["both", "in", "out"]), dice.choice([0.5, 1.0]))


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_every_diagnosis_ends(count: int) -> None:
    for seed in range(count):
        dice = random.Random(seed)
        made = fabric(dice)
        racks = {node: rack for node, rack in made.rack_of.items() if dice.random() < 0.9}
        belief = Belief.of(made.nodes, racks, all_links=dice.random() < 0.3)
        while isinstance(step := next_step(belief), Round):
            members = [node for pair in step.pairs for node in pair]
            assert len(members) == len(set(members)) and len(belief.heard) < _MOST_ROUNDS, seed
            answers = [answer for answer in made.answer(step) if dice.random() < 0.97]
            belief = belief.after(step, answers)

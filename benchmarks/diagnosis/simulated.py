"""Diagnoses of simulated fabrics with planted faults, beside halving, random pairs and all pairs.

    python -m benchmarks diagnosis

Nothing here runs on a network: each fabric answers from its racks, its noise and its faults. A diagnosis is right if it
names what was planted and nothing else. The peers are written from their descriptions.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log2
from statistics import fmean
from typing import Any

from benchmarks.command import exec_part
from benchmarks.diagnosis.diagnosing import diagnose, names
from benchmarks.diagnosis.fabric import Fabric, Fault
from benchmarks.diagnosis.peers import PEERS, Found
from benchmarks.report import Result, Target, say, say_targets, watched

Faults = list[Fault]
OURS = "Ringscope"
SIZES: Mapping[int, int] = {8: 2, 64: 8, 1024: 32}  # nodes: racks
SEEDS: Mapping[int, int] = {8: 20, 64: 20, 1024: 3}
_ALL_PAIRS_UP_TO = 64
_HEALTHY = 1000
_HEALTHY_OF_PEERS = 200
_HEALTHY_NODES, _HEALTHY_RACKS = 64, 8
# Probability that other work takes 40 % of the rate of one direction during one measurement.
DISTURBED = 0.001


def _node(**options: Any) -> Callable[[random.Random, int, int], Faults]:
    return lambda chance, nodes, racks: [Fault("node", (f"h{chance.randrange(nodes)}",), **options)]


def _link(**options: Any) -> Callable[[random.Random, int, int], Faults]:
    def made(chance: random.Random, nodes: int, racks: int) -> Faults:
        first = chance.randrange(nodes)
        return [Fault("link", (f"h{first}", f"h{(first + 1) % nodes}"), **options)]

    return made


def _uplink(chance: random.Random, nodes: int, racks: int) -> Faults:
    return [Fault("boundary", (f"rack{chance.randrange(racks)}",))]


def _two_nodes(chance: random.Random, nodes: int, racks: int) -> Faults:
    return [Fault("node", (f"h{index}",)) for index in chance.sample(range(nodes), 2)]


def _node_and_link(chance: random.Random, nodes: int, racks: int) -> Faults:
    bad, far = chance.randrange(nodes), nodes // 2
    first = (bad + far) % nodes
    return [Fault("node", (f"h{bad}",)), Fault("link", (f"h{first}", f"h{(first + 1) % nodes}"))]


KINDS: Mapping[str, Callable[[random.Random, int, int], Faults]] = {
    "node, half rate": _node(),
    "node, 0.8 of the rate": _node(factor=0.8),
    "node, one way": _node(way="out"),
    "node, hangs": _node(manner="hung"),
    "node, dies": _node(manner="died"),
    "node, half of the time": _node(probability=0.5),
    "link, half rate": _link(),
    "link, one way": _link(way="out"),
    "link, lossy": _link(factor=0.3, manner="lossy"),
    "link, cut": _link(manner="hung"),
    "rack uplink, half rate": _uplink,
    "two nodes": _two_nodes,
    "node and link": _node_and_link,
}
ONE_STEADY = [kind for kind in KINDS if kind not in ("node, half of the time", "two nodes", "node and link")]


@dataclass
class Score:
    """The outcomes of one way on fabrics of one kind and size."""

    right: list[bool] = field(default_factory=list)
    false: list[bool] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    found: list[float] = field(default_factory=list)

    def add(self, planted: Faults, found: Found, racks: int) -> None:
        """Count a diagnosis: recall by name, whether it is right as a whole, and whether a healthy node is blamed."""
        wanted = {_name(fault, racks) for fault in planted}
        self.found.append(len(wanted & found.blamed) / len(wanted) if wanted else 1.0)
        self.right.append(wanted == found.blamed)
        self.false.append(bool(found.blamed - wanted))
        self.rounds.append(found.rounds)


Scores = dict[tuple[str, str, int], Score]


def _name(fault: Fault, racks: int) -> tuple[str, tuple[str, ...]]:
    if fault.kind == "link":
        return "link", tuple(sorted(fault.names))
    if fault.kind == "boundary" and racks == 2:  # nobody can say which of two uplinks it is
        return "boundary", ("rack0", "rack1")
    return fault.kind, fault.names


def _ours(fabric: Fabric, plans_s: list[float]) -> Found:
    diagnosed = diagnose(fabric)
    plans_s.append(diagnosed.longest_plan_s)
    return Found(diagnosed.names(), diagnosed.verdict.rounds, fabric.tests)


def run() -> Result:
    """Diagnose all fabrics."""
    scores: Scores = {}
    plans_s: dict[int, list[float]] = {nodes: [] for nodes in SIZES}
    with watched() as conditions:
        for nodes, racks in SIZES.items():
            for kind, planted in KINDS.items():
                for seed in range(SEEDS[nodes]):
                    faults = planted(random.Random(f"{kind} {nodes} {seed}"), nodes, racks)
                    for way, found in _found(nodes, racks, faults, seed, plans_s[nodes]).items():
                        scores.setdefault((way, kind, nodes), Score()).add(faults, found, racks)
            say(f"{nodes} nodes are done.")
        healthy = _healthy(plans_s)
    tables: dict[str, list[tuple[str, ...]]] = {
        "diagnosis_kinds": _kinds(scores),
        "diagnosis_ways": _ways(scores),
        "diagnosis_healthy": [("", "healthy diagnoses", "with false blame"), *healthy],
    }
    for table in tables.values():
        say()
        for line in table:
            say("  ".join(f"{cell:>24}" for cell in line))
    targets = _targets(scores, plans_s[max(SIZES)], healthy)
    say_targets(targets)
    return Result("diagnosis", conditions, targets=targets, details={"tables": tables})


def _found(nodes: int, racks: int, faults: Faults, seed: int, plans_s: list[float]) -> dict[str, Found]:
    def fabric() -> Fabric:
        return Fabric(names(nodes), racks, faults, seed, disturbed=DISTURBED)

    made = {OURS: _ours(fabric(), plans_s)}
    for name, peer in PEERS.items():
        if name != "all pairs" or nodes <= _ALL_PAIRS_UP_TO:
            made[name] = peer(fabric())
    return made


def _healthy(plans_s: dict[int, list[float]]) -> list[tuple[str, str, str]]:
    """Return for each way how often healthy fabrics were diagnosed, and how often a node was blamed."""
    blamed: Counter[str] = Counter()
    for seed in range(_HEALTHY_OF_PEERS):
        for way, found in _found(_HEALTHY_NODES, _HEALTHY_RACKS, [], seed, []).items():
            blamed[way] += bool(found.blamed)
    for seed in range(_HEALTHY_OF_PEERS, _HEALTHY):
        fabric = Fabric(names(_HEALTHY_NODES), _HEALTHY_RACKS, (), seed, disturbed=DISTURBED)
        blamed[OURS] += bool(_ours(fabric, []).blamed)
    large = Counter[str]()
    most = max(SIZES)
    for seed in range(_HEALTHY):
        fabric = Fabric(names(most), SIZES[most], (), seed, disturbed=DISTURBED)
        large[OURS] += bool(_ours(fabric, plans_s[most]).blamed)
    counts = {OURS: _HEALTHY}
    rows = [
        (f"{way}, {_HEALTHY_NODES} nodes", str(counts.get(way, _HEALTHY_OF_PEERS)), str(blamed[way]))
        for way in (OURS, *PEERS)
    ]
    return [*rows, (f"{OURS}, {most} nodes", str(_HEALTHY), str(large[OURS]))]


def _kinds(scores: Scores) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("planted", *(f"{nodes} nodes: right; rounds" for nodes in SIZES))]
    for kind in KINDS:
        cells = []
        for nodes in SIZES:
            score = scores[OURS, kind, nodes]
            cells.append(f"{sum(score.right)} of {len(score.right)}; {_range(score.rounds)}")
        rows.append((kind, *cells))
    return rows


def _ways(scores: Scores) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "nodes", "right", "named", "false blame", "rounds")]
    for nodes in SIZES:
        for way in (OURS, *PEERS):
            of_way = [score for (name, _, size), score in scores.items() if name == way and size == nodes]
            if of_way:
                right, found, false = (
                    fmean(float(value) for score in of_way for value in getattr(score, name))
                    for name in ("right", "found", "false")
                )
                rounds = [value for score in of_way for value in score.rounds]
                rows.append((way, str(nodes), f"{right:.0%}", f"{found:.0%}", f"{false:.0%}", _range(rounds)))
    return rows


def _range(rounds: Sequence[int]) -> str:
    return f"{min(rounds)} to {max(rounds)}" if min(rounds) < max(rounds) else str(rounds[0])


def _targets(scores: Scores, plans_s: Sequence[float], healthy: Sequence[tuple[str, str, str]]) -> list[Target]:
    most = max(SIZES)
    steady = [scores[OURS, kind, nodes] for kind in ONE_STEADY for nodes in SIZES]
    right = [value for score in steady for value in score.right]
    over = [max(scores[OURS, kind, nodes].rounds) - ceil(log2(nodes)) - 2 for kind in ONE_STEADY for nodes in SIZES]
    large = [value for kind in ONE_STEADY for value in scores[OURS, kind, most].rounds]
    every_false = [int(count) for way, _, count in healthy if way.startswith(OURS)]
    plan_ms = 1e3 * sorted(plans_s)[int(0.99 * (len(plans_s) - 1))]
    return [
        Target("one steady fault: right, %", 96, 100 * fmean(map(float, right))),
        Target("one steady fault: rounds above ceil(log2 N) + 2", 0, max(over), at_most=True),
        Target(f"{most} nodes, one steady fault: rounds", 12, max(large), at_most=True),
        Target(f"false blame in {_HEALTHY} healthy diagnoses", 1, max(every_false), at_most=True),
        Target(f"planning a round of {most} nodes, ms, 99 % of diagnoses", 50, plan_ms, at_most=True),
    ]


if __name__ == "__main__":
    exec_part("diagnosis")

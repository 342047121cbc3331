"""Simulated fabrics with racks, noise and planted faults, which answer the rounds of a diagnosis."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ringscope.diagnosis.answers import Answer, Ending, Rate, Round
from ringscope.diagnosis.rounds import Pair

REPETITIONS = 8
NOISE = 0.03  # deviation of one repetition's logarithm: the interval of 8 repetitions is 5 % wide
_STUDENT = 2.365  # 95 %, 7 degrees of freedom
_DISTURBED = 0.6  # rate of a pair beside which other work runs


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted fault: ``kind`` is node, link or boundary, and ``names`` are what a right verdict names.

    ``way`` is out, in or both: for a node what it sends or receives, for a link its direction from the first name.
    ``manner`` is slow, lossy, hung or died. ``probability`` is below one for a fault that comes and goes.
    """

    kind: str
    names: tuple[str, ...]
    factor: float = 0.5
    manner: str = "slow"
    way: str = "both"
    probability: float = 1.0

    def hits(self, source: str, destination: str) -> bool:
        """Return whether a transfer in this direction is affected; boundaries are the fabric's matter."""
        if self.kind == "node":
            out, back = source in self.names, destination in self.names
        else:
            out, back = (source, destination) == self.names, (destination, source) == self.names
        return (out and self.way in ("out", "both")) or (back and self.way in ("in", "both"))


@dataclass
class Fabric:
    """Nodes in racks; a rack's uplink carries all of its nodes at once, divided by ``oversubscription``.

    ``disturbed`` is the probability that other work slows one measurement of a pair.
    """

    nodes: tuple[str, ...]
    racks: int = 1
    faults: Sequence[Fault] = ()
    seed: int = 0
    noise: float = NOISE
    rate: float = 25e9
    oversubscription: float = 1.0
    disturbed: float = 0.0
    tests: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        size = -(-len(self.nodes) // self.racks)
        self.rack_of = {node: f"rack{index // size}" for index, node in enumerate(self.nodes)}
        self._size = Counter(self.rack_of.values())

    def answer(self, asked: Round) -> list[Answer]:
        """Return the answers of a round."""
        self.tests += len(asked.pairs)
        ways = [way for pair in asked.pairs for way in (pair, pair[::-1])]
        logs, hit = self._logs([(way[0], way[1]) for way in ways], self._crossing(asked.pairs))
        centre, error = logs.mean(axis=1), logs.std(axis=1, ddof=1) / np.sqrt(REPETITIONS) * _STUDENT
        low, high = np.exp(centre - error), np.exp(centre + error)
        values = np.exp(logs)
        spread = values.std(axis=1, ddof=1) / values.mean(axis=1)
        rates = [Rate(*each) for each in zip(low.tolist(), high.tolist(), spread.tolist(), strict=True)]
        answers = []
        for index, pair in enumerate(asked.pairs):
            manner = hit.get(2 * index) or hit.get(2 * index + 1)
            if manner:
                answers.append(Answer(pair, ending=Ending(manner)))
            else:
                answers.append(Answer(pair, rates[2 * index], rates[2 * index + 1]))
        return answers

    def group_rates(self, groups: Sequence[Sequence[str]]) -> list[float]:
        """Return the bandwidth of a ring in each group, all at the same time; 0 if it hangs or dies."""
        rings = [[*zip(group, [*group[1:], group[0]], strict=True)] for group in groups]
        self.tests += len(groups)
        ways = [way for ring in rings for way in ring]
        logs, hit = self._logs(ways, self._crossing(ways))
        made, place = [], 0
        for ring in rings:
            stopped = any(index in hit for index in range(place, place + len(ring)))
            each = np.exp(logs[place : place + len(ring)]).min(axis=0).mean()
            made.append(0.0 if stopped else float(each))
            place += len(ring)
        return made

    def _crossing(self, pairs: Sequence[Pair]) -> Counter[str]:
        crossing: Counter[str] = Counter()
        for first, second in pairs:
            if self.rack_of[first] != self.rack_of[second]:
                crossing.update((self.rack_of[first], self.rack_of[second]))
        return crossing

    def _logs(self, ways: Sequence[Pair], crossing: Counter[str]) -> tuple[NDArray[np.float64], dict[int, str]]:
        """Return the logarithms of all repetitions, and the ways that hang or die."""
        logs = self._random.normal(np.log(self.rate), self.noise, (len(ways), REPETITIONS))
        busy = self._random.random(len(ways)) < self.disturbed
        logs[busy] += np.log(_DISTURBED)
        hit: dict[int, str] = {}
        broken = {name for fault in self.faults if fault.kind == "boundary" for name in fault.names}
        for index, (source, destination) in enumerate(ways):
            ends = {self.rack_of[source], self.rack_of[destination]}
            if len(ends) == 2 and (broken or self.oversubscription > 1):
                logs[index] += np.log(min(1.0, *(self._share(rack, crossing) for rack in ends)))
            for fault in self.faults:
                if fault.kind != "boundary" and fault.hits(source, destination):
                    self._apply(fault, index, logs, hit)
        return logs, hit

    def _apply(self, fault: Fault, index: int, logs: NDArray[np.float64], hit: dict[int, str]) -> None:
        if self._random.random() >= fault.probability:
            return
        if fault.manner in ("hung", "died"):
            hit[index] = fault.manner
        elif fault.manner == "lossy":  # a lost packet waits for its repetition
            logs[index] += np.log(np.where(self._random.random(REPETITIONS) < 0.5, fault.factor, 1.0))
        else:
            logs[index] += np.log(fault.factor)

    def _share(self, rack: str, crossing: Counter[str]) -> float:
        capacity = self._size[rack] / self.oversubscription
        for fault in self.faults:
            if fault.kind == "boundary" and rack in fault.names:
                capacity *= fault.factor
        return capacity / max(crossing[rack], 1)

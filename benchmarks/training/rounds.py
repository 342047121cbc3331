"""A comparison: training jobs in turns, their figures round by round, and ratios. Only ``run`` starts anything."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Any

from benchmarks.training.turns import Contender, GangStep, take_turns


@dataclass(frozen=True, slots=True)
class Comparison:
    """The contenders of a comparison; in each of ``rounds`` every contender runs for ``seconds``."""

    name: str
    contenders: tuple[Contender, ...]
    rounds: int = 5
    seconds: float = 1.5

    def run(self) -> "Outcome":
        """Hold it; RuntimeError where a turn was too short for a single step."""
        taken, left_out = take_turns(self.contenders, self.rounds, self.seconds)
        for name, turns in taken.items():
            if not all(turns):
                raise RuntimeError(
                    f"{self.name}: no step of {name} fits into a turn of {self.seconds:g} s; give longer turns."
                )
        return Outcome({name: figures(turns) for name, turns in taken.items()}, left_out)


@dataclass(frozen=True, slots=True)
class Spread:
    """The median and the quartiles over the rounds."""

    median: float
    lower_quartile: float
    upper_quartile: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Return the spread of at least two values."""
        lower, _, upper = quantiles(values, n=4, method="inclusive")
        return cls(median(values), lower, upper)

    def scaled(self, factor: float) -> "Spread":
        """Return the spread in another unit."""
        return Spread(self.median * factor, self.lower_quartile * factor, self.upper_quartile * factor)

    def __str__(self) -> str:
        return f"{_short(self.median)} ({_short(self.lower_quartile)} to {_short(self.upper_quartile)})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``rounds`` has of each contender each figure round by round; ``left_out`` says why others took no part."""

    rounds: Mapping[str, Mapping[str, Sequence[float]]]
    left_out: Mapping[str, str]

    def spread(self, name: str, figure: str) -> Spread:
        """Return the spread of one contender's figure."""
        return Spread.of(self.rounds[name][figure])

    def ratio(self, ours: str, other: str, figure: str = "step_us") -> Spread | None:
        """Return the spread of the ratio of ``ours`` to ``other`` over the rounds; None if one of them took no part."""
        if not {ours, other} <= self.rounds.keys():
            return None
        pairs = zip(self.rounds[ours][figure], self.rounds[other][figure], strict=True)
        return Spread.of([one / another for one, another in pairs])

    def document(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return asdict(self)


def figures(turns: Sequence[Sequence[GangStep]]) -> dict[str, list[float]]:
    """Return the medians over the steps of each turn."""
    return {
        "step_us": [round(median(step.duration_us for step in turn), 1) for turn in turns],
        "exposed_us": [round(median(step.exposed_us for step in turn), 1) for turn in turns],
        "communication_us": [round(median(step.communication_us for step in turn), 1) for turn in turns],
        "samples_per_second": [round(median(s.samples / s.duration_us * 1e6 for s in turn), 2) for turn in turns],
        "steps": [len(turn) for turn in turns],
    }


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"

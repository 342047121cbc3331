"""Rounds, and the answers of their pairs: intervals of bandwidth both ways, a death or a hang. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ringscope.diagnosis.rounds import Pair


class Ending(StrEnum):
    """The end of the measurement of a pair."""

    MEASURED = "measured"
    HUNG = "hung"
    DIED = "died"


class Rate(NamedTuple):
    """Bandwidth in one direction: its 95 % interval in bytes/s, and the relative deviation of single repetitions."""

    low: float
    high: float
    spread: float = 0.0

    @property
    def centre(self) -> float:
        """Return the middle of the interval."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Answer:
    """The measurement of a pair: ``there`` is from its first node to the second one, ``back`` the other way.

    ``gone`` is the node of the pair that an agent or the operating system reports as dead or stopped. ``rail`` is the
    rail of both nodes that was measured; None: the nodes as wholes.
    """

    pair: Pair
    there: Rate | None = None
    back: Rate | None = None
    ending: Ending = Ending.MEASURED
    gone: str | None = None
    rail: int | None = None

    def __post_init__(self) -> None:
        if (self.ending is Ending.MEASURED) != (self.there is not None and self.back is not None):
            raise ValueError("an answer has both rates if it was measured, and none otherwise")
        if self.gone is not None and (self.ending is Ending.MEASURED or self.gone not in self.pair):
            raise ValueError("the node that is gone belongs to a pair that hung or died")

    def ways(self) -> tuple[tuple[Pair, Rate], ...]:
        """Return each measured direction as (source, destination) with its rate."""
        if self.there is None or self.back is None:
            return ()
        return (self.pair, self.there), ((self.pair[1], self.pair[0]), self.back)


@dataclass(frozen=True, slots=True)
class Round:
    """Disjoint pairs that are measured at the same time.

    Pairs of ``loaded`` load the boundaries between racks together. ``reasons`` has a sentence for each confirmation.
    """

    number: int
    pairs: tuple[Pair, ...]
    loaded: frozenset[Pair] = frozenset()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """A round with the answers of its pairs."""

    round: Round
    answers: tuple[Answer, ...]

"""The rank that comes last to a step, and by how much, within the accuracy of the nodes' clocks. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a step on one rank.

    Args:
        node: ranks of one node share a clock, so its error does not matter between them.
        time_ns: by one clock for all nodes.
        error_us: the largest possible error of ``time_ns``; None if the offset of the node's clock is not known.
    """

    rank: int
    node: str
    time_ns: int
    error_us: float | None


@dataclass(frozen=True, slots=True)
class Arrival:
    """The last arrival of a step.

    Args:
        late_us: after the median rank (of an even number the earlier of the two in the middle).
        error_us: the largest possible error of ``late_us``; None if it is not known.
        spread_us: between the first rank and the last.
    """

    last_rank: int
    late_us: float
    error_us: float | None
    spread_us: float

    @property
    def is_real(self) -> bool:
        """Return whether the last rank was late by more than the clock error."""
        return self.error_us is not None and self.late_us > self.error_us


def arrival(starts: Sequence[Start]) -> Arrival | None:
    """Compare the starts of one step by all ranks; return None for fewer than two.

    Lateness is measured from the median, so that several slow ranks do not hide each other and one early rank does not
    make the others late.
    """
    if len(starts) < 2:
        return None
    ordered = sorted(starts, key=lambda start: (start.time_ns, start.rank))
    first, middle, last = ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1]
    return Arrival(
        last.rank,
        (last.time_ns - middle.time_ns) / 1e3,
        _error_between_us(last, middle),
        (last.time_ns - first.time_ns) / 1e3,
    )


def _error_between_us(one: Start, other: Start) -> float | None:
    if one.node == other.node:
        return 0.0
    if one.error_us is None or other.error_us is None:
        return None
    return one.error_us + other.error_us

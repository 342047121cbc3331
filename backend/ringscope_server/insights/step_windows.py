"""Steps that every rank has reported, gathered into windows of similar steps. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ringscope_server.results.arrivals import Start

WINDOW_STEPS = 20
MIN_US = 2_000.0  # the least difference between ranks' times that counts
# the same where ranks wait for cores: the kernel alone makes them differ by this much
CROWDED_MIN_US = 20_000.0
MAX_PENDING = 2_000  # steps that some rank has not reported yet; older ones are given up


@dataclass(frozen=True, slots=True)
class RankStep:
    """One step of one rank, on one clock for all nodes.

    Args:
        outside_us: the time since the end of the rank's previous step; None if it is not known.
        input_us: the time in which it waited for its samples; None if it was not measured.
        loss: of a training step; None if there is none, or if it is not finite.
    """

    start: Start
    duration_us: float
    compute_us: float
    outside_us: float | None = None
    input_us: float | None = None
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """The fields that steps must have in common to be compared."""

    op: str
    algorithm: str
    in_place: bool
    size_bytes: int


@dataclass(frozen=True, slots=True)
class StepWindow:
    """Consecutive steps (or a sample of them) of one block, each with every rank."""

    block: Block
    steps: Sequence[Sequence[RankStep]]


class StepWindows:
    """Takes rows as they come and returns windows as they fill.

    Args:
        ranks: of the gang.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._pending: dict[tuple[Block, int], list[RankStep]] = {}
        self._filling: defaultdict[Block, list[list[RankStep]]] = defaultdict(list)

    def add(self, rows: Iterable[tuple[Block, int, RankStep]]) -> list[StepWindow]:
        """Take in rows of block, step number and a rank's step; return the windows that they complete."""
        full = []
        for block, number, step in rows:
            of_step = self._pending.setdefault((block, number), [])
            of_step.append(step)
            if len(of_step) == self._ranks:
                del self._pending[block, number]
                self._filling[block].append(of_step)
                if len(self._filling[block]) == WINDOW_STEPS:
                    full.append(StepWindow(block, self._filling.pop(block)))
        for key in list(self._pending)[: max(0, len(self._pending) - MAX_PENDING)]:
            del self._pending[key]
        return full

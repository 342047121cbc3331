"""Finds ranks that stand still without having ended, while their gang waits for them (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from ringscope_agent.launch.stopped import STANDSTILLS

LOOK_SECONDS = 1.0
STALL_SECONDS = 4.0
# This is long enough for a slow disk: a wrong verdict ends the whole run.
KERNEL_SECONDS = 30.0


@dataclass(frozen=True)
class _Standstill:
    """The time that a state of ``process_group.standstill_of`` may last, and the sentence for it."""

    seconds: float
    words: str


# State t, a rank under a debugger, is ignored, because a person inspects it.
_STANDSTILLS = {
    "T": _Standstill(STALL_SECONDS, STANDSTILLS["T"]),
    "F": _Standstill(STALL_SECONDS, STANDSTILLS["F"]),
    "D": _Standstill(
        KERNEL_SECONDS, "stuck in the kernel for {seconds:.0f} s (state D: a disk, network file or driver)"
    ),
}


class Stall(BaseModel):
    """The first rank that stands still, and a sentence about it."""

    rank: int
    message: str


class StallWatch:
    """Gets at every look the states of a node's ranks."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._stood: dict[int, tuple[str, float]] = {}  # each rank's state, and for how many seconds
        self._looked_at: float | None = None

    def look(self, states: Mapping[int, str], pids: Mapping[int, int], now: float) -> Stall | None:
        """Return what to report, if anything; ``now`` is seconds of a monotonic clock.

        A very late look counts only a little: the watching process may have stood still as well.
        """
        passed = 0.0 if self._looked_at is None else min(now - self._looked_at, 2 * LOOK_SECONDS)
        self._looked_at = now
        self._stood = {
            rank: (state, self._stood[rank][1] + passed if self._stood.get(rank, ("",))[0] == state else 0.0)
            for rank, state in states.items()
            if state in _STANDSTILLS
        }
        stalled = [rank for rank, (state, seconds) in self._stood.items() if seconds >= _STANDSTILLS[state].seconds]
        return self._stall(min(stalled), len(stalled) - 1, pids) if stalled else None

    def _stall(self, rank: int, others: int, pids: Mapping[int, int]) -> Stall:
        state, seconds = self._stood[rank]
        who = f"Rank {rank} on node {self._node} (pid {pids[rank]})"
        how = _STANDSTILLS[state].words.format(seconds=seconds)
        more = f", as {others} more there," if others else ""
        return Stall(rank=rank, message=f"{who}{more} has been {how}, and all others wait for it.")

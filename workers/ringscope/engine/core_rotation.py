"""Core rotation: the core of each rank on a machine that has fewer cores than ranks.

Otherwise the kernel decides which ranks share a core, for tens of milliseconds: with three ranks on two cores,
operations with a root take 22 us while the root has a core of its own and 38 us while it shares one, and a library's
all-reduce takes 23 us or 16 us. A fair comparison times each algorithm in every assignment.
"""

import os
from collections.abc import Sequence
from contextlib import suppress


class CoreRotation:
    """The cores of this rank, by turn."""

    def __init__(self, machines: Sequence[str], rank: int) -> None:
        """``machines`` are the machines of all ranks; ``rank`` is this rank."""
        self._ranks = machines.count(machines[rank])
        self._local_rank = machines[:rank].count(machines[rank])

    def take(self, turn: int) -> None:
        """Move to the core for ``turn``; the rank stays there until the kernel moves it."""
        if not hasattr(os, "sched_setaffinity"):
            return
        allowed = sorted(os.sched_getaffinity(0))
        if self._ranks <= len(allowed):
            return
        with suppress(OSError):  # the kernel decides if a sandbox forbids the call
            os.sched_setaffinity(0, {allowed[core_of(self._local_rank, turn, self._ranks, len(allowed))]})
            os.sched_setaffinity(0, allowed)


def core_of(local_rank: int, turn: int, ranks: int, cores: int) -> int:
    """Return the core of ``local_rank``, one of ``ranks`` ranks on fewer ``cores``.

    In even turns adjacent ranks share a core, in odd turns ranks that are ``cores`` apart; every second turn the
    assignment shifts by one rank, so that each rank is alone equally often.
    """
    position = (local_rank + turn // 2) % ranks
    return position * cores // ranks if turn % 2 == 0 else position % cores

"""Seats: which core each rank of a machine has that has fewer cores than ranks.

Who then shares a core with whom is the kernel's luck, and it lasts for tens of milliseconds: with three ranks on two
cores what has a root takes 22 us while the root has a core of its own and 38 us while it shares one, and a library's
all-reduce 23 us or 16 us. Who is to be compared fairly is timed in every seating.
"""

import os
from collections.abc import Sequence
from contextlib import suppress


class Seats:
    """This rank's seats, turn by turn."""

    def __init__(self, machines: Sequence[str], rank: int) -> None:
        """``machines`` are those of all ranks, ``rank`` is this one."""
        self._ranks = machines.count(machines[rank])
        self._place = machines[:rank].count(machines[rank])

    def take(self, turn: int) -> None:
        """Go where ``turn`` seats this rank: there it is from now on, until the kernel finds it another place."""
        if not hasattr(os, "sched_setaffinity"):
            return
        allowed = sorted(os.sched_getaffinity(0))
        if self._ranks <= len(allowed):
            return
        with suppress(OSError):  # where a sandbox forbids it the kernel's luck stays
            os.sched_setaffinity(0, {allowed[seat(self._place, turn, self._ranks, len(allowed))]})
            os.sched_setaffinity(0, allowed)


def seat(place: int, turn: int, ranks: int, cores: int) -> int:
    """The core of the rank at ``place``, of ``ranks`` on fewer ``cores``.

    In even turns neighbours share, in odd ones those that lie ``cores`` apart; every other turn each moves up by one,
    so that each is alone as often as the others.
    """
    position = (place + turn // 2) % ranks
    return position * cores // ranks if turn % 2 == 0 else position % cores

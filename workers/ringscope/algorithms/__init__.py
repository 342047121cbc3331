"""The algorithms by name: each is a pure function (ranks, count) -> Schedule in a file of its own."""

from collections.abc import Callable

from ringscope.algorithms.direct import direct
from ringscope.algorithms.naive import naive
from ringscope.algorithms.ring import ring
from ringscope.schedule import Schedule

SCHEDULES: dict[str, Callable[[int, int], Schedule]] = {"ring": ring, "naive": naive, "direct": direct}
# Collectives of a library, which executes them without a schedule of ours.
VENDORS: frozenset[str] = frozenset({"mpi"})


def choose(transport: str, size_bytes: int) -> str:
    """What ``auto`` means; measured with MPICH 5.0, whose own all-reduce is level or ahead below 32 KiB."""
    if size_bytes < 32 << 10:
        return "mpi"
    return "direct" if transport == "shared_memory" else "ring"

"""The names of collectives and algorithms, and what a size means in each collective. Pure.

The schedules that execute them are built in ``ringscope.schedules.algorithms``, by these names.
"""

from typing import Literal, get_args

Collective = Literal["all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "alltoall", "sendrecv"]
# Our algorithms; every other collective supports a subset of them.
ScheduledAlgorithm = Literal[
    "ring",
    "ring_pipelined",
    "direct",
    "recursive_doubling",
    "halving_doubling",
    "tree",
    "double_tree",
    "hierarchical",
    "parameter_server",
    "naive",
]
Algorithm = Literal["auto", ScheduledAlgorithm, "mpi", "gloo", "nccl"]

COLLECTIVES: tuple[str, ...] = get_args(Collective)
ALGORITHMS: tuple[str, ...] = get_args(Algorithm)
AUTO = "auto"  # in a job: ``ringscope.choice.chooser`` chooses an algorithm for each row
# The algorithms of each collective for which we have a schedule.
SCHEDULED: dict[str, tuple[str, ...]] = {
    "all_reduce": get_args(ScheduledAlgorithm),
    "reduce_scatter": ("ring", "direct"),
    "all_gather": ("ring", "direct"),
    "broadcast": ("ring", "tree", "naive"),
    "reduce": ("ring", "tree", "naive"),
    "alltoall": ("direct",),
    "sendrecv": ("ring",),
}
# Algorithms whose schedules use channels (``ringscope.schedules.algorithms.channels``). Trees with a root do not:
# through its own card the root would send or receive the parts of all channels, which is as much as in one channel.
IN_CHANNELS: frozenset[tuple[str, str]] = frozenset(
    {
        ("all_reduce", "ring"),
        ("all_reduce", "ring_pipelined"),
        ("all_reduce", "tree"),
        ("all_reduce", "double_tree"),
        ("reduce_scatter", "ring"),
        ("all_gather", "ring"),
        ("broadcast", "ring"),
        ("reduce", "ring"),
    }
)
REDUCING: frozenset[str] = frozenset({"all_reduce", "reduce_scatter", "reduce"})
ROOTED: frozenset[str] = frozenset({"broadcast", "reduce"})
# each rank has its own part of the buffer
PER_RANK: frozenset[str] = frozenset({"reduce_scatter", "all_gather", "alltoall"})
UNCHECKED_IN_PLACE: frozenset[str] = frozenset({"alltoall", "sendrecv"})
# Libraries that execute collectives without a schedule of ours, and the collectives that we call in each.
VENDORS: dict[str, frozenset[str]] = {
    "mpi": frozenset(COLLECTIVES),
    "gloo": frozenset({"all_reduce"}),
    "nccl": frozenset(COLLECTIVES),
}


def nameable(collective: object) -> tuple[str, ...]:
    """Return the names that a job may give for a collective: auto, and everything that can execute it."""
    names = available(collective)
    return (AUTO, *names) if names else ()


def available(collective: object) -> tuple[str, ...]:
    """Return every name that can execute a collective: our algorithms, then the libraries; none for an unknown
    collective.
    """
    schedules = SCHEDULED.get(collective) if isinstance(collective, str) else None
    return (*schedules, *(name for name, theirs in VENDORS.items() if collective in theirs)) if schedules else ()


def bus_factor(collective: str, ranks: int) -> float:
    """Return the factor from algbw to busbw (nccl-tests doc/PERFORMANCE.md)."""
    match collective:
        case "all_reduce":
            return 2 * (ranks - 1) / ranks
        case "reduce_scatter" | "all_gather" | "alltoall":
            return (ranks - 1) / ranks
        case "broadcast" | "reduce" | "sendrecv":
            return 1.0
    raise ValueError(f"{collective} has no bus factor.")


def total_elements(collective: str, count: int, ranks: int) -> int:
    """Return the elements of the larger of input and result; ``count`` is per rank for the collectives for which
    nccl-tests counts it so.
    """
    return count * ranks if collective in PER_RANK else count


def elements(collective: str, size_bytes: int, itemsize: int, ranks: int) -> tuple[int, int]:
    """Convert a size to (the count column, the elements of the larger of input and result).

    Collectives with a part per rank count that part, in whole pieces of 16 bytes, so that small sizes become 0.
    """
    if collective in PER_RANK:
        count = size_bytes // itemsize // ranks & -(16 // itemsize)
        return count, count * ranks
    return size_bytes // itemsize, size_bytes // itemsize

"""The algorithms by name: each is a pure function (ranks, count) -> Schedule in a file of its own."""

from collections.abc import Callable
from functools import partial

from ringscope.algorithms.direct import direct
from ringscope.algorithms.double_tree import double_tree
from ringscope.algorithms.halving_doubling import halving_doubling
from ringscope.algorithms.hierarchical import Nodes, hierarchical
from ringscope.algorithms.naive import naive
from ringscope.algorithms.parameter_server import parameter_server
from ringscope.algorithms.recursive_doubling import recursive_doubling
from ringscope.algorithms.ring import ring
from ringscope.algorithms.ring_pipelined import ring_pipelined
from ringscope.algorithms.tree import tree
from ringscope.schedule import Schedule

SCHEDULES: dict[str, Callable[[int, int], Schedule]] = {
    "ring": ring,
    "ring_pipelined": ring_pipelined,
    "direct": direct,
    "recursive_doubling": recursive_doubling,
    "halving_doubling": halving_doubling,
    "tree": tree,
    "double_tree": double_tree,
    "hierarchical": hierarchical,
    "parameter_server": parameter_server,
    "naive": naive,
}
# Collectives of a library, which executes them without a schedule of ours.
VENDORS: frozenset[str] = frozenset({"mpi"})


def build(algorithm: str, ranks: int, count: int, nodes: Nodes | None = None) -> Schedule:
    """The schedule of an algorithm; ``nodes`` lists the ranks of each node, for those that care."""
    builder = partial(hierarchical, nodes=nodes) if algorithm == "hierarchical" else SCHEDULES[algorithm]
    return builder(ranks, count)


def choose(transport: str, size_bytes: int) -> str:
    """What ``auto`` means; measured with MPICH 5.0, whose own all-reduce is level or ahead below 32 KiB."""
    if size_bytes < 32 << 10:
        return "mpi"
    return "direct" if transport == "shared_memory" else "ring"

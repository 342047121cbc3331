"""The algorithms by name: each is a pure function (ranks, count) -> Schedule.

An algorithm of all-reduce has a file of its own; those of another collective are in the file of the collective. All
schedules work on the whole layout: in a reduce-scatter, all-gather or all-to-all of p ranks, the part of rank r is
chunk r of p.
"""

from collections.abc import Callable
from functools import partial

from ringscope.contracts.words.collectives import IN_CHANNELS, ROOTED
from ringscope.schedules.algorithms import all_gather, alltoall, broadcast, reduce, reduce_scatter, sendrecv
from ringscope.schedules.algorithms.channels import in_channels
from ringscope.schedules.algorithms.direct import direct
from ringscope.schedules.algorithms.double_tree import double_tree
from ringscope.schedules.algorithms.halving_doubling import halving_doubling
from ringscope.schedules.algorithms.hierarchical import Nodes, hierarchical
from ringscope.schedules.algorithms.naive import naive
from ringscope.schedules.algorithms.parameter_server import parameter_server
from ringscope.schedules.algorithms.recursive_doubling import recursive_doubling
from ringscope.schedules.algorithms.ring import ring
from ringscope.schedules.algorithms.ring_pipelined import ring_pipelined
from ringscope.schedules.algorithms.tree import tree
from ringscope.schedules.schedule import Schedule, aligned, partition

Builder = Callable[..., Schedule]  # (ranks, count), and the further arguments that ``build`` passes to some builders

SCHEDULES: dict[str, Builder] = {
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
BUILDERS: dict[str, dict[str, Builder]] = {
    "all_reduce": SCHEDULES,
    "reduce_scatter": {"ring": reduce_scatter.ring, "direct": reduce_scatter.direct},
    "all_gather": {"ring": all_gather.ring, "direct": all_gather.direct},
    "broadcast": {"ring": broadcast.ring, "tree": broadcast.tree, "naive": broadcast.naive},
    "reduce": {"ring": reduce.ring, "tree": reduce.tree, "naive": reduce.naive},
    "alltoall": {"direct": alltoall.direct},
    "sendrecv": {"ring": sendrecv.ring},
}
# In these the part of each rank is fixed; in the others only the algorithm decides where a buffer is cut.
CUT_BY_RESULT = ("reduce_scatter", "all_gather", "alltoall")
# algorithms whose chunks belong to the ranks in turn
_CHUNKS_ARE_RANKS = (ring, ring_pipelined, reduce_scatter.ring, all_gather.ring)


def channels_of(collective: str, algorithm: str, channels: int) -> int:
    """Return the channel count of an algorithm when ``channels`` are requested: 1 if it cannot use more."""
    return channels if (collective, algorithm) in IN_CHANNELS else 1


def build(
    algorithm: str,
    ranks: int,
    count: int,
    nodes: Nodes | None = None,
    collective: str = "all_reduce",
    root: int = 0,
    channels: int = 1,
) -> Schedule:
    """Build the schedule of an algorithm; ``nodes`` lists the ranks of each node (None: all on one node).

    ``channels`` applies to algorithms that use several; each channel leaves the nodes through a different rank.
    ValueError if a node has fewer ranks.
    """
    builder = BUILDERS[collective][algorithm]
    if channels_of(collective, algorithm, channels) != 1:
        where = [range(ranks)] if nodes is None else nodes
        rooted = root if collective in ROOTED else None
        cut = partition if collective in CUT_BY_RESULT else aligned
        return in_channels(builder, ranks, count, where, channels, builder in _CHUNKS_ARE_RANKS, rooted, cut)
    if builder is hierarchical:
        builder = partial(builder, nodes=nodes)
    if collective in ROOTED:
        builder = partial(builder, root=root)
    return builder(ranks, count)

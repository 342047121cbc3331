"""Estimate the work of computing a price, so that a server can refuse requests that would take minutes. Pure."""

from ringscope.contracts.cluster import MAX_SIMULATED_RANKS
from ringscope.contracts.words.collectives import ROOTED
from ringscope.contracts.words.topology import Topology
from ringscope.schedules.algorithms import channels_of
from ringscope.schedules.algorithms.chain import MAX_SEGMENTS as CHAIN_SEGMENTS
from ringscope.schedules.algorithms.double_tree import MAX_SEGMENTS as TREE_SEGMENTS
from ringscope.schedules.algorithms.double_tree import SEGMENT_ELEMENTS as TREE_ELEMENTS
from ringscope.schedules.algorithms.ring_pipelined import MAX_SEGMENTS as RING_SEGMENTS
from ringscope.schedules.algorithms.ring_pipelined import SEGMENT_ELEMENTS as RING_ELEMENTS

SEPARATE = "separate_servers"
COLLECTS = "gather"  # half an all-reduce: one rank has the sum, and the others do not
FORMULAS: tuple[str, ...] = (COLLECTS, "separate_servers_duplex", "assisted_servers")
# Up to this number messages are priced one by one (about 50 us each), with full detail.
_MAX_STEPWISE_MESSAGES = 20_000
# limit for schedules in several channels: classes give the same result for them, quickly
_MAX_STEPWISE_IN_CHANNELS = 4_000
# Limit for messages on shared links, for which classes give only an upper bound; beyond it the bound must do.
_MAX_CONTENDED_MESSAGES = 100_000
# The cost of prices by classes of equal ranks, in messages that are followed: of any price, of a rotation through all
# ranks per rank of a node or rack, of a double tree per this many of its messages, of a round in which all ranks
# exchange, and of a hop of a chain in channels.
_BY_CLASSES = 1_000
_BY_ROTATION = 60
_TREE_MESSAGES = 100
_BY_MEETING = 10
_BY_HOP = 2


def message_count(
    algorithm: str, ranks: int, elements: int, servers: int = 1, collective: str = "all_reduce", channels: int = 1
) -> int:
    """Estimate the number of messages of a schedule, rarely too low; formulas have none.

    The messages of several channels are counted separately, even if contiguous ones are sent as one; so are the chunks
    of halving and doubling, whose schedule takes long to build.
    """
    channels = channels_of(collective, algorithm, channels)
    return channels * _message_count(algorithm, ranks, -(-elements // channels), servers, collective)


def is_stepwise(messages: int, channels: int) -> bool:
    """Return whether this number of messages is simulated one by one, even if classes of equal ranks would suffice."""
    return messages <= (_MAX_STEPWISE_MESSAGES if channels == 1 else _MAX_STEPWISE_IN_CHANNELS)


def is_bound_enough(messages: int, ranks: int) -> bool:
    """Return whether this number of messages on shared links is bounded instead of simulated one by one."""
    return messages > _MAX_CONTENDED_MESSAGES or ranks > MAX_SIMULATED_RANKS


def followed_count(algorithm: str, topology: Topology, elements: int, servers: int, collective: str) -> int:
    """Estimate the work of a price that may use classes, in messages: a ring through all cards on any links."""
    ranks = topology.ranks
    messages = message_count(algorithm, ranks, elements, servers, collective, topology.rails)
    channels = channels_of(collective, algorithm, topology.rails)
    if is_stepwise(messages, channels) and ranks <= MAX_SIMULATED_RANKS:
        return messages
    if algorithm == SEPARATE or (algorithm == "parameter_server" and servers > 1):
        return messages  # all ranks differ
    has_classes = algorithm == "ring" and collective not in ROOTED and channels == topology.ranks_per_node > 1
    if topology.shares_links and not has_classes and not is_bound_enough(messages, ranks):
        return messages
    return _BY_CLASSES + _class_work(algorithm, topology, messages, collective)


def _class_work(algorithm: str, topology: Topology, messages: int, collective: str) -> int:
    is_in_racks = topology.nodes_per_rack is not None and topology.nodes_per_rack < topology.node_count
    period = topology.ranks_per_node * (topology.nodes_per_rack or 1) if is_in_racks else topology.ranks_per_node
    match algorithm:
        case "double_tree":
            return messages // _TREE_MESSAGES
        case "direct" if collective == "alltoall":
            return _BY_MEETING * topology.ranks
        case "ring" if collective not in ROOTED:
            return _BY_ROTATION * period
        case "ring" if topology.rails > 1:
            return _BY_HOP * topology.ranks
        case "ring_pipelined" | "direct":
            return 3 * _BY_ROTATION * period
        case _:
            return 0


def _message_count(algorithm: str, ranks: int, elements: int, servers: int, collective: str) -> int:
    pairs = ranks * (ranks - 1)
    if algorithm in (*FORMULAS, "nccl"):
        return 0
    if collective in ROOTED:
        return ranks * (CHAIN_SEGMENTS if algorithm == "ring" else 1)
    match algorithm:
        case "tree" | "naive":
            return 2 * ranks
        case "recursive_doubling":
            return 2 * ranks * (ranks.bit_length() + 1)
        case "parameter_server":
            return 2 * min(servers, ranks) * ranks
        case _ if algorithm == SEPARATE:
            return 2 * servers * ranks
        case "ring_pipelined":
            wanted = max(2, -(-elements // (ranks * RING_ELEMENTS)))
            return 2 * pairs * min(wanted, RING_SEGMENTS)
        case "double_tree":
            wanted = max(1, elements // (2 * TREE_ELEMENTS))
            return 4 * ranks * min(wanted, TREE_SEGMENTS)
        case _:
            return 2 * pairs

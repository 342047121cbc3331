"""How much work a price is, so that a server can refuse what would keep it busy for minutes. Pure."""

from ringscope.contracts.topology import Topology
from ringscope.schedules.algorithms import channels_of
from ringscope.schedules.algorithms.chain import MAX_SEGMENTS as CHAIN_SEGMENTS
from ringscope.schedules.algorithms.double_tree import MAX_SEGMENTS as TREE_SEGMENTS
from ringscope.schedules.algorithms.double_tree import SEGMENT_ELEMENTS as TREE_ELEMENTS
from ringscope.schedules.algorithms.ring_pipelined import MAX_SEGMENTS as RING_SEGMENTS
from ringscope.schedules.algorithms.ring_pipelined import SEGMENT_ELEMENTS as RING_ELEMENTS

SEPARATE = "separate_servers"
FORMULAS: tuple[str, ...] = ("gather", "separate_servers_duplex", "assisted_servers")
# Up to so many are priced one by one (some 50 us each), with all that is known of them then.
_MAX_STEPWISE_MESSAGES = 20_000
_MAX_STEPWISE_IN_CHANNELS = 4_000  # those of several channels; what comes of classes is then the same, and soon there
_BY_CLASSES = 1_000  # what a ring costs by classes of equal ranks, in messages that are followed


def message_count(
    algorithm: str, ranks: int, elements: int, servers: int = 1, collective: str = "all_reduce", channels: int = 1
) -> int:
    """About as many messages as the schedule has, and not much fewer; formulas have none.

    Of several channels each message counts for itself, also where neighbours in memory travel as one.
    """
    channels = channels_of(collective, algorithm, channels)
    return channels * _message_count(algorithm, ranks, -(-elements // channels), servers, collective)


def is_stepwise(messages: int, channels: int) -> bool:
    """Whether so many messages are followed one by one, even where classes of equal ranks would do."""
    return messages <= (_MAX_STEPWISE_MESSAGES if channels == 1 else _MAX_STEPWISE_IN_CHANNELS)


def followed_count(algorithm: str, topology: Topology, elements: int, servers: int, collective: str) -> int:
    """The work of a price, in messages: a ring through all cards of all nodes has classes on whatever links."""
    messages = message_count(algorithm, topology.ranks, elements, servers, collective, topology.rails)
    channels = channels_of(collective, algorithm, topology.rails)
    has_classes = algorithm == "ring" and channels == topology.ranks_per_node > 1
    return _BY_CLASSES if has_classes and not is_stepwise(messages, channels) else messages


def _message_count(algorithm: str, ranks: int, elements: int, servers: int, collective: str) -> int:
    pairs = ranks * (ranks - 1)
    if algorithm in (*FORMULAS, "nccl"):
        return 0
    if collective in ("broadcast", "reduce"):
        return ranks * (CHAIN_SEGMENTS if algorithm == "ring" else 1)
    match algorithm:
        case "tree" | "naive":
            return 2 * ranks
        case "recursive_doubling" | "halving_doubling":
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

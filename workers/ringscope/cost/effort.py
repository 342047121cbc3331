"""How much work a price is, so that a server can refuse what would keep it busy for minutes. Pure."""

from ringscope.schedules.algorithms.chain import MAX_SEGMENTS as CHAIN_SEGMENTS
from ringscope.schedules.algorithms.double_tree import MAX_SEGMENTS as TREE_SEGMENTS
from ringscope.schedules.algorithms.double_tree import SEGMENT_ELEMENTS as TREE_ELEMENTS
from ringscope.schedules.algorithms.ring_pipelined import MAX_SEGMENTS as RING_SEGMENTS
from ringscope.schedules.algorithms.ring_pipelined import SEGMENT_ELEMENTS as RING_ELEMENTS

SEPARATE = "separate_servers"
FORMULAS: tuple[str, ...] = ("gather", "separate_servers_duplex", "assisted_servers")
# Up to so many are priced one by one (some 50 us each), with all that is known of them then.
MAX_STEPWISE_MESSAGES = 20_000


def message_count(algorithm: str, ranks: int, elements: int, servers: int = 1, collective: str = "all_reduce") -> int:
    """About as many messages as the schedule has, and not much fewer; formulas have none."""
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

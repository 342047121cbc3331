"""Rings in several channels, as rounds of whole messages on classes of equal ranks. Pure.

Everything that a rank sends to another one in one step is one message, for any number of channels. The schedules are
those of ``ringscope.schedules.algorithms.channels``.
"""

from collections.abc import Sequence

import numpy as np

from ringscope.contracts.words.topology import Topology
from ringscope.cost.rounds import Rounds


def ring(
    rounds: Rounds, topology: Topology, period: int, phases: Sequence[str], size_bytes: int, segments: int
) -> None:
    """Compute rings with ``segments`` per chunk, of ``size_bytes`` each, in all channels of the topology.

    In each step a rank sends all channels but one to its neighbour in the node; the channel that leaves the node here
    goes to the next node.
    """
    each, channels, is_spread = topology.ranks_per_node, topology.rails, topology.node_count > 1
    src = np.arange(period)
    local, node = src % each, src - src % each
    leaves, enters = (local < channels) & is_spread, ((local - 1) % each < channels) & is_spread
    beside, leaving = node + (local + 1) % each, src[leaves]
    across = (beside[leaves] + each) % topology.ranks
    inside_bytes = size_bytes * (channels - leaves)
    # some channels that arrive from inside the node also leave inside it
    goes_on = channels - enters.astype(np.int64) - leaves > 0
    # For each segment: when the last part from inside the node was added, and when the part from the previous node was
    # added.
    arrived = [(np.zeros(period), np.zeros(period)) for _ in range(segments)]
    for phase in phases:

        def pass_on(phase: str = phase) -> None:
            is_sum = phase == "reduce_scatter"
            for inside_s, across_s in arrived:
                stays_s, leaves_s = np.maximum(across_s, np.where(goes_on, inside_s, 0.0)), inside_s[leaving]
                inside_s[beside % period] = rounds.send(phase, src, beside, inside_bytes, is_sum, stays_s)
                if is_spread:
                    across_s[across % period] = rounds.send(
                        phase, leaving, across, size_bytes, is_sum, leaves_s, is_same_step=True
                    )

        kept = [times_s for pair in arrived for times_s in pair]
        rounds.repeat(topology.ranks - 1, pass_on, period, kept)

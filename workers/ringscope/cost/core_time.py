"""Time of a call on the cores of one node, if ranks wait for cores and not for links. Pure.

If ranks reach each other's memory and each chunk has a hub, no rank waits for single messages: once all inputs are
available, each hub adds its chunks and writes them to every receiver; then all ranks wait once more. If ranks share a
core, one waits for the work of another: a call takes the sum of their work, plus a task switch for each step of the
longest path.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ringscope.contracts.words.topology import Link
from ringscope.schedules.schedule import Hub, Schedule


class Cores(NamedTuple):
    """Ranks per core, whether ranks reach each other's memory, and the cost of an addition or a copy.

    ``call_s`` are the seconds of one call without its bytes.
    """

    ranks_each: float
    call_s: float
    is_shared_memory: bool

    @property
    def are_shared(self) -> bool:
        """Return whether any rank waits for a core."""
        return self.ranks_each > 1


def hub_seconds(
    schedule: Schedule, hubs: Sequence[Hub], itemsize_bytes: int, link: Link, reduce_s_per_byte: float, cores: Cores
) -> float:
    """Return the time of the rank with the most work, but at least the time of all work on the available cores.

    ``link`` is between two ranks; its latency is that of a wait. Times per byte are those of ranks that share cores.
    """
    work_s = [0.0] * schedule.ranks
    for hub in hubs:
        size_bytes = schedule.chunks[hub.chunk].length * itemsize_bytes
        adding_s = len(hub.sources) * (cores.call_s + size_bytes * reduce_s_per_byte)
        work_s[hub.rank] += adding_s + len(hub.destinations) * (cores.call_s + size_bytes / link.bytes_per_s)
    return 2 * link.latency_s + max(max(work_s) / cores.ranks_each, sum(work_s) / schedule.ranks)


def crowded_seconds(
    schedule: Schedule, itemsize_bytes: int, link: Link, reduce_s_per_byte: float, cores: Cores
) -> float:
    """Return the time when ranks share cores and send messages, with no overlap of work."""
    work_s = [0.0] * schedule.ranks
    for transfer in schedule.transfers():
        size_bytes = schedule.chunks[transfer.chunk].length * itemsize_bytes
        adding_s = size_bytes * reduce_s_per_byte if transfer.reduce else 0.0
        work_s[transfer.dst] += cores.call_s * cores.ranks_each + size_bytes / link.bytes_per_s + adding_s
    busiest_s = max(max(work_s) / cores.ranks_each, sum(work_s) / schedule.ranks)
    return schedule.hops() * link.latency_s + busiest_s

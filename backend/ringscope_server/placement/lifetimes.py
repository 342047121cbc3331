"""The nodes that stay long enough for a job that would start now. Pure."""

from bisect import bisect_left
from collections.abc import Iterable
from datetime import datetime

from ringscope_server.placement.snapshot import NodeState


class Lifetimes:
    """The nodes that leave, by how long they can still be used."""

    def __init__(self, nodes: Iterable[NodeState], now: datetime) -> None:
        leaving = sorted(((node.free_by - now).total_seconds(), node.name) for node in nodes if node.free_by)
        self._seconds = [seconds for seconds, _ in leaving]
        self._names = [name for _, name in leaving]
        self._found: dict[int, frozenset[str]] = {}  # by how many they are: few time limits differ in that

    def too_short(self, seconds: float) -> frozenset[str]:
        """Return the names of the nodes that leave before a job with this time limit must have ended."""
        count = bisect_left(self._seconds, seconds)
        if count not in self._found:
            self._found[count] = frozenset(self._names[:count])
        return self._found[count]

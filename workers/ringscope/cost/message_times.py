"""Times of the events of each message, and how to compute them when no message shares a link. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from ringscope.contracts.words.topology import Path
from ringscope.schedules.message_graph import MessageGraph


@dataclass(frozen=True, slots=True)
class MessageTimes:
    """Columns in model time (seconds): a message starts, arrives, begins to be added, and is done.

    ``queues`` is the message for whose addition it waited before its own (None: it did not wait).
    """

    start_s: list[float]
    arrived_s: list[float]
    adding_s: list[float]
    end_s: list[float]
    queues: list[int | None]

    @property
    def columns(self) -> tuple[list[float], list[float], list[float], list[float]]:
        """Yield the times of each message."""
        return self.start_s, self.arrived_s, self.adding_s, self.end_s


def times_alone(
    graph: MessageGraph, sizes_bytes: Sequence[int], paths: Sequence[Path], reduce_s_per_byte: float
) -> MessageTimes:
    """Return the times of messages that share no link, so that none depends on a later one; ``paths`` by
    ``graph.pairs``.

    They are bitwise equal to those of ``EventQueue``, without a queue.
    """
    count = len(graph)
    start_s, arrived_s, adding_s, end_s = ([0.0] * count for _ in range(4))
    queues: list[int | None] = [None] * count
    links = [(path.latency_s, path.bytes_per_s) for path in paths]
    columns = zip(graph.ended, graph.arrived, graph.pair, sizes_bytes, graph.reduces, graph.adds_after, strict=True)
    for i, (ended, arrived, pair, size_bytes, reduces, adds_after) in enumerate(columns):
        now_s = 0.0
        for number in ended:
            if end_s[number] > now_s:
                now_s = end_s[number]
        for number in arrived:
            if arrived_s[number] > now_s:
                now_s = arrived_s[number]
        start_s[i] = now_s
        latency_s, bytes_per_s = links[pair]
        arrived_s[i] = now_s = now_s + latency_s + size_bytes / bytes_per_s
        if reduces:
            if adds_after is not None and end_s[adds_after] > now_s:
                now_s, queues[i] = end_s[adds_after], adds_after
            adding_s[i], end_s[i] = now_s, now_s + size_bytes * reduce_s_per_byte
        else:
            adding_s[i] = end_s[i] = now_s
    return MessageTimes(start_s, arrived_s, adding_s, end_s, queues)

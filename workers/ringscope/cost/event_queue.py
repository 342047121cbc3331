"""Discrete events of the cost model: messages start when their dependencies are done, and share links. Pure.

If no messages share a link, ``message_times.times_alone`` computes the same faster.
"""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from enum import IntEnum

from ringscope.contracts.words.topology import Path, SharedLink, Topology
from ringscope.cost.message_times import MessageTimes
from ringscope.schedules.message_graph import MessageGraph

# Messages on shared links that start or end within this time do so at the same time: if rounding let one start first,
# it would have the links to itself for that time and gain a lead that grows with each step.
_SAME = 1e-12


class _Event(IntEnum):
    """Events of a message; simultaneous events are processed in this order."""

    ENDED = 0
    ARRIVED = 1
    FLOWS = 2


class _Flow:
    """A message on shared links: its remaining bytes, its rate, and since when they apply."""

    def __init__(self, size_bytes: int, path: Path, now_s: float) -> None:
        self.left_bytes, self.path, self.since_s = float(size_bytes), path, now_s
        self.bytes_per_s = 0.0
        self.version = 0  # version of its rate: an arrival that was predicted at an older rate is ignored

    def change_rate(self, bytes_per_s: float, now_s: float) -> None:
        """Set the rate from now on."""
        self.left_bytes = max(0.0, self.left_bytes - (now_s - self.since_s) * self.bytes_per_s)
        self.since_s, self.bytes_per_s = now_s, bytes_per_s
        self.version += 1


class EventQueue:
    """Times of all messages of a graph; ``paths`` by its pairs."""

    def __init__(
        self, graph: MessageGraph, sizes_bytes: Sequence[int], paths: Sequence[Path], topology: Topology
    ) -> None:
        self._graph, self._sizes_bytes, self._topology = graph, sizes_bytes, topology
        count = len(graph)
        self._times = MessageTimes([0.0] * count, [0.0] * count, [0.0] * count, [0.0] * count, [None] * count)
        self._missing = [len(ended) + len(arrived) for ended, arrived in zip(graph.ended, graph.arrived, strict=True)]
        self._waiting = {True: _waiting(graph.ended), False: _waiting(graph.arrived)}  # by whether the message is added
        self._paths = [paths[pair] for pair in graph.pair]
        self._capacities = {link: topology.capacity(link) for path in paths for link in path.shared}
        self._flows: dict[int, _Flow] = {}
        self._crossing: defaultdict[SharedLink, set[int]] = defaultdict(set)
        self._events: list[tuple[float, _Event, int, int]] = []
        self._changed_s = 0.0  # when messages last started or ended on shared links

    def run(self) -> MessageTimes:
        """Process all messages."""
        for i, missing in enumerate(self._missing):
            if not missing:
                self._start(i, 0.0)
        while self._events:
            now_s, event, i, version = heapq.heappop(self._events)
            if event is _Event.FLOWS or i in self._flows:
                if now_s - self._changed_s > _SAME * now_s:
                    self._changed_s = now_s
                now_s = self._changed_s
            match event:
                case _Event.FLOWS:
                    self._flow(i, now_s)
                case _Event.ARRIVED:
                    # Without a flow the event comes once: the message uses its own links, or it has arrived earlier
                    # than predicted.
                    if version == (self._flows[i].version if i in self._flows else 0):
                        self._arrive(i, now_s)
                case _Event.ENDED:
                    self._release(self._waiting[True][i], now_s)
        return self._times

    def _start(self, i: int, now_s: float) -> None:
        self._times.start_s[i] = now_s
        path = self._paths[i]
        first_byte_s = now_s + path.latency_s
        if path.shared:
            self._push(first_byte_s, _Event.FLOWS, i)
        else:
            self._push(first_byte_s + self._sizes_bytes[i] / path.bytes_per_s, _Event.ARRIVED, i)

    def _flow(self, i: int, now_s: float) -> None:
        path = self._paths[i]
        self._flows[i] = _Flow(self._sizes_bytes[i], path, now_s)
        for link in path.shared:
            self._crossing[link].add(i)
        self._share_out(path.shared, now_s)

    def _arrive(self, i: int, now_s: float) -> None:
        flow = self._flows.pop(i, None)
        if flow is not None:
            for link in flow.path.shared:
                self._crossing[link].discard(i)
            self._share_out(flow.path.shared, now_s)
        adding_s, adding_for_s = now_s, 0.0
        if self._graph.reduces[i]:
            adding_s, adding_for_s = self._queue(i, now_s), self._sizes_bytes[i] * self._topology.reduce_s_per_byte
        times = self._times
        times.arrived_s[i], times.adding_s[i], times.end_s[i] = now_s, adding_s, adding_s + adding_for_s
        self._push(adding_s + adding_for_s, _Event.ENDED, i)
        self._release(self._waiting[False][i], now_s)

    def _queue(self, i: int, now_s: float) -> float:
        """Return when the destination can begin to add message i."""
        before = self._graph.adds_after[i]
        if before is None or self._times.end_s[before] <= now_s:
            return now_s
        self._times.queues[i] = before
        return self._times.end_s[before]

    def _release(self, waiting: list[int], now_s: float) -> None:
        for i in waiting:
            self._missing[i] -= 1
            if not self._missing[i]:
                self._start(i, now_s)

    def _share_out(self, changed: tuple[SharedLink, ...], now_s: float) -> None:
        """Set new rates for all messages on links on which a message has started or ended."""
        for i in sorted(set().union(*(self._crossing[link] for link in changed))):
            flow = self._flows[i]
            parts = (self._capacities[link] / len(self._crossing[link]) for link in flow.path.shared)
            bytes_per_s = min(flow.path.bytes_per_s, *parts)
            if bytes_per_s != flow.bytes_per_s:
                flow.change_rate(bytes_per_s, now_s)
                self._push(now_s + flow.left_bytes / bytes_per_s, _Event.ARRIVED, i, flow.version)

    def _push(self, time_s: float, event: _Event, i: int, version: int = 0) -> None:
        heapq.heappush(self._events, (time_s, event, i, version))


def _waiting(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return, for each message, the messages that wait for it."""
    found: list[list[int]] = [[] for _ in needs]
    for i, numbers in enumerate(needs):
        for number in numbers:
            found[number].append(i)
    return found

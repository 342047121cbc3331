"""Discrete events of the cost model: messages start when what they wait for has happened, and share links. Pure."""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from ringscope.messages import Message
from ringscope.topology import Path, SharedLink, Topology


class Need(NamedTuple):
    """A message that another one waits for: until it has arrived, or also until it has been added up."""

    number: int
    added_up: bool


class _Event(IntEnum):
    """What happens to a message; of simultaneous events the first named comes first."""

    ENDED = 0
    ARRIVED = 1
    FLOWS = 2


class _Flow:
    """A message on shared links: what is left of it, and since when at which rate."""

    def __init__(self, size_bytes: int, path: Path, now_s: float) -> None:
        self.left_bytes, self.path, self.since_s = float(size_bytes), path, now_s
        self.bytes_per_s = 0.0
        self.version = 0  # of its rate: an arrival that was foretold at an older rate does not happen

    def change_rate(self, bytes_per_s: float, now_s: float) -> None:
        """From now on it flows at this rate."""
        self.left_bytes = max(0.0, self.left_bytes - (now_s - self.since_s) * self.bytes_per_s)
        self.since_s, self.bytes_per_s = now_s, bytes_per_s
        self.version += 1


class EventQueue:
    """Times of all messages; ``queues[i]`` is whose adding message i waited for before its own."""

    def __init__(
        self,
        moving: Sequence[Message],
        sizes: Sequence[int],
        needs: Sequence[Sequence[Need]],
        topology: Topology,
    ) -> None:
        self._messages, self._sizes, self._topology = moving, sizes, topology
        self._times_s = [[0.0] * 4 for _ in moving]
        self.queues: list[int | None] = [None] * len(moving)
        self._missing = [len(need) for need in needs]
        self._waiting: dict[bool, list[list[int]]] = {added_up: [[] for _ in moving] for added_up in (False, True)}
        for i, need in enumerate(needs):
            for number, added_up in need:
                self._waiting[added_up][number].append(i)
        self._paths = {pair: topology.path(*pair) for pair in {(m.src, m.dst) for m in moving}}
        self._capacities = {link: topology.capacity(link) for path in self._paths.values() for link in path.shared}
        self._flows: dict[int, _Flow] = {}
        self._crossing: defaultdict[SharedLink, set[int]] = defaultdict(set)
        self._adding: dict[int, int] = {}  # rank -> the message that it adds up last
        self._events: list[tuple[float, _Event, int, int]] = []

    def run(self) -> None:
        """Let all messages happen."""
        for i, missing in enumerate(self._missing):
            if not missing:
                self._start(i, 0.0)
        while self._events:
            now_s, event, i, version = heapq.heappop(self._events)
            match event:
                case _Event.FLOWS:
                    self._flow(i, now_s)
                case _Event.ARRIVED:
                    # Without a flow it comes once: over links of its own, or else it has come, sooner than foretold.
                    if version == (self._flows[i].version if i in self._flows else 0):
                        self._arrive(i, now_s)
                case _Event.ENDED:
                    self._release(self._waiting[True][i], now_s)

    def times_s(self, i: int) -> tuple[float, float, float, float]:
        """When message i started, arrived, began to be added up, and was done."""
        start_s, arrived_s, adding_s, end_s = self._times_s[i]
        return start_s, arrived_s, adding_s, end_s

    def _start(self, i: int, now_s: float) -> None:
        self._times_s[i][0] = now_s
        path = self._paths[self._messages[i].src, self._messages[i].dst]
        first_byte_s = now_s + path.latency_s
        if path.shared:
            self._push(first_byte_s, _Event.FLOWS, i)
        else:
            self._push(first_byte_s + self._sizes[i] / path.bytes_per_s, _Event.ARRIVED, i)

    def _flow(self, i: int, now_s: float) -> None:
        path = self._paths[self._messages[i].src, self._messages[i].dst]
        self._flows[i] = _Flow(self._sizes[i], path, now_s)
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
        if self._messages[i].reduce:
            adding_s, adding_for_s = self._queue(i, now_s), self._sizes[i] * self._topology.reduce_s_per_byte
        self._times_s[i][1:] = now_s, adding_s, adding_s + adding_for_s
        self._push(adding_s + adding_for_s, _Event.ENDED, i)
        self._release(self._waiting[False][i], now_s)

    def _queue(self, i: int, now_s: float) -> float:
        """When the destination can begin to add up message i."""
        before = self._adding.get(self._messages[i].dst)
        self._adding[self._messages[i].dst] = i
        if before is None or self._times_s[before][3] <= now_s:
            return now_s
        self.queues[i] = before
        return self._times_s[before][3]

    def _release(self, waiting: list[int], now_s: float) -> None:
        for i in waiting:
            self._missing[i] -= 1
            if not self._missing[i]:
                self._start(i, now_s)

    def _share_out(self, changed: tuple[SharedLink, ...], now_s: float) -> None:
        """New rates for all that cross one of the links on which a message has come or gone."""
        for i in sorted(set().union(*(self._crossing[link] for link in changed))):
            flow = self._flows[i]
            parts = (self._capacities[link] / len(self._crossing[link]) for link in flow.path.shared)
            bytes_per_s = min(flow.path.bytes_per_s, *parts)
            if bytes_per_s != flow.bytes_per_s:
                flow.change_rate(bytes_per_s, now_s)
                self._push(now_s + flow.left_bytes / bytes_per_s, _Event.ARRIVED, i, flow.version)

    def _push(self, time_s: float, event: _Event, i: int, version: int = 0) -> None:
        heapq.heappush(self._events, (time_s, event, i, version))

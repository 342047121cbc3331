"""Rounds of messages on classes of equal ranks, in model time: the cost model as array arithmetic. Pure.

Where a schedule and a topology look the same from several ranks, their messages take place at the same times, and one
rank stands for all of them. Where a schedule repeats a round, and a round has moved all times by the same amount, so do
all that follow. Times are those of ``ringscope.cost.timeline``, found without a queue of events; that works as long as
messages that share a link's bandwidth come and go together, and whoever asks is told where they do not.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringscope.contracts.topology import SharedLink, Topology

Seconds = NDArray[np.float64]
Ranks = NDArray[np.int64]
Sizes = NDArray[np.int64]
# Times that differ by less are the same time: far above rounding, far below the model's 1e-9.
_SAME = 1e-12


class ContendedError(Exception):
    """Messages share a link but do not come and go together: only the step-by-step simulation can tell."""


_MOST_WAYS = 8
_Crossed = tuple[
    Ranks, Ranks, Seconds, bool
]  # which messages do, their link, until when it is busy, whether it is shared


class _Way(NamedTuple):
    """What messages from ``src`` to ``dst`` meet; it keeps these arrays, so that no others have their ids."""

    src: Ranks
    dst: Ranks
    sender: Ranks
    receiver: Ranks
    port: Ranks
    latency_s: Seconds
    bytes_per_s: Seconds
    crossed: list[_Crossed]


class Rounds:
    """When what happened last at each class of ranks (seconds), as a schedule goes on round by round.

    Rank r is in class r mod ``classes``; rotating all ranks by ``classes`` must change neither schedule nor topology.
    ``sent_s`` is the last arrival of what a rank sent, ``ended_s`` when what it received last was added up,
    ``sent_bytes`` what it sent in all. ``steps`` are the rounds so far, ``steps_bytes`` the sizes of one message of
    each, and ``phase_ends_s`` the end of each phase.
    """

    def __init__(self, topology: Topology, classes: int) -> None:
        self._topology, self._classes = topology, classes
        self.ended_s, self.sent_bytes = np.zeros(classes), np.zeros(classes)
        # Of each port: for everything, or between nodes and inside them.
        self._ports = 2 if topology.neighbourhood > 1 else 1
        self._sent_s, self._received_s, self._added_s = (np.zeros((self._ports, classes)) for _ in range(3))
        self.steps, self.steps_bytes = 0, 0.0
        self.phase_ends_s: dict[str, float] = {}
        self._phase = ""  # of the last message
        self._ways: dict[tuple[int, int], _Way] = {}
        per_node, per_rack = topology.ranks_per_node, (topology.nodes_per_rack or 0) * topology.ranks_per_node
        rank = np.arange(classes)
        shared: list[tuple[bool, Ranks, float]] = []  # (only between racks, link of each class, bytes/s)
        if topology.cards < per_node:
            card = rank // per_node * topology.cards + rank % per_node % topology.cards
            shared.append((False, card, topology.inter.bytes_per_s))
        if per_rack and per_rack < topology.ranks:
            uplink_bytes_per_s = topology.capacity(SharedLink("rack up", 0))
            if uplink_bytes_per_s < per_rack * topology.inter.bytes_per_s:  # else it is never what a message waits for
                shared.append((True, rank // per_rack, uplink_bytes_per_s))
        # Each with when its last message was through, outwards and inwards.
        self._links = [(far, of, rate, (np.zeros(classes), np.zeros(classes))) for far, of, rate in shared]

    @property
    def seconds(self) -> float:
        """When the last rank is done."""
        return max(self.phase_ends_s.values(), default=0.0)

    @property
    def sent_s(self) -> Seconds:
        """By the later one of the ports."""
        latest_s: Seconds = self._sent_s.max(axis=0)
        return latest_s

    def send(
        self,
        phase: str,
        src: Ranks,
        dst: Ranks,
        size_bytes: int | Sizes,
        reduce: bool,
        *needs: Seconds,
        is_same_step: bool = False,
    ) -> Seconds:
        """One message from each of ``src`` to its ``dst`` (ranks, no two of a class); starts after all its ``needs``.

        Returns when each is added up. ``is_same_step``: as the messages before it. Raises ContendedError.
        """
        way = self._way(src, dst)
        sender, receiver, port = way.sender, way.receiver, way.port
        start_s = np.maximum(self._sent_s[port, sender], self._received_s[port, receiver])
        for need_s in needs:
            start_s = np.maximum(start_s, need_s)
        first_byte_s = start_s + way.latency_s
        arrived_s: Seconds = first_byte_s + size_bytes / way.bytes_per_s
        for crossing, link, busy_s, is_shared in way.crossed:
            self._cross(link, first_byte_s[crossing], arrived_s[crossing], busy_s, is_shared)
        self._sent_s[port, sender] = self._received_s[port, receiver] = arrived_s
        ended_s = arrived_s
        if reduce:
            adding_s = size_bytes * self._topology.reduce_s_per_byte
            ended_s = np.maximum(arrived_s, self._added_s[port, receiver]) + adding_s
            self._added_s[port, receiver] = ended_s
        self.ended_s[receiver] = ended_s
        np.add.at(self.sent_bytes, sender, size_bytes)  # one may send at both its ports
        if not is_same_step:
            self.steps += 1
            self.steps_bytes += size_bytes if isinstance(size_bytes, int) else float(size_bytes.mean())
        self._phase = phase
        self.phase_ends_s[phase] = max(self.phase_ends_s.get(phase, 0.0), float(ended_s.max()))
        return ended_s

    def are_first(self, src: Ranks, dst: Ranks) -> NDArray[np.bool_]:
        """Which messages of a step have none before them at either of their ports."""
        port, place, ranks = self._port(src, dst), np.arange(len(src)), self._topology.ranks
        is_first = np.ones(len(src), bool)
        for rank in (src, dst):
            _, first, ends = np.unique(port * ranks + rank, return_index=True, return_inverse=True)
            is_first &= first[ends] == place
        return is_first

    def repeat(self, times: int, send: Callable[[], object], every: int = 1, kept: Sequence[Seconds] = ()) -> None:
        """The same so many times; as soon as ``every`` of them have twice moved all times alike, without the rest.

        Once would not do: what then waited for a time that stands still may the next time wait for one that moves. A
        chain of messages around all classes comes back to its first one after as many rounds as there are classes: with
        these as ``every`` it is soon so. ``kept`` are times of the caller's, which move as well.
        """
        turns, rest = divmod(times, every)
        last_by_s: float | None = None
        for done in range(1, turns + 1):
            before, sent_bytes = self._times(kept), self.sent_bytes.copy()
            steps, steps_bytes = self.steps, self.steps_bytes
            ends_s = dict(self.phase_ends_s)
            for _ in range(every):
                send()
            moved_s = [after - then for after, then in zip(self._times(kept), before, strict=True)]
            by_s = self.phase_ends_s[self._phase] - ends_s.get(self._phase, 0.0)
            same_s = _SAME * self.seconds
            if not all(((abs(moved - by_s) <= same_s) | (moved == 0)).all() for moved in moved_s):
                last_by_s = None
            elif last_by_s is not None and abs(by_s - last_by_s) <= same_s:
                left = turns - done
                for times_s, moved in zip((*self._columns(), *kept), moved_s, strict=True):
                    times_s += left * moved
                self.phase_ends_s[self._phase] += left * by_s
                self.steps += left * (self.steps - steps)
                self.steps_bytes += left * (self.steps_bytes - steps_bytes)
                self.sent_bytes += left * (self.sent_bytes - sent_bytes)
                break
            else:
                last_by_s = by_s
        for _ in range(rest):
            send()

    def _port(self, src: Ranks, dst: Ranks) -> Ranks:
        """0: of everything, or between nodes; 1: inside them."""
        per_node = self._topology.ranks_per_node
        port: Ranks = (src // per_node == dst // per_node).astype(np.int64) * (self._ports - 1)
        return port

    def _times(self, kept: Sequence[Seconds]) -> list[Seconds]:
        return [times_s.copy() for times_s in (*self._columns(), *kept)]

    def _columns(self) -> list[Seconds]:
        busy_s = [one for *_, ways in self._links for one in ways]
        return [self._sent_s, self._received_s, self.ended_s, self._added_s, *busy_s]

    def _way(self, src: Ranks, dst: Ranks) -> _Way:
        """Of messages between these, looked up where they are the same arrays as before: most rounds are repeated."""
        found = self._ways.get((id(src), id(dst)))
        if found is None:
            if len(self._ways) >= _MOST_WAYS:
                self._ways.clear()
            found = self._ways[id(src), id(dst)] = self._new_way(src, dst)
        return found

    def _new_way(self, src: Ranks, dst: Ranks) -> _Way:
        sender, receiver = src % self._classes, dst % self._classes
        topology = self._topology
        node, peer = src // topology.ranks_per_node, dst // topology.ranks_per_node
        intra = topology.intra or topology.inter
        is_intra = (node == peer) & (topology.intra is not None)
        is_far = np.zeros_like(is_intra)
        if topology.nodes_per_rack is not None:
            is_far = node // topology.nodes_per_rack != peer // topology.nodes_per_rack
        latency_s = np.where(is_intra, intra.latency_s, topology.inter.latency_s) + is_far * topology.spine_latency_s
        bytes_per_s = np.where(is_intra, intra.bytes_per_s, topology.inter.bytes_per_s)
        crossed: list[_Crossed] = []
        for far, link_of, capacity, ways in self._links:
            crossing = np.flatnonzero(is_far if far else ~is_intra)
            for rank, busy_s in zip((sender, receiver), ways, strict=True):
                if not crossing.size:
                    continue
                link = link_of[rank[crossing]]
                share = capacity / np.bincount(link, minlength=self._classes)[link]
                is_shared = bool((share < topology.inter.bytes_per_s).any())
                crossed.append((crossing, link, busy_s, is_shared))
                bytes_per_s[crossing] = np.minimum(bytes_per_s[crossing], share)
        return _Way(src, dst, sender, receiver, self._port(src, dst), latency_s, bytes_per_s, crossed)

    def _cross(self, link: Ranks, first_byte_s: Seconds, arrived_s: Seconds, busy_s: Seconds, is_shared: bool) -> None:
        """Note until when the links are busy; messages that share them must be there together, and no others."""
        same_s = _SAME * float(arrived_s.max())
        last_s = np.zeros(self._classes)
        np.maximum.at(last_s, link, arrived_s)
        if (first_byte_s < busy_s[link] - same_s).any():
            raise ContendedError
        if is_shared:
            latest_s = np.zeros(self._classes)
            np.maximum.at(latest_s, link, first_byte_s)
            if (latest_s[link] - first_byte_s > same_s).any() or (last_s[link] - arrived_s > same_s).any():
                raise ContendedError
        np.maximum(busy_s, last_s, out=busy_s)

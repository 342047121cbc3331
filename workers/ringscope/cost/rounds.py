"""Rounds of messages on classes of equal ranks, in model time: the cost model as array arithmetic. Pure.

If a schedule and a topology are the same from the view of several ranks, their messages have the same times, and one
rank represents all of them. If a schedule repeats a round, and a round has moved all times by the same amount, all
following rounds do so too. The times equal those of ``ringscope.cost.timeline``, without a queue of events; this works
as long as messages that share a link's bandwidth start and end together, and raises an error if they do not. An upper
bound is still possible: each message gets the share of its link that is left if all users of that link send at once. No
message is slower than that, so nothing that waits for messages happens later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringscope.contracts.words.topology import SharedLink, Topology
from ringscope.cost.turns import turns as in_turns

Seconds = NDArray[np.float64]
Ranks = NDArray[np.int64]
Sizes = NDArray[np.int64]
# Times that differ by less are equal: far above rounding errors, far below the model's 1e-9.
_SAME = 1e-12


class InexactError(Exception):
    """Raised when only the step-by-step simulation is exact: messages share a link at different times, or are too
    many.
    """


_MOST_WAYS = 8
# The messages that use a link, that link, until when it is busy, and whether it is shared.
_Crossed = tuple[Ranks, Ranks, Seconds, bool]


class _Shared(NamedTuple):
    """Links of one kind in one direction: the link of each class, and how many ranks ever use each link."""

    is_between_racks: bool
    is_outward: bool
    of: Ranks
    bytes_per_s: float
    users: Ranks
    busy_s: Seconds  # until when each link was busy

    def is_crossed(self, is_intra: NDArray[np.bool_], is_far: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of these messages cross the link."""
        return is_far if self.is_between_racks else ~is_intra


class Way(NamedTuple):
    """The path properties of messages from ``src`` to ``dst``; it keeps these arrays so that their ids stay unique."""

    src: Ranks
    dst: Ranks
    sender: Ranks
    receiver: Ranks
    out: Ranks  # the sender's port, and the receiver's
    into: Ranks
    latency_s: Seconds
    bytes_per_s: Seconds
    crossed: list[_Crossed]


class Step(NamedTuple):
    """Messages of one step that have separate phases; ``of`` selects them.

    No two messages of a turn share a port, and each port's messages are in the order of the ``turns``; those after the
    last turn are in their own order.
    """

    of: Ranks
    turns: Sequence[slice]
    size_bytes: Sizes
    is_sum: NDArray[np.bool_]
    needs: Seconds  # no message starts before this time


class Rounds:
    """The time of the last event at each class of ranks (seconds), while a schedule is followed round by round.

    Rank r is in class r mod ``classes``; rotating all ranks by ``classes`` must change neither schedule nor topology.
    ``sent_s`` is the last arrival of a rank's messages, ``ended_s`` when its last received message was added,
    ``sent_bytes`` its total of sent bytes. ``steps`` is the number of rounds so far, ``steps_bytes`` the size of one
    message of each, and ``phase_ends_s`` the end of each phase. With ``is_bound`` times are upper bounds, else exact.
    """

    def __init__(self, topology: Topology, classes: int, is_bound: bool = False) -> None:
        self._topology, self._classes, self._is_bound = topology, classes, is_bound
        self.ended_s, self.sent_bytes = np.zeros(classes), np.zeros(classes)
        # One port for everything, or separate ports between nodes and inside them.
        self._ports = 2 if topology.neighbourhood > 1 else 1
        self._sent_s, self._received_s, self._added_s = (np.zeros(self._ports * classes) for _ in range(3))
        self.steps, self.steps_bytes = 0, 0.0
        self.phase_ends_s: dict[str, float] = {}
        self._phase = ""  # end of the last message
        self._ways: dict[tuple[int, int], Way] = {}
        self._links = list(self._shared_links())

    def _shared_links(self) -> Iterator[_Shared]:
        """Yield the shared links, counted as if every rank used them."""
        topology, classes, rank = self._topology, self._classes, np.arange(self._classes)
        per_node, per_rack = topology.ranks_per_node, (topology.nodes_per_rack or 0) * topology.ranks_per_node
        if topology.cards < per_node:
            card = rank // per_node * topology.cards + rank % per_node % topology.cards
            for is_outward in (True, False):
                users = np.bincount(card, minlength=classes)
                yield _Shared(False, is_outward, card, topology.inter.bytes_per_s, users, np.zeros(classes))
        if per_rack and per_rack < topology.ranks:
            capacity = topology.capacity(SharedLink("rack up", 0))
            if capacity < per_rack * topology.inter.bytes_per_s:  # otherwise no message ever waits for it
                for is_outward in (True, False):
                    users = np.full(classes, per_rack)
                    yield _Shared(True, is_outward, rank // per_rack, capacity, users, np.zeros(classes))

    def expect(self, src: Ranks, dst: Ranks) -> None:
        """Set which messages exist at all, if some ranks have none that leave their node.

        A link with so few users that they never wait for it does not count as shared.
        """
        if not self._links:
            return
        is_intra, is_far = self._kinds(src, dst)
        narrowed = []
        for link in self._links:
            ends = np.unique((src if link.is_outward else dst)[link.is_crossed(is_intra, is_far)] % self._classes)
            users = np.bincount(link.of[ends], minlength=self._classes)
            if (users * self._topology.inter.bytes_per_s > link.bytes_per_s).any():
                narrowed.append(link._replace(users=users))
        self._links = narrowed

    @property
    def seconds(self) -> float:
        """Return when the last rank is done."""
        return max(self.phase_ends_s.values(), default=0.0)

    @property
    def sent_s(self) -> Seconds:
        """Return the last arrival of the messages of each class of ranks, over all its ports."""
        latest_s: Seconds = self._sent_s.reshape(self._ports, -1).max(axis=0)
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
        """Send one message from each of ``src`` to its ``dst`` (ranks, no two of a class); it starts after all its
        ``needs``.

        Returns when each is added. ``is_same_step``: it belongs to the step of the previous messages. Raises
        InexactError.
        """
        way = self._way(src, dst)
        ended_s = self._send(way, phase, size_bytes, reduce, *needs)
        self.ended_s[way.receiver] = ended_s
        np.add.at(self.sent_bytes, way.sender, size_bytes)  # a rank may send at both its ports
        if not is_same_step:
            self._count_step(size_bytes)
        return ended_s

    def _send(self, way: Way, phase: str, size_bytes: int | Sizes, reduce: bool, *needs: Seconds) -> Seconds:
        start_s = np.maximum(self._sent_s[way.out], self._received_s[way.into])
        for need_s in needs:
            start_s = np.maximum(start_s, need_s)
        first_byte_s = start_s + way.latency_s
        arrived_s: Seconds = first_byte_s + size_bytes / way.bytes_per_s
        for crossing, link, busy_s, is_shared in way.crossed:
            self._cross(link, first_byte_s[crossing], arrived_s[crossing], busy_s, is_shared)
        self._sent_s[way.out] = self._received_s[way.into] = arrived_s
        ended_s = arrived_s
        if reduce:
            adding_s = size_bytes * self._topology.reduce_s_per_byte
            ended_s = np.maximum(arrived_s, self._added_s[way.into]) + adding_s
            self._added_s[way.into] = ended_s
        self._phase = phase
        self._note_phase(phase, ended_s)
        return ended_s

    def _note_phase(self, phase: str, ended_s: Seconds) -> None:
        if ended_s.size:
            self.phase_ends_s[phase] = max(self.phase_ends_s.get(phase, 0.0), float(ended_s.max()))

    def _count_step(self, size_bytes: int | Sizes) -> None:
        self.steps += 1
        self.steps_bytes += size_bytes if isinstance(size_bytes, int) else float(size_bytes.mean())

    def send_in_turn(self, way: Way, step: Step, phases: Mapping[bool, str]) -> Seconds:
        """Send one step of messages, of which each port handles one after another; ``phases`` by whether they are
        added.

        Returns when each is added. ``count_sent`` counts what ranks send, once for all steps.
        """
        is_sum, needs = step.is_sum, step.needs
        if self._links and not self._is_bound:
            ended_s = self._send_sharing(way, step, phases)
        else:
            out, into = way.out.take(step.of), way.into.take(step.of)
            alone_s = way.latency_s.take(step.of) + step.size_bytes / way.bytes_per_s.take(step.of)
            adding_s = (step.size_bytes * is_sum).astype(np.float64) * self._topology.reduce_s_per_byte
            ended_s = np.empty(len(step.of))
            for turn in step.turns:
                ports, times_s = (out[turn], into[turn]), (alone_s[turn], adding_s[turn])
                ended_s[turn] = self._send_alone(*ports, *times_s, is_sum[turn], needs[turn])
            done = step.turns[-1].stop if step.turns else 0
            for later in in_turns(out[done:], into[done:]):
                now = later + done
                ports, times_s = (out.take(now), into.take(now)), (alone_s.take(now), adding_s.take(now))
                ended_s[now] = self._send_alone(*ports, *times_s, is_sum.take(now), needs.take(now))
            for one, phase in phases.items():
                self._note_phase(phase, ended_s[is_sum == one])
        self._count_step(step.size_bytes)
        return ended_s

    def count_sent(self, sender: Ranks, size_bytes: Sizes) -> None:
        """Add the bytes that these ranks send in all steps of ``send_in_turn``."""
        self.sent_bytes += np.bincount(sender, size_bytes, self._classes)

    def _send_sharing(self, way: Way, step: Step, phases: Mapping[bool, str]) -> Seconds:
        """Send messages that may wait for shared links: in each turn one phase after the other."""
        ended_s = np.empty(len(step.of))
        for now in in_turns(way.out.take(step.of), way.into.take(step.of)):
            for one, phase in phases.items():
                some = now[step.is_sum[now] == one]
                if some.size:
                    of = step.of[some]
                    shared = self.way(way.src[of], way.dst[of])
                    ended_s[some] = self._send(shared, phase, step.size_bytes[some], one, step.needs[some])
        return ended_s

    def _send_alone(
        self, out: Ranks, into: Ranks, alone_s: Seconds, adding_s: Seconds, is_sum: NDArray[np.bool_], needs: Seconds
    ) -> Seconds:
        """Send messages between these ports that share no link; return when each is added."""
        arrived_s: Seconds = np.maximum(np.maximum(self._sent_s.take(out), self._received_s.take(into)), needs)
        arrived_s += alone_s
        self._sent_s[out] = self._received_s[into] = arrived_s
        added_s = self._added_s.take(into)
        ended_s: Seconds = np.where(is_sum, np.maximum(arrived_s, added_s) + adding_s, arrived_s)
        self._added_s[into] = np.where(is_sum, ended_s, added_s)
        return ended_s

    def repeat(self, times: int, send: Callable[[], object], every: int = 1, kept: Sequence[Seconds] = ()) -> None:
        """Repeat a round; once ``every`` rounds have moved all times equally twice, extrapolate the rest.

        One round would not be enough: an event that waited for a fixed time may wait for a moving one in the next
        round. A chain of messages around all classes returns to its first one after as many rounds as there are
        classes: with this number as ``every`` the rounds become equal early. ``kept`` are times of the caller, which
        are moved too.
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

    def _times(self, kept: Sequence[Seconds]) -> list[Seconds]:
        return [times_s.copy() for times_s in (*self._columns(), *kept)]

    def _columns(self) -> list[Seconds]:
        return [self._sent_s, self._received_s, self.ended_s, self._added_s, *(link.busy_s for link in self._links)]

    def _way(self, src: Ranks, dst: Ranks) -> Way:
        """Return the paths, cached by the identity of the two arrays: most rounds are repeated."""
        found = self._ways.get((id(src), id(dst)))
        if found is None:
            if len(self._ways) >= _MOST_WAYS:
                self._ways.clear()
            found = self._ways[id(src), id(dst)] = self.way(src, dst)
        return found

    def way(self, src: Ranks, dst: Ranks) -> Way:
        """Compute the paths of messages that go from ``src`` to ``dst`` at the same time."""
        sender, receiver = src % self._classes, dst % self._classes
        topology = self._topology
        intra = topology.intra or topology.inter
        is_intra, is_far = self._kinds(src, dst)
        latency_s = np.where(is_intra, intra.latency_s, topology.inter.latency_s) + is_far * topology.spine_latency_s
        bytes_per_s = np.where(is_intra, intra.bytes_per_s, topology.inter.bytes_per_s)
        crossed: list[_Crossed] = []
        for link in self._links:
            end = link.of[sender if link.is_outward else receiver]
            could_wait = link.users[end] * topology.inter.bytes_per_s > link.bytes_per_s
            crossing = np.flatnonzero(link.is_crossed(is_intra, is_far) & could_wait)
            if not crossing.size:
                continue
            number = end[crossing]
            at_once = link.users if self._is_bound else np.bincount(number, minlength=self._classes)
            share = link.bytes_per_s / at_once[number]
            bytes_per_s[crossing] = np.minimum(bytes_per_s[crossing], share)
            if not self._is_bound:
                is_shared = bool((share < topology.inter.bytes_per_s).any())
                crossed.append((crossing, number, link.busy_s, is_shared))
        port = is_intra * ((self._ports - 1) * self._classes)
        return Way(src, dst, sender, receiver, sender + port, receiver + port, latency_s, bytes_per_s, crossed)

    def _kinds(self, src: Ranks, dst: Ranks) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which messages stay inside a node, and which go from rack to rack."""
        topology = self._topology
        node, peer = src // topology.ranks_per_node, dst // topology.ranks_per_node
        is_intra = (node == peer) & (topology.intra is not None)
        if topology.nodes_per_rack is None:
            return is_intra, np.zeros_like(is_intra)
        return is_intra, node // topology.nodes_per_rack != peer // topology.nodes_per_rack

    def _cross(self, link: Ranks, first_byte_s: Seconds, arrived_s: Seconds, busy_s: Seconds, is_shared: bool) -> None:
        """Record until when the links are busy; all messages that share a link must arrive at the same time."""
        same_s = _SAME * float(arrived_s.max())
        last_s = np.zeros(self._classes)
        np.maximum.at(last_s, link, arrived_s)
        if (first_byte_s < busy_s[link] - same_s).any():
            raise InexactError
        if is_shared:
            latest_s = np.zeros(self._classes)
            np.maximum.at(latest_s, link, first_byte_s)
            if (latest_s[link] - first_byte_s > same_s).any() or (last_s[link] - arrived_s > same_s).any():
                raise InexactError
        np.maximum(busy_s, last_s, out=busy_s)

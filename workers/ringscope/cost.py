"""What a schedule costs on a topology: α-β-γ time computed from the schedule itself. Pure.

A message of n bytes takes α + n·β on its path; adding n bytes takes the receiver n·γ. Each rank sends one message at a
time, receives one at a time (full duplex) and adds one at a time, in the order of the schedule. A message starts when
both ports are free, what it reads is there, and nobody still needs what it overwrites. Messages that cross a shared
link at one time get equal parts of its bandwidth. This is the single-port model of Hockney (1994) and of Thakur,
Rabenseifner and Gropp (2005); their formulas, in ``ringscope.closed_forms``, are only there to compare with.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from ringscope.event_queue import EventQueue, Need
from ringscope.messages import Message, messages
from ringscope.schedule import Schedule
from ringscope.topology import Topology


class TimedMessage(NamedTuple):
    """One message in model time (seconds): it starts, is there, begins to be added up, and is done."""

    phase: str
    message: Message
    size_bytes: int
    start_s: float
    arrived_s: float
    adding_s: float
    end_s: float


class Traffic(NamedTuple):
    """Messages over one kind of link, and how many bytes take as long as theirs on such a link alone.

    That is more than they carry where they had to share it.
    """

    messages: int
    bytes: int


class Work(NamedTuple):
    """What lies one after another on the critical path: messages, bytes that travel, bytes that are added up.

    ``inter`` and ``intra`` are the same messages by the link that they cross, between nodes or inside one.
    """

    messages: int
    sent_bytes: int
    reduced_bytes: int
    inter: Traffic
    intra: Traffic


@dataclass(frozen=True, slots=True)
class Timeline:
    """One call of a collective in model time.

    ``needs[i]`` is what message i waited for before it started, ``queues[i]`` whose adding it waited for before its own
    (None: for nobody's).
    """

    topology: Topology
    messages: tuple[TimedMessage, ...]
    needs: tuple[tuple[Need, ...], ...]
    queues: tuple[int | None, ...]

    @property
    def ranks(self) -> int:
        """How many take part."""
        return self.topology.ranks

    @property
    def seconds(self) -> float:
        """When the last rank is done."""
        return max((timed.end_s for timed in self.messages), default=0.0)

    def phase_ends_s(self) -> dict[str, float]:
        """When the last message of each phase is done, in the order of the schedule."""
        ends: dict[str, float] = {}
        for timed in self.messages:
            ends[timed.phase] = max(ends.get(timed.phase, 0.0), timed.end_s)
        return ends

    def critical_path(self) -> Work:
        """The work of a longest chain of messages that wait for each other; it makes up the whole time."""
        nothing = Traffic(0, 0)
        if not self.messages:
            return Work(0, 0, 0, nothing, nothing)
        sent_bytes = reduced_bytes = 0
        crossed = {True: nothing, False: nothing}  # by whether it stayed inside a node
        last: Need | None = Need(max(range(len(self.messages)), key=lambda i: self.messages[i].end_s), True)
        while last is not None:
            timed, queue = self.messages[last.number], self.queues[last.number]
            reduced_bytes += timed.size_bytes * (last.added_up and timed.message.reduce)
            if last.added_up and queue is not None:
                last = Need(queue, True)
                continue
            sent_bytes += timed.size_bytes
            path = self.topology.path(timed.message.src, timed.message.dst)
            before = crossed[path.is_intra]
            alone_bytes = timed.size_bytes
            if path.shared:
                alone_bytes = round((timed.arrived_s - timed.start_s - path.latency_s) * path.bytes_per_s)
            crossed[path.is_intra] = Traffic(before.messages + 1, before.bytes + alone_bytes)
            last = max(self.needs[last.number], key=self._met_s, default=None)
        inter, intra = crossed[False], crossed[True]
        return Work(inter.messages + intra.messages, sent_bytes, reduced_bytes, inter, intra)

    def _met_s(self, need: Need) -> float:
        timed = self.messages[need.number]
        return timed.end_s if need.added_up else timed.arrived_s


def simulate(schedule: Schedule, itemsize_bytes: int, topology: Topology) -> Timeline:
    """The messages of one call in time; ValueError when the topology has another number of ranks."""
    if topology.ranks != schedule.ranks:
        raise ValueError(
            f"topology: it has {topology.ranks} ranks but the schedule {schedule.ranks}; give both the same number."
        )
    steps = messages(schedule, in_place=False)
    moving = [message for step in steps for message in step]
    sizes = [message.source.length * itemsize_bytes for message in moving]
    phases = _phases(schedule)
    needs = _needs(steps)
    queue = EventQueue(moving, sizes, needs, topology)
    queue.run()
    timed = (
        TimedMessage(phases[m.step, m.src, m.dst, m.reads[0]], m, sizes[i], *queue.times_s(i))
        for i, m in enumerate(moving)
    )
    return Timeline(topology, tuple(timed), needs, tuple(queue.queues))


def _phases(schedule: Schedule) -> dict[tuple[int, int, int, int], str]:
    return {(t.step, t.src, t.dst, t.chunk): t.phase for t in schedule.transfers()}


def _needs(steps: list[list[Message]]) -> tuple[tuple[Need, ...], ...]:
    """What each message waits for. The messages of one step do not see each other's writes, but share the ports."""
    writer: dict[tuple[int, int], int] = {}  # (rank, chunk) -> the message that wrote it last
    readers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # who read it since
    sender: dict[int, int] = {}
    receiver: dict[int, int] = {}
    found: list[tuple[Need, ...]] = []
    for step in steps:
        first = len(found)
        for i, m in enumerate(step, first):
            touched = [(m.src, chunk) for chunk in m.reads] + [(m.dst, chunk) for chunk in m.writes]
            added = {writer[place] for place in touched if place in writer}
            ports = {port[rank] for port, rank in ((sender, m.src), (receiver, m.dst)) if rank in port}
            arrived = ports.union(*(readers[m.dst, chunk] for chunk in m.writes)) - added
            sender[m.src] = receiver[m.dst] = i
            found.append((*(Need(n, True) for n in sorted(added)), *(Need(n, False) for n in sorted(arrived))))
        for i, m in enumerate(step, first):
            for chunk in () if m.src_is_input else m.reads:  # the caller's input is never overwritten
                readers[m.src, chunk].append(i)
        for i, m in enumerate(step, first):
            for chunk in m.writes:
                writer[m.dst, chunk] = i
                readers.pop((m.dst, chunk), None)
    return tuple(found)

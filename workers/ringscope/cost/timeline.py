"""Cost of a schedule on a topology: α-β-γ time computed from the schedule itself. Pure.

A message of n bytes takes α + n·β on its path; adding n bytes takes the receiver n·γ. Each rank sends one message at a
time, receives one at a time (full duplex) and adds one at a time, in the order of the schedule. A message starts when
both ports are free, its input is available, and no rank still needs the data that it overwrites. Messages that use a
shared link at the same time get equal parts of its bandwidth. This is the single-port model of Hockney (1994) and of
Thakur, Rabenseifner and Gropp (2005); their formulas, in ``ringscope.cost.closed_forms``, serve only for comparison.

If a topology has several channels, its ranks are GPUs with a network card for each channel. They send over NVLink and
card at the same time, so each rank has a port of each kind, both full duplex and with separate adders. The messages of
a step between the same two ranks, one from each channel, start together and pay α once, as in a group of NCCL calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ringscope.contracts.words.topology import Topology
from ringscope.cost.event_queue import EventQueue
from ringscope.cost.message_times import MessageTimes, times_alone
from ringscope.schedules.message_graph import MessageGraph, Need, graph_of, message_steps
from ringscope.schedules.messages import Message
from ringscope.schedules.schedule import Schedule


class TimedMessage(NamedTuple):
    """One message in model time (seconds): it starts, arrives, begins to be added, and is done."""

    phase: str
    message: Message
    size_bytes: int
    start_s: float
    arrived_s: float
    adding_s: float
    end_s: float


class Traffic(NamedTuple):
    """Messages over one kind of link, and the bytes that would take the same time on such a link alone.

    That is more than they carry if they had to share the link.
    """

    messages: int
    bytes: int


class Work(NamedTuple):
    """Work in sequence on the critical path: messages, bytes sent, bytes added.

    ``inter`` and ``intra`` split these messages by their link, between nodes or inside one.
    """

    messages: int
    sent_bytes: int
    reduced_bytes: int
    inter: Traffic
    intra: Traffic


@dataclass(frozen=True)
class Timeline:
    """One call of a collective in model time: the dependencies, sizes and times of its messages.

    These are raw columns; ``messages`` gives the same as objects.
    """

    topology: Topology
    schedule: Schedule
    itemsize_bytes: int
    graph: MessageGraph
    sizes_bytes: Sequence[int]
    times: MessageTimes

    @cached_property
    def messages(self) -> tuple[TimedMessage, ...]:
        """Return all messages, in the order of the schedule; messages that are sent as one have its times."""
        moving = [message for step in message_steps(self.schedule) for message in step]
        times = list(zip(*self.times.columns, strict=True))
        if self.graph.travels is not None:
            times = [times[i] for i in self.graph.travels]
        return tuple(
            TimedMessage(message.phase, message, message.source.length * self.itemsize_bytes, *when)
            for message, when in zip(moving, times, strict=True)
        )

    @property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return self.topology.ranks

    @property
    def seconds(self) -> float:
        """Return when the last rank is done."""
        return max(self.times.end_s, default=0.0)

    @property
    def most_sent_bytes(self) -> int:
        """Return the bytes sent by the rank that sends most."""
        sources = [src for src, _ in self.graph.pairs]
        sent = [0] * self.ranks
        for pair, size_bytes in zip(self.graph.pair, self.sizes_bytes, strict=True):
            sent[sources[pair]] += size_bytes
        return max(sent)

    def needs(self, i: int) -> tuple[Need, ...]:
        """Return the messages for which message i waited before it started."""
        return self.graph.needs(i)

    def phase_ends_s(self) -> dict[str, float]:
        """Return when the last message of each phase is done, in the order of the schedule."""
        ends: dict[str, float] = {}
        first = 0
        for phase, messages in self.graph.phases:
            ends[phase] = max(ends.get(phase, 0.0), *self.times.end_s[first : first + messages])
            first += messages
        return ends

    def critical_path(self) -> Work:
        """Return the work on a longest chain of messages that wait for each other, which determines the whole time."""
        nothing = Traffic(0, 0)
        graph, times = self.graph, self.times
        if not len(graph):
            return Work(0, 0, 0, nothing, nothing)
        sent_bytes = reduced_bytes = 0
        crossed = {True: nothing, False: nothing}  # by whether the message stayed inside a node
        last: Need | None = Need(times.end_s.index(max(times.end_s)), True)
        while last is not None:
            i, queue, size_bytes = last.number, times.queues[last.number], self.sizes_bytes[last.number]
            reduced_bytes += size_bytes * (last.added_up and graph.reduces[i])
            if last.added_up and queue is not None:
                last = Need(queue, True)
                continue
            sent_bytes += size_bytes
            path = self.topology.path(*graph.pairs[graph.pair[i]])
            before = crossed[path.is_intra]
            alone_bytes = size_bytes
            if path.shared:
                alone_bytes = round((times.arrived_s[i] - times.start_s[i] - path.latency_s) * path.bytes_per_s)
            crossed[path.is_intra] = Traffic(before.messages + 1, before.bytes + alone_bytes)
            last = max(graph.needs(i), key=self._met_s, default=None)
        inter, intra = crossed[False], crossed[True]
        return Work(inter.messages + intra.messages, sent_bytes, reduced_bytes, inter, intra)

    def _met_s(self, need: Need) -> float:
        return (self.times.end_s if need.added_up else self.times.arrived_s)[need.number]


def simulate(schedule: Schedule, itemsize_bytes: int, topology: Topology) -> Timeline:
    """Compute the times of one call's messages; ValueError if the topology has another number of ranks."""
    if topology.ranks != schedule.ranks:
        raise ValueError(
            f"topology: it has {topology.ranks} ranks but the schedule {schedule.ranks}; give both the same number."
        )
    graph = graph_of(schedule, topology.neighbourhood)
    sizes_bytes = graph.sizes_bytes(schedule, itemsize_bytes)
    paths = topology.paths(graph.pairs)
    if any(path.shared for path in paths):
        times = EventQueue(graph, sizes_bytes, paths, topology).run()
    else:
        times = times_alone(graph, sizes_bytes, paths, topology.reduce_s_per_byte)
    return Timeline(topology, schedule, itemsize_bytes, graph, sizes_bytes, times)

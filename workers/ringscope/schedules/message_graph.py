"""Dependencies between the messages of a schedule, without sizes and times: computed once for all sizes. Pure.

Following a schedule's chunks from writer to reader takes several times as long as adding up its times, and depends only
on which chunks each rank sends to whom, and on which chunks are empty.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ringscope.schedules.messages import Message, messages
from ringscope.schedules.schedule import Chunk, Schedule, Transfer
from ringscope.schedules.weighted_lru import WeightedLru

_MAX_KNOWN_MESSAGES = 80_000  # total of all cached graphs, about 0.5 KB per message


class Need(NamedTuple):
    """A dependency of a message: it waits until another message has arrived, or until that one has also been added."""

    number: int
    added_up: bool


@dataclass(frozen=True, slots=True)
class MessageGraph:
    """Columns with an entry for each message, in the order of the schedule.

    ``phases`` are in this order, too, each with its number of messages; a phase may recur. ``pairs`` are the links that
    the messages use.

    If ranks have two ports, messages of a step between the same two ranks start together as one entry: ``travels``
    gives the entry of each message of the schedule (None: each has its own).

    Message i starts after each of ``ended[i]`` has been added and each of ``arrived[i]`` has arrived; it is added after
    ``adds_after[i]`` has been added (None: no such message). All of these precede it. ``reads`` refers to the
    schedule's messages: each carries the chunks from the first to the last, which are contiguous, or one run of equal
    length.
    """

    phases: tuple[tuple[str, int], ...]
    pairs: tuple[tuple[int, int], ...]
    pair: tuple[int, ...]
    reduces: tuple[bool, ...]
    reads: tuple[tuple[int, int], ...]
    ended: tuple[tuple[int, ...], ...]
    arrived: tuple[tuple[int, ...], ...]
    adds_after: tuple[int | None, ...]
    travels: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.pair)

    def needs(self, i: int) -> tuple[Need, ...]:
        """Return the dependencies of message i before it starts."""
        return (*(Need(n, True) for n in self.ended[i]), *(Need(n, False) for n in self.arrived[i]))

    def sizes_bytes(self, schedule: Schedule, itemsize_bytes: int) -> list[int]:
        """Return the bytes of each message in the schedule of this graph."""
        starts = [chunk.offset for chunk in schedule.chunks]
        ends = [chunk.offset + chunk.length for chunk in schedule.chunks]
        sizes_bytes = [(ends[last] - starts[first]) * itemsize_bytes for first, last in self.reads]
        if self.travels is None:
            return sizes_bytes
        together = [0] * len(self)
        for i, size_bytes in zip(self.travels, sizes_bytes, strict=True):
            together[i] += size_bytes
        return together


def graph_of(schedule: Schedule, neighbourhood: int = 1) -> MessageGraph:
    """Return the graph of a schedule, from the cache if one with the same steps and the same empty chunks is known.

    ``neighbourhood`` is the number of ranks of a node, if each has one port for them and one for other nodes.
    """
    key = (schedule.ranks, _outline(schedule.chunks), schedule.steps)
    return _known.get((neighbourhood, *key), lambda: _graph(Schedule(*key), neighbourhood))


def message_steps(schedule: Schedule) -> list[list[Message]]:
    """Return the messages themselves, step by step, numbered as in the graph."""
    return messages(schedule, in_place=False)


_Key = tuple[int, int, tuple[Chunk, ...], tuple[tuple[Transfer, ...], ...]]
_known: WeightedLru[_Key, MessageGraph] = WeightedLru(_MAX_KNOWN_MESSAGES, len)


def _outline(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """Return consecutive chunks as if each non-empty one were one element; other chunks unchanged."""
    outline, end, at = [], 0, 0
    for chunk in chunks:
        if chunk.offset != end:
            return chunks
        outline.append(Chunk(at, length := int(chunk.length > 0)))
        end, at = end + chunk.length, at + length
    return tuple(outline)


class _Bundle(NamedTuple):
    """Messages that start together; ``read`` is what may be overwritten afterwards, ``numbers`` are their numbers."""

    phase: str
    src: int
    dst: int
    reduce: bool
    is_inside: bool
    reads: list[int]
    writes: list[int]
    read: list[int]
    numbers: list[int]


def _graph(schedule: Schedule, neighbourhood: int) -> MessageGraph:
    steps, messages_before = [], 0
    for step in (found := message_steps(schedule)):
        steps.append(_bundles(step, messages_before, neighbourhood))
        messages_before += len(step)
    moving = [bundle for step in steps for bundle in step]
    travels = [0] * messages_before
    for i, bundle in enumerate(moving):
        for number in bundle.numbers:
            travels[number] = i
    numbers: dict[tuple[int, int], int] = {}
    pair = tuple(numbers.setdefault((m.src, m.dst), len(numbers)) for m in moving)
    ended, arrived = _waits(steps)
    return MessageGraph(
        phases=tuple((phase, sum(1 for _ in run)) for phase, run in groupby(moving, key=attrgetter("phase"))),
        pairs=tuple(numbers),
        pair=pair,
        reduces=tuple(m.reduce for m in moving),
        reads=tuple((m.reads[0], m.reads[-1]) for step in found for m in step),
        ended=ended,
        arrived=arrived,
        adds_after=_adding_orders(moving),
        travels=None if neighbourhood == 1 else tuple(travels),
    )


def _bundles(step: list[Message], first: int, neighbourhood: int) -> list[_Bundle]:
    """Group the messages of a step, numbered from ``first``; with one port each way every message is separate."""
    found: dict[tuple[object, ...], _Bundle] = {}
    for number, m in enumerate(step, first):
        key = (m.src, m.dst, m.phase, m.reduce) if neighbourhood > 1 else (number,)
        if key not in found:
            is_inside = m.src // neighbourhood == m.dst // neighbourhood
            found[key] = _Bundle(m.phase, m.src, m.dst, m.reduce, is_inside, [], [], [], [])
        bundle = found[key]
        bundle.reads.extend(m.reads)
        bundle.writes.extend(m.writes)
        bundle.read.extend(() if m.src_is_input else m.reads)  # the caller's input is never overwritten
        bundle.numbers.append(number)
    return [*found.values()]


def _adding_orders(moving: list[_Bundle]) -> tuple[int | None, ...]:
    """Return the order of additions: a rank adds received data in the order of arrival, which at each port is that
    of the schedule.
    """
    last: dict[tuple[int, bool], int] = {}
    found: list[int | None] = []
    for i, m in enumerate(moving):
        found.append(last.get((m.dst, m.is_inside)) if m.reduce else None)
        if m.reduce:
            last[m.dst, m.is_inside] = i
    return tuple(found)


Waits = tuple[tuple[int, ...], ...]


def _waits(steps: list[list[_Bundle]]) -> tuple[Waits, Waits]:
    """Return the dependencies of each message. Messages of one step do not see each other's writes, but share ports."""
    writer: dict[tuple[int, int], int] = {}  # (rank, chunk) -> the message that wrote it last
    readers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # messages that have read it since
    sender: dict[tuple[int, bool], int] = {}
    receiver: dict[tuple[int, bool], int] = {}
    all_ended: list[tuple[int, ...]] = []
    all_arrived: list[tuple[int, ...]] = []
    for step in steps:
        first = len(all_ended)
        for i, m in enumerate(step, first):
            touched = [(m.src, chunk) for chunk in m.reads] + [(m.dst, chunk) for chunk in m.writes]
            ended = {writer[place] for place in touched if place in writer}
            ends = ((sender, (m.src, m.is_inside)), (receiver, (m.dst, m.is_inside)))
            ports = {port[end] for port, end in ends if end in port}
            arrived = ports.union(*(readers[m.dst, chunk] for chunk in m.writes)) - ended
            sender[m.src, m.is_inside] = receiver[m.dst, m.is_inside] = i
            all_ended.append(tuple(sorted(ended)))
            all_arrived.append(tuple(sorted(arrived)))
        for i, m in enumerate(step, first):
            for chunk in m.read:
                readers[m.src, chunk].append(i)
        for i, m in enumerate(step, first):
            for chunk in m.writes:
                writer[m.dst, chunk] = i
                readers.pop((m.dst, chunk), None)
    return tuple(all_ended), tuple(all_arrived)

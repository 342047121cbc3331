"""What the messages of a schedule wait for, without sizes and times: worked out once for all sizes of a call. Pure.

To follow a schedule's chunks from writer to reader takes several times as long as to add up its times, and hangs only
on who sends which chunk to whom, and on which chunks are empty.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ringscope.schedules.known import Known
from ringscope.schedules.messages import Message, messages
from ringscope.schedules.schedule import Chunk, Schedule, Transfer

_MAX_KNOWN_MESSAGES = 80_000  # in all graphs that are kept, of about 0.5 KB each


class Need(NamedTuple):
    """A message that another one waits for: until it has arrived, or also until it has been added up."""

    number: int
    added_up: bool


@dataclass(frozen=True, slots=True)
class MessageGraph:
    """Columns with an entry for each message, in the order of the schedule.

    ``phases`` are in this order, too, each with how many messages it lasts; one may come again. ``pairs`` are the links
    that the messages use.

    Message i waits until each of ``ended[i]`` has been added up and each of ``arrived[i]`` has arrived, and to be
    added up until ``adds_after[i]`` has been (None: for nobody); all of these come before it. It carries the chunks
    from the first to the last of ``reads[i]``, which lie one after another, or one run of equal length.
    """

    phases: tuple[tuple[str, int], ...]
    pairs: tuple[tuple[int, int], ...]
    pair: tuple[int, ...]
    reduces: tuple[bool, ...]
    reads: tuple[tuple[int, int], ...]
    ended: tuple[tuple[int, ...], ...]
    arrived: tuple[tuple[int, ...], ...]
    adds_after: tuple[int | None, ...]

    def __len__(self) -> int:
        return len(self.pair)

    def needs(self, i: int) -> tuple[Need, ...]:
        """What message i waits for before it starts."""
        return (*(Need(n, True) for n in self.ended[i]), *(Need(n, False) for n in self.arrived[i]))

    def sizes_bytes(self, schedule: Schedule, itemsize_bytes: int) -> list[int]:
        """Of each message, in the schedule that the graph is of."""
        starts = [chunk.offset for chunk in schedule.chunks]
        ends = [chunk.offset + chunk.length for chunk in schedule.chunks]
        return [(ends[last] - starts[first]) * itemsize_bytes for first, last in self.reads]


def graph_of(schedule: Schedule) -> MessageGraph:
    """The graph of a schedule, looked up where one with the same steps and the same empty chunks is known."""
    key = (schedule.ranks, _outline(schedule.chunks), schedule.steps)
    return _known.get(key, lambda: _graph(Schedule(*key)))


def message_steps(schedule: Schedule) -> list[list[Message]]:
    """The messages themselves, step by step, numbered as in the graph."""
    return messages(schedule, in_place=False)


_Key = tuple[int, tuple[Chunk, ...], tuple[tuple[Transfer, ...], ...]]
_known: Known[_Key, MessageGraph] = Known(_MAX_KNOWN_MESSAGES, len)


def _outline(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """Chunks that follow one another, as if each that is not empty were one element; others as they are."""
    outline, end, at = [], 0, 0
    for chunk in chunks:
        if chunk.offset != end:
            return chunks
        outline.append(Chunk(at, length := int(chunk.length > 0)))
        end, at = end + chunk.length, at + length
    return tuple(outline)


def _graph(schedule: Schedule) -> MessageGraph:
    steps = message_steps(schedule)
    moving = [message for step in steps for message in step]
    numbers: dict[tuple[int, int], int] = {}
    pair = tuple(numbers.setdefault((m.src, m.dst), len(numbers)) for m in moving)
    ended, arrived = _waits(steps)
    return MessageGraph(
        phases=tuple((phase, sum(1 for _ in run)) for phase, run in groupby(moving, key=attrgetter("phase"))),
        pairs=tuple(numbers),
        pair=pair,
        reduces=tuple(m.reduce for m in moving),
        reads=tuple((m.reads[0], m.reads[-1]) for m in moving),
        ended=ended,
        arrived=arrived,
        adds_after=_adding_orders(moving),
    )


def _adding_orders(moving: list[Message]) -> tuple[int | None, ...]:
    """A rank adds what it receives in the order of its arrival, which at one port is that of the schedule."""
    last: dict[int, int] = {}
    found: list[int | None] = []
    for i, m in enumerate(moving):
        found.append(last.get(m.dst) if m.reduce else None)
        if m.reduce:
            last[m.dst] = i
    return tuple(found)


Waits = tuple[tuple[int, ...], ...]


def _waits(steps: list[list[Message]]) -> tuple[Waits, Waits]:
    """What each message waits for. The messages of one step do not see each other's writes, but share the ports."""
    writer: dict[tuple[int, int], int] = {}  # (rank, chunk) -> the message that wrote it last
    readers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # who read it since
    sender: dict[int, int] = {}
    receiver: dict[int, int] = {}
    all_ended: list[tuple[int, ...]] = []
    all_arrived: list[tuple[int, ...]] = []
    for step in steps:
        first = len(all_ended)
        for i, m in enumerate(step, first):
            touched = [(m.src, chunk) for chunk in m.reads] + [(m.dst, chunk) for chunk in m.writes]
            ended = {writer[place] for place in touched if place in writer}
            ports = {port[rank] for port, rank in ((sender, m.src), (receiver, m.dst)) if rank in port}
            arrived = ports.union(*(readers[m.dst, chunk] for chunk in m.writes)) - ended
            sender[m.src] = receiver[m.dst] = i
            all_ended.append(tuple(sorted(ended)))
            all_arrived.append(tuple(sorted(arrived)))
        for i, m in enumerate(step, first):
            for chunk in () if m.src_is_input else m.reads:  # the caller's input is never overwritten
                readers[m.src, chunk].append(i)
        for i, m in enumerate(step, first):
            for chunk in m.writes:
                writer[m.dst, chunk] = i
                readers.pop((m.dst, chunk), None)
    return tuple(all_ended), tuple(all_arrived)

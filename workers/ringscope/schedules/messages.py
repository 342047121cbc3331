"""Messages: what executors move. Transfers of one step between the same two ranks travel together. Pure.

A rank reads a chunk from the caller's input until the first transfer has written it to the result, so one message
can only cover neighbouring chunks that lie in the same memory at both ends.
"""

from dataclasses import dataclass

from ringscope.schedules.schedule import Chunk, Schedule, Transfer


@dataclass(frozen=True, slots=True)
class Message:
    """A run of elements from ``source`` of rank ``src`` to ``target`` of rank ``dst``.

    ``src_is_input`` and ``own_is_input`` say whether the value read at either end is still the caller's input.
    ``staged``: another message of the step reads what this one overwrites, so it must be kept in scratch memory until
    then.
    """

    phase: str
    step: int
    src: int
    dst: int
    reduce: bool
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    source: Chunk
    target: Chunk
    src_is_input: bool
    own_is_input: bool
    staged: bool


def messages(schedule: Schedule, in_place: bool) -> list[list[Message]]:
    """Return the messages of every step. ``in_place``: input and result share memory, so reads of either can
    collide.
    """
    written: set[tuple[int, int]] = set()  # (rank, chunk) pairs that are already in the result
    found = []
    for step in schedule.steps:
        moving = [t for t in step if schedule.chunks[t.chunk].length]
        result_reads = {(t.src, t.chunk) for t in moving if in_place or (t.src, t.chunk) in written}
        merged: list[Message] = []
        for t in sorted(moving, key=lambda t: (t.src, t.dst, t.chunk)):
            message = _single(schedule, t, written, staged=(t.dst, t.target) in result_reads)
            if merged and _adjacent(merged[-1], message):
                merged[-1] = _merge(merged[-1], message)
            else:
                merged.append(message)
        written |= {(t.dst, t.target) for t in moving}
        found.append(merged)
    return found


def untouched(schedule: Schedule, rank: int) -> list[int]:
    """Return the chunks of the result of ``rank`` that no transfer writes: out of place they are copied from the
    input.
    """
    written = {t.target for t in schedule.transfers() if t.dst == rank}
    chunks = enumerate(schedule.chunks)
    return [i for i, chunk in chunks if chunk.length and i not in written and schedule.is_output(rank, i)]


def _single(schedule: Schedule, t: Transfer, written: set[tuple[int, int]], staged: bool) -> Message:
    return Message(
        t.phase,
        t.step,
        t.src,
        t.dst,
        t.reduce,
        (t.chunk,),
        (t.target,),
        schedule.chunks[t.chunk],
        schedule.chunks[t.target],
        (t.src, t.chunk) not in written,
        t.reduce and (t.dst, t.target) not in written,
        staged,
    )


def _adjacent(first: Message, second: Message) -> bool:
    return _kind(first) == _kind(second) and all(
        one.offset + one.length == other.offset
        for one, other in ((first.source, second.source), (first.target, second.target))
    )


def _kind(message: Message) -> tuple[object, ...]:
    return (
        message.phase,
        message.src,
        message.dst,
        message.reduce,
        message.src_is_input,
        message.own_is_input,
        message.staged,
    )


def _merge(first: Message, second: Message) -> Message:
    length = first.source.length + second.source.length
    return Message(
        first.phase,
        first.step,
        first.src,
        first.dst,
        first.reduce,
        first.reads + second.reads,
        first.writes + second.writes,
        Chunk(first.source.offset, length),
        Chunk(first.target.offset, length),
        first.src_is_input,
        first.own_is_input,
        first.staged,
    )

"""Convert the time spans of a traced run to transfers by matching them with the plan's work. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from ringscope.contracts.traced import Span, TracedTransfer
from ringscope.engine.transports.hazards import Action
from ringscope.schedules.messages import Message
from ringscope.schedules.schedule import Chunk, Hub, Transfer


def pulled(
    actions: Sequence[Action], spans: Sequence[Span], began_ns: int, itemsize_bytes: int
) -> list[TracedTransfer]:
    """Return the messages that a rank pulled from its peers' memory; ``spans`` has one entry per action.

    A staged message is done when a second action has copied it to its destination.
    """
    found: dict[int, TracedTransfer] = {}  # by the message's identity
    free_ns = began_ns
    for action, span in zip(actions, spans, strict=True):
        m, work_ns = action.message, span.end_ns - span.begin_ns
        if action.commit:
            before = found[id(m)]
            work_ns += before.work_ns or 0
            found[id(m)] = before._replace(done_ns=span.end_ns, work_ns=work_ns)
        else:
            found[id(m)] = TracedTransfer(
                is_send=False,
                peer=m.src,
                step=m.step,
                phase=m.phase,
                chunks=m.reads,
                into=m.writes,
                reduce=m.reduce,
                bytes=m.source.length * itemsize_bytes,
                start_ns=free_ns,
                send_ns=span.begin_ns,
                recv_ns=None if m.reduce else span.end_ns,
                reduce_ns=span.begin_ns if m.reduce else None,
                done_ns=span.end_ns,
                work_ns=work_ns,
            )
        free_ns = span.end_ns
    return list(found.values())


def of_hubs(hubs: Sequence[tuple[Hub, Chunk, int]], spans: Sequence[Span], itemsize_bytes: int) -> list[TracedTransfer]:
    """Return the transfers of the chunks whose hub is this rank: each with its chunk, and the number of its tiles.

    ``spans`` has one entry for each transfer of each tile, in the order of the run.
    """
    found: list[TracedTransfer] = []
    first = 0
    for hub, chunk, tiles in hubs:
        width = len(hub.transfers)
        stop = first + tiles * width
        for i, transfer in enumerate(hub.transfers):
            own = spans[first + i : stop : width]
            free_ns = spans[first + i - 1].end_ns if first + i else 0
            found.append(_of_hub(hub, transfer, own, free_ns, chunk.length * itemsize_bytes))
        first = stop
    return found


def _of_hub(hub: Hub, t: Transfer, tiles: Sequence[Span], free_ns: int, size_bytes: int) -> TracedTransfer:
    is_send = t.src == hub.rank
    begin_ns, end_ns = tiles[0].begin_ns, tiles[-1].end_ns
    return TracedTransfer(
        is_send=is_send,
        peer=t.dst if is_send else t.src,
        step=t.step,
        phase=t.phase,
        chunks=(t.chunk,),
        into=(t.target,),
        reduce=t.reduce,
        bytes=size_bytes,
        start_ns=free_ns,
        send_ns=begin_ns,
        recv_ns=None if t.reduce else end_ns,
        reduce_ns=begin_ns if t.reduce else None,
        done_ns=end_ns,
        work_ns=sum(tile.end_ns - tile.begin_ns for tile in tiles),
    )


def of_messages(
    rank: int, messages: Sequence[tuple[Message, Span]], after: Mapping[int, Span], itemsize_bytes: int
) -> Iterator[TracedTransfer]:
    """Return a rank's messages, each with its transfer time; ``after[i]`` is when the data of message i was added."""
    for i, (m, span) in enumerate(messages):
        is_send = m.src == rank
        work = after.get(i)
        yield TracedTransfer(
            is_send=is_send,
            peer=m.dst if is_send else m.src,
            step=m.step,
            phase=m.phase,
            chunks=m.reads,
            into=m.writes,
            reduce=m.reduce,
            bytes=m.source.length * itemsize_bytes,
            start_ns=span.begin_ns,
            send_ns=span.begin_ns if is_send else None,
            recv_ns=span.end_ns,
            reduce_ns=work.begin_ns if work and m.reduce else None,
            done_ns=work.end_ns if work else span.end_ns,
            work_ns=work.end_ns - work.begin_ns if work else None,
        )

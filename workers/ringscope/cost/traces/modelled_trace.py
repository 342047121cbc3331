"""A rank's trace by the cost model: the reference for a measured one, and the trace of a simulated one. Pure."""

from ringscope.contracts.traced import RankTrace, TracedTransfer
from ringscope.cost.timeline import TimedMessage, Timeline


def modelled(timeline: Timeline, rank: int, started_at_ns: int) -> RankTrace:
    """Return the model's trace of a rank, as both ends of its messages would record it."""
    mine = [timed for timed in timeline.messages if rank in (timed.message.src, timed.message.dst)]
    return RankTrace(started_at_ns, _ns(timeline.seconds), [_modelled(timed, rank) for timed in mine])


def _modelled(timed: TimedMessage, rank: int) -> TracedTransfer:
    m, is_send = timed.message, timed.message.src == rank
    is_added = m.reduce and not is_send
    start_ns, arrived_ns, end_ns = _ns(timed.start_s), _ns(timed.arrived_s), _ns(timed.end_s)
    return TracedTransfer(
        is_send=is_send,
        peer=m.dst if is_send else m.src,
        step=m.step,
        phase=m.phase,
        chunks=m.reads,
        into=m.writes,
        reduce=m.reduce,
        bytes=timed.size_bytes,
        start_ns=start_ns,
        send_ns=start_ns,
        recv_ns=arrived_ns,
        reduce_ns=_ns(timed.adding_s) if is_added else None,
        done_ns=end_ns if is_added else arrived_ns,
        work_ns=end_ns - _ns(timed.adding_s) if is_added else None,
    )


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)

"""Trace of one rank in one operation, transfer by transfer, as far as its transport can observe it. Pure.

Both ends of a message record their own side. In shared memory one rank moves the data and records both: the receiver
that reads its peer's memory, or the hub of a chunk that reads all inputs and writes all results.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from ringscope.contracts.columns import FEW, Int32, Name

MAX_RANKS = 64  # limit for a traced operation: more would be unreadable
# limit for an operation between nodes that is traced without a request; a trace takes at most a megabyte
MAX_FOLLOWED_RANKS = 32
MAX_OPERATIONS = 2_000  # limit for one job
MAX_OPERATION_PAIRS = 50_000  # operations times pairs of ranks: limits the size of a job's traces in the database
# Transfers of one rank in one operation; ring_pipelined with 64 ranks would have 16,000.
MAX_TRANSFERS = 1024


class TracedTransfer(NamedTuple):
    """One transfer as observed by the rank that sends to ``peer`` or receives from it; times in ns from the operation's
    start on that rank.

    Args:
        chunks: chunks of the schedule at the source; ``into``: at the destination.
        reduce: true if the receiver adds the data to its own.
        start_ns: turned to it: posted the message; in shared memory: began to wait for it.
        send_ns: the bytes began to move; None where this end cannot know: at the receiver of a message.
        recv_ns: the bytes were there, or had left; seen when this rank next looked. None where moving and adding are
            one pass over the memory.
        reduce_ns: adding began; None where nothing is added here.
        done_ns: nothing was left to do.
        work_ns: how long this rank's processor moved or added the bytes; None where it did not. Less than from send_ns
            to done_ns where tiles of several transfers took turns.
    """

    is_send: bool
    peer: int
    step: int
    phase: Name
    chunks: Annotated[tuple[Int32, ...], FEW]
    into: Annotated[tuple[Int32, ...], FEW]
    reduce: bool
    bytes: int
    start_ns: int
    send_ns: int | None
    recv_ns: int | None
    reduce_ns: int | None
    done_ns: int
    work_ns: int | None


class Span(NamedTuple):
    """A piece of time, in ns from the operation's start."""

    begin_ns: int
    end_ns: int


class RankTrace(NamedTuple):
    """One operation of one rank; it began at ``started_at_ns`` of its node's clock, ns since 1970."""

    started_at_ns: int
    duration_ns: int
    transfers: Sequence[TracedTransfer]

    def told(self) -> dict[str, Any]:
        """Return the fields of ``record.Trace``, limited to the first MAX_TRANSFERS transfers."""
        first = sorted(self.transfers, key=_in_time)[:MAX_TRANSFERS]
        return self._asdict() | {"transfers": first, "left_out": len(self.transfers) - len(first)}


def _in_time(transfer: TracedTransfer) -> tuple[int, int]:
    return transfer.start_ns, transfer.done_ns

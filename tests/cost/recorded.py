"""Operations that were followed in a lab of eight hosts with links of 80 Mbit/s, of which h5 had a fifth.

Each of a sendrecv and of a ring, out of place and in place; the hosts shared two cores.
"""

import json
from pathlib import Path
from typing import Any

from ringscope.contracts.operation_trace import OperationTrace
from ringscope.contracts.record import Trace
from ringscope.contracts.traced import TracedTransfer
from ringscope.cost.traces.operation_trace import Clock, joined

BEGAN_NS = 10**18


def recorded() -> list[tuple[list[Trace], dict[int, Clock]]]:
    """Return the traces that the ranks recorded of each operation, with their clocks."""
    found = json.loads(Path(__file__).with_name("slow_h5.json").read_text())
    return [(_told(operation), _clocks(operation)) for operation in found]


def recorded_operations() -> list[OperationTrace]:
    """The same, put together."""
    return [joined(told, clocks) for told, clocks in recorded()]


def _clocks(operation: dict[str, Any]) -> dict[int, Clock]:
    return {rank: Clock(node, 0, error_ns) for rank, (node, _, error_ns, _) in enumerate(operation["ranks"])}


def _told(operation: dict[str, Any]) -> list[Trace]:
    fields = {name: operation[name] for name in ("collective", "algorithm", "in_place", "size_bytes")}
    return [
        Trace(
            rank=rank,
            transport="mpi",
            dtype="float32",
            started_at_ns=BEGAN_NS + started_ns,
            duration_ns=duration_ns,
            transfers=[_transfer(row, started_ns) for row in operation["rows"] if row[0] == rank],
            **fields,
        )
        for rank, (_, started_ns, _, duration_ns) in enumerate(operation["ranks"])
    ]


def _transfer(row: list[Any], started_ns: int) -> TracedTransfer:
    _, is_send, peer, step, phase, chunks, size_bytes, start_ns, recv_ns = row
    sent_ns = start_ns - started_ns if is_send else None
    return TracedTransfer(
        is_send=bool(is_send), peer=peer, step=step, phase=phase, chunks=tuple(chunks), into=tuple(chunks),
        reduce=False, bytes=size_bytes, start_ns=start_ns - started_ns, send_ns=sent_ns,
        recv_ns=recv_ns - started_ns, reduce_ns=None, done_ns=recv_ns - started_ns, work_ns=None,
    )  # fmt: skip

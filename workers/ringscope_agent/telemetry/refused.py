"""The replacement for a record that the server refuses. Pure."""

import json

from ringscope.contracts.record import Log

_MOST_REASON = 500  # characters


def stand_in(record: bytes, reason: str, time_ns: int) -> bytes:
    """Return a line for the job's log about the refusal, of the same rank if the record names one."""
    kind, rank = _kind_and_rank(record)
    text = f"A record ({kind}) of {len(record)} bytes was refused: {reason[:_MOST_REASON]}"
    return Log(rank=rank, stream="agent", time_ns=time_ns, text=text).model_dump_json().encode()


def _kind_and_rank(record: bytes) -> tuple[str, int | None]:
    try:
        fields = json.loads(record)
        kind, rank = str(fields.get("type"))[:40], fields.get("rank")
    except (ValueError, AttributeError, RecursionError):
        return "of no known kind", None
    return kind, rank if isinstance(rank, int) and 0 <= rank < 2**31 else None

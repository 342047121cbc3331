"""The last operations of a dump in the recorder's own JSON, small enough to be sent with a rank's stack. Pure."""

import json
from typing import Any

from ringscope.contracts.protocol import MAX_DUMP_CHARACTERS
from ringscope.hangs.model import Dump, Operation

_OPERATIONS = 100


def excerpt(dump: Dump, most_characters: int | None = None) -> str:
    """Return the newest operations with their source lines as JSON that ``read_dump`` reads; empty if none fits.

    It has at most as many characters as a report takes, or ``most_characters`` if they are fewer.
    """
    most = MAX_DUMP_CHARACTERS if most_characters is None else min(most_characters, MAX_DUMP_CHARACTERS)
    count = _OPERATIONS
    while count:
        text = json.dumps({
            "rank": dump.rank,
            "version": dump.version,
            "pg_config": {
                name: {"name": name, "desc": group.description, "ranks": list(group.ranks)}
                for name, group in dump.groups.items()
            },
            "entries": [_entry(one) for one in dump.operations[-count:]],
        })  # fmt: skip
        if len(text) <= most:
            return text
        count //= 2
    return ""


def _entry(one: Operation) -> dict[str, Any]:
    source = one.source
    frames = [] if source is None else [{"filename": source.path, "line": source.line, "name": source.function}]
    return {
        "record_id": one.record,
        "process_group": [one.group, one.description or "undefined"],
        "profiling_name": f"{one.library}:{one.name}" if one.library else one.name,
        "p2p_seq_id" if one.is_p2p else "collective_seq_id": one.seq,
        "is_p2p": one.is_p2p,
        "state": one.state,
        "input_sizes": one.input_sizes,
        "output_sizes": one.output_sizes,
        "input_dtypes": one.input_dtypes,
        "output_dtypes": one.output_dtypes,
        "time_created_ns": one.created_ns,
        "retired": one.retired,
        "frames": frames,
    }

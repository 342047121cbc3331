"""The Flight Recorder dumps of the ranks of a hanging script: what they say together. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from ringscope.contracts.protocol import RankEvidence
from ringscope.hangs.document import document
from ringscope.hangs.dumps import RefusedError, read_dump
from ringscope.hangs.model import Dump
from ringscope.hangs.verdict import explain

MAX_CHARACTERS = 2_000_000  # limit for all dumps of an insight
_MIN_DUMPS = 2


def gathered(kept: Mapping[str, str], taken: Iterable[RankEvidence]) -> dict[str, str]:
    """Return the dumps by rank, as text, with those that came now, up to the limit."""
    found = dict(kept)
    room = MAX_CHARACTERS - sum(map(len, found.values()))
    for one in taken:
        if one.dump is not None and len(one.dump) <= room:
            found[str(one.rank)] = one.dump
            room -= len(one.dump)
    return found


def explained(dumps: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the verdict about the dumps, as `ringscope hang --json` prints it; None for fewer than two."""
    read = [dump for rank, text in sorted(dumps.items()) if (dump := _read(int(rank), text)) is not None]
    return document(explain(read)) if len(read) >= _MIN_DUMPS else None


def _read(rank: int, text: str) -> Dump | None:
    try:
        dump = read_dump(f"dump_{rank}", text.encode())
    except RefusedError:
        return None
    return dump if dump.rank == rank else None

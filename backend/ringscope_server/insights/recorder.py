"""The Flight Recorder dumps of the ranks of a hanging script: what they say together. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from ringscope.contracts.protocol import RankEvidence
from ringscope.hangs.document import document
from ringscope.hangs.dumps import RefusedError, read_dump
from ringscope.hangs.excerpt import excerpt
from ringscope.hangs.model import Dump
from ringscope.hangs.verdict import explain

MAX_CHARACTERS = 256 * 1024  # limit for what an insight keeps of all dumps
_MIN_DUMPS = 2


def gathered(kept: Mapping[str, str], taken: Iterable[RankEvidence]) -> dict[str, str]:
    """Return the dumps by rank, as text, with those that came now."""
    return {**kept, **{str(one.rank): one.dump for one in taken if one.dump is not None}}


def shortened(dumps: Mapping[str, str]) -> dict[str, str]:
    """Return what an insight keeps: of each dump the newest operations, as many as fit into the rank's part.

    They are enough to explain the dumps of another node together with these.
    """
    most = MAX_CHARACTERS // max(len(dumps), 1)
    kept = {rank: text if len(text) <= most else _short(int(rank), text, most) for rank, text in dumps.items()}
    return {rank: text for rank, text in kept.items() if text}


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


def _short(rank: int, text: str, most: int) -> str:
    dump = _read(rank, text)
    return excerpt(dump, most) if dump is not None else ""

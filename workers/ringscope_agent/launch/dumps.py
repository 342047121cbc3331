"""Flight Recorder dumps of the ranks of a hanging script: written on request, read, and cut to their newest operations.

The first dump of a process takes seconds of CPU, because PyTorch loads its symbols.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ringscope.contracts.protocol import RankEvidence
from ringscope.hangs.dumps import MOST_BYTES, RefusedError, read_dump
from ringscope.hangs.excerpt import excerpt
from ringscope.rank.flight_recorder import NOTHING, REQUEST, dump_of

DUMP_SECONDS = 20.0
POLL_SECONDS = 0.1
MOST_CHARACTERS = 4_000_000  # a report has the dumps of all ranks of the node


async def add(found: Sequence[RankEvidence], folder: Path) -> list[RankEvidence]:
    """Ask every rank that runs for its dump, and return the evidence with those that came in time."""
    ranks = [one.rank for one in found if one.state not in ("", "Z", "X", "T", "t", "F")]
    try:
        (folder / REQUEST).touch()
    except OSError:
        return list(found)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DUMP_SECONDS
    while loop.time() < deadline and not all(_has_answered(folder, rank) for rank in ranks):  # noqa: ASYNC110 - files
        await asyncio.sleep(POLL_SECONDS)
    taken, room = [], MOST_CHARACTERS
    for one in found:
        text = await asyncio.to_thread(_excerpt, dump_of(folder, one.rank))
        has_room = 0 < len(text) <= room
        room -= len(text) if has_room else 0
        taken.append(one.model_copy(update={"dump": text if has_room else None}))
    return taken


def _has_answered(folder: Path, rank: int) -> bool:
    path = dump_of(folder, rank)
    return path.exists() or path.with_suffix(NOTHING).exists()


def _excerpt(path: Path) -> str:
    """Return the newest operations of a dump; empty if there is none, or none that can be used."""
    try:
        with path.open("rb") as file:
            return excerpt(read_dump(path.name, file.read(MOST_BYTES + 1)))
    except (OSError, RefusedError):
        return ""

"""Which rank must wait for whom when every rank pulls from its peers' memory. Pure.

In shared memory the destination executes a transfer: it reads the source's chunk and writes its own. Each rank
publishes its progress: 1 when it has entered the call (its input may be read), then one more after each pull.
A pull has to wait until its source has produced the chunk (read after write), and until all who still read the
old value of the chunk that it overwrites are done (write after read).
"""

from collections import defaultdict
from dataclasses import dataclass, field

from ringscope.schedule import Schedule, Transfer

Waits = tuple[tuple[int, int], ...]
_ENTERED = 1


@dataclass(frozen=True, slots=True)
class Pull:
    """One transfer as its destination does it; the flags say whether a value is still the caller's input."""

    chunk: int
    src: int
    reduce: bool
    src_is_input: bool
    own_is_input: bool
    waits: Waits


@dataclass(slots=True)
class Program:
    """What one rank does in a call, and whom it awaits before it may return."""

    pulls: list[Pull] = field(default_factory=list)
    untouched: list[int] = field(default_factory=list)
    final_waits: Waits = ()

    @property
    def progress(self) -> int:
        """The progress value of a rank that has done everything."""
        return _ENTERED + len(self.pulls)


def programs(schedule: Schedule, in_place: bool) -> list[Program]:
    """One program per rank. ``in_place``: input and result are one memory, so reading either can collide."""
    found = [Program() for _ in range(schedule.ranks)]
    written: dict[tuple[int, int], tuple[int, int]] = {}  # (rank, chunk) -> (step, progress) of its last write
    readers: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # reads since that write
    last_read: defaultdict[int, dict[int, int]] = defaultdict(dict)  # rank -> reader -> progress
    known: defaultdict[int, dict[int, int]] = defaultdict(dict)  # rank -> peer -> progress already awaited
    for t in schedule.transfers():
        program, source, target = found[t.dst], (t.src, t.chunk), (t.dst, t.chunk)
        needed = [(t.src, _ENTERED)]
        if source in written:
            _refuse_same_step(t, written[source][0])
            needed.append((t.src, written[source][1]))
        needed += readers.pop(target, [])
        waits = _new_waits(needed, t.dst, known[t.dst])
        program.pulls.append(Pull(t.chunk, t.src, t.reduce, source not in written, target not in written, waits))
        written[target] = (t.step, program.progress)
        last_read[t.src][t.dst] = program.progress
        if in_place or source in written:
            readers[source].append((t.dst, program.progress))
    for rank, program in enumerate(found):
        program.final_waits = _new_waits(list(last_read[rank].items()), rank, known[rank])
        touched = {chunk for writer, chunk in written if writer == rank}
        program.untouched = [i for i, chunk in enumerate(schedule.chunks) if chunk.length and i not in touched]
    return found


def _new_waits(needed: list[tuple[int, int]], rank: int, known: dict[int, int]) -> Waits:
    """The needs that no earlier wait of this rank has met, strongest per peer; noted in ``known``."""
    strongest: dict[int, int] = {}
    for peer, progress in needed:
        if peer != rank and progress > max(known.get(peer, 0), strongest.get(peer, 0)):
            strongest[peer] = progress
    known.update(strongest)
    return tuple(strongest.items())


def _refuse_same_step(transfer: Transfer, written_step: int) -> None:
    if written_step == transfer.step:
        raise ValueError(
            f"Step {transfer.step} both writes and reads chunk {transfer.chunk} of rank {transfer.src}; "
            "a schedule must do one of the two."
        )

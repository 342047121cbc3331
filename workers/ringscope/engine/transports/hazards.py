"""Compute the waits between ranks when every rank pulls from its peers' memory. Pure.

In shared memory the destination executes a message: it reads the source's memory and writes its own. Each rank
publishes its progress: 1 when it has entered the call (its input may be read), plus one after each action. A pull has
to wait until its source has produced the chunks (read after write), and until all readers of the old value of the
chunks that it overwrites are done (write after read). If these readers belong to the same step, as in an exchange, it
pulls into scratch memory, and a second action copies the value to its destination.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from ringscope.schedules.messages import Message, messages, untouched
from ringscope.schedules.schedule import Schedule

Waits = tuple[tuple[int, int], ...]
ENTERED = 1


@dataclass(frozen=True, slots=True)
class Action:
    """One message as its destination executes it, after ``waits``.

    ``scratch`` is the first element of scratch memory that a staged message uses, None for all others; ``commit`` is
    the second half of a staged message.
    """

    message: Message
    waits: Waits
    scratch: int | None = None
    commit: bool = False


@dataclass(slots=True)
class Program:
    """The actions of one rank in a call, and the ranks it waits for before it may return."""

    actions: list[Action] = field(default_factory=list)
    untouched: list[int] = field(default_factory=list)
    scratch_count: int = 0
    final_waits: Waits = ()

    @property
    def progress(self) -> int:
        """Return the progress value of a rank that has finished."""
        return ENTERED + len(self.actions)


def programs(schedule: Schedule, in_place: bool) -> list[Program]:
    """Return one program per rank. ``in_place``: input and result share memory, so reads of either can collide."""
    state = _State(schedule.ranks, in_place)
    for step in messages(schedule, in_place):
        places = [state.read(message) for message in step]
        for message, place in zip(step, places, strict=True):
            if place is not None:
                state.commit(message, place)
        state.end_step()
    for rank, program in enumerate(state.programs):
        program.final_waits = state.new_waits(rank, list(state.last_read[rank].items()))
        program.untouched = untouched(schedule, rank)
    return state.programs


class _State:
    """State of the analysis after the messages processed so far."""

    def __init__(self, ranks: int, in_place: bool) -> None:
        self.programs = [Program() for _ in range(ranks)]
        self.last_read: defaultdict[int, dict[int, int]] = defaultdict(dict)  # rank -> reader -> progress
        self._in_place = in_place
        self._written: dict[tuple[int, int], int] = {}  # (rank, chunk) -> progress of its last write
        self._readers: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # since that write
        self._known: defaultdict[int, dict[int, int]] = defaultdict(dict)  # rank -> peer -> progress awaited
        self._scratch: defaultdict[int, int] = defaultdict(int)  # rank -> scratch elements taken in this step

    def read(self, m: Message) -> int | None:
        """Pull the message; return its offset in scratch memory if it still has to be committed."""
        needed = [(m.src, ENTERED)]
        if not m.src_is_input:
            needed += [(m.src, self._written[m.src, chunk]) for chunk in m.reads]
        place = None
        if m.staged:
            place = self._scratch[m.dst]
            self._scratch[m.dst] += m.target.length
        else:
            needed += self._popped_readers(m)
        self._act(m, needed, place, commit=False)
        progress = self.programs[m.dst].progress
        self.last_read[m.src][m.dst] = progress
        if self._in_place or not m.src_is_input:
            for chunk in m.reads:
                self._readers[m.src, chunk].append((m.dst, progress))
        return place

    def commit(self, m: Message, place: int) -> None:
        """Copy a staged value to its destination."""
        self._act(m, self._popped_readers(m), place, commit=True)

    def end_step(self) -> None:
        """Mark scratch memory as free."""
        for rank, used in self._scratch.items():
            self.programs[rank].scratch_count = max(self.programs[rank].scratch_count, used)
        self._scratch.clear()

    def new_waits(self, rank: int, needed: list[tuple[int, int]]) -> Waits:
        """Return the needs that no earlier wait of this rank covers, the strongest per peer, and mark them as
        covered.
        """
        known, strongest = self._known[rank], dict[int, int]()
        for peer, progress in needed:
            if peer != rank and progress > max(known.get(peer, 0), strongest.get(peer, 0)):
                strongest[peer] = progress
        known.update(strongest)
        return tuple(strongest.items())

    def _act(self, m: Message, needed: list[tuple[int, int]], place: int | None, commit: bool) -> None:
        program = self.programs[m.dst]
        program.actions.append(Action(m, self.new_waits(m.dst, needed), place, commit))
        if place is None or commit:
            self._written |= {(m.dst, chunk): program.progress for chunk in m.writes}

    def _popped_readers(self, m: Message) -> list[tuple[int, int]]:
        return [reader for chunk in m.writes for reader in self._readers.pop((m.dst, chunk), [])]

"""The same operation on all ranks of a group: found by its number, from the first that every buffer still has. Pure.

A ring buffer keeps the last operations only, so a rank that has not an old number in its buffer is not missing in it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

from ringscope.hangs.model import Dump, Operation, Sizes

# Their sizes differ by rank where the calls are right: what one rank sends another receives.
_UNEVEN = ("all_to_all", "alltoall", "ALLTOALL")
_EVERYONE = "default_pg"  # the group of all ranks


@dataclass(frozen=True)
class Shared:
    """A group as all dumps together know it."""

    name: str
    description: str
    members: tuple[int, ...]

    def __str__(self) -> str:
        return f"group {self.name} ({self.description})" if self.description else f"group {self.name}"


@dataclass
class Aligned:
    """A group's collectives by number and rank."""

    group: Shared
    ranks: tuple[int, ...]
    by_seq: dict[int, dict[int, Operation]] = field(default_factory=dict)

    @cached_property
    def first(self) -> int:
        """The first number that the buffer of every rank still has."""
        return max((min(seqs) for seqs in self.seqs.values() if seqs), default=0)

    @cached_property
    def seqs(self) -> dict[int, set[int]]:
        """The numbers that each rank has recorded."""
        return {rank: {seq for seq, found in self.by_seq.items() if rank in found} for rank in self.ranks}

    def last(self, rank: int) -> int | None:
        """Return the last number that a rank issued; None if its dump has no operation of the group."""
        return max(self.seqs[rank], default=None)

    def rows(self) -> Iterator[tuple[int, dict[int, Operation]]]:
        """Yield the operations that are compared, in the order of their numbers."""
        for seq in sorted(self.by_seq):
            if seq >= self.first:
                yield seq, self.by_seq[seq]


def aligned(dumps: Sequence[Dump]) -> list[Aligned]:
    """Return every group of the dumps that has collectives, the largest first."""
    found: dict[tuple[str, tuple[int, ...]], Aligned] = {}
    members = _members(dumps)
    for dump in dumps:
        for operation in dump.operations:
            if operation.is_p2p or operation.name == "coalesced":
                continue
            key = (operation.group, members[dump.rank, operation.group])
            if key not in found:
                shared = Shared(operation.group, operation.description, key[1])
                ranks = tuple(one.rank for one in dumps if one.rank in shared.members)
                found[key] = Aligned(shared, ranks)
            rows = found[key].by_seq.setdefault(operation.seq, {})
            rows.setdefault(dump.rank, operation)  # one of several that were coalesced tells enough
    return sorted(found.values(), key=lambda one: (-len(one.group.members), one.group.name))


def _members(dumps: Sequence[Dump]) -> dict[tuple[int, str], tuple[int, ...]]:
    """Return the members of each group that a rank names: as the dump lists them, else the ranks that used it.

    gloo's recorder lists one group only, without its name: the one that was made last. So a list counts only if it has
    every rank that used the group.
    """
    users: dict[str, set[int]] = {}
    everyone = {dump.rank for dump in dumps}
    for dump in dumps:
        for name, description in {(operation.group, operation.description) for operation in dump.operations}:
            users.setdefault(name, set()).update(everyone if description == _EVERYONE else {dump.rank})
    found = {}
    for dump in dumps:
        names = {operation.group for operation in dump.operations}
        for name in names:
            known = dump.groups.get(name) or (dump.groups.get("") if len(names) == 1 else None)
            told = known.ranks if known else ()
            is_list = dump.rank in told if name in dump.groups else users[name] <= {*told}
            found[dump.rank, name] = told if is_list else tuple(sorted(users[name]))
    return found


class Difference(NamedTuple):
    """The way in which one operation differs between ranks, and the ranks that differ from most; empty if half do."""

    kind: str
    odd: tuple[int, ...]


def difference(row: Mapping[int, Operation]) -> Difference | None:
    """Return how the ranks' calls of one number differ; None if they fit together.

    Element counts are compared, not shapes: [2, 3] and [6] fit together. What differs by rank in right calls is not
    compared: what all_to_all sends, what only the root of gather or scatter has, the uneven parts of all_gather.
    """
    if odd := _odd(row, lambda one: one.name):
        return Difference("order", odd)
    name = next(iter(row.values())).name
    if name.startswith(_UNEVEN):
        return None
    if odd := _odd(row, lambda one: _told(name, _counts(one.input_sizes), _counts(one.output_sizes))):
        return Difference("size", odd)
    if odd := _odd(row, lambda one: _told(name, one.input_dtypes, one.output_dtypes)):
        return Difference("type", odd)
    return None


def _told(name: str, sent: Hashable, received: Hashable) -> Hashable:
    """Return the part of an operation that must be equal on all ranks."""
    if name.startswith(("gather", "reduce_scatter", "_reduce_scatter")):
        return sent
    if name.startswith(("scatter", "all_gather", "_all_gather", "allgather", "_allgather")):
        return received
    return sent, received


def _counts(sizes: Sizes) -> tuple[int, ...]:
    return tuple(prod(shape) for shape in sizes)


def _odd(row: Mapping[int, Operation], key: Callable[[Operation], Hashable]) -> tuple[int, ...]:
    """Return the ranks whose key is not that of most; all ranks if none is that of more than half, () if all agree."""
    keys = {rank: key(one) for rank, one in row.items()}
    counted = Counter(keys.values()).most_common()
    if len(counted) <= 1:
        return ()
    most, times = counted[0]
    if 2 * times <= len(keys):
        return tuple(sorted(keys))
    return tuple(sorted(rank for rank, told in keys.items() if told != most))

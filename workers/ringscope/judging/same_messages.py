"""Algorithms that send the same messages with few ranks, between which no difference is to be expected. Pure."""

from collections.abc import Iterable
from functools import lru_cache

from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.schedules.algorithms import build

MOST_RANKS = 3  # with more, no two algorithms send the same messages
_ELEMENTS_PER_RANK = 1 << 20  # so many that algorithms which cut long messages into segments do so
# Their schedules depend on the nodes or on the number of servers, which the rows do not have.
_UNKNOWN = {"hierarchical", "parameter_server"}

_Message = tuple[int, int, int, bool]  # source, destination, elements, whether they are added up


def same_messages(algorithms: Iterable[str], ranks: int, collective: str) -> list[list[str]]:
    """Return the groups of two or more of these algorithms that send the same messages in the same steps.

    With 2 ranks ring and direct are such a group: each rank sends one half, then the other. An algorithm without a
    schedule, such as ``mpi`` or ``auto``, is in no group.
    """
    if not 1 < ranks <= MOST_RANKS:
        return []
    groups: dict[tuple[tuple[_Message, ...], ...], list[str]] = {}
    for name in dict.fromkeys(algorithms):
        if name in SCHEDULED[collective] and name not in _UNKNOWN:
            groups.setdefault(_steps(name, ranks, collective), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def are_the_same(algorithms: Iterable[str], ranks: int, collective: str) -> bool:
    """Return whether all of these algorithms send the same messages."""
    names = set(algorithms)
    return any(names <= {*group} for group in same_messages(names, ranks, collective))


@lru_cache(maxsize=256)
def _steps(algorithm: str, ranks: int, collective: str) -> tuple[tuple[_Message, ...], ...]:
    """Return the messages of each step; the position of a chunk in the buffer does not matter."""
    schedule = build(algorithm, ranks, ranks * _ELEMENTS_PER_RANK, collective=collective)
    return tuple(
        tuple(sorted((t.src, t.dst, schedule.chunks[t.chunk].length, t.reduce) for t in step))
        for step in schedule.steps
    )

"""The algorithms of a job's buckets while it trains; all ranks make the same calls (collective).

Buckets of similar size are judged together, each group by its own times. The time of a sum is that of the rank that
came last to it: on the others it includes their waiting. The ranks exchange these times at the end of each block of
steps and then compute the same next state, so they change the algorithm before the same step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ringscope.contracts.words.units import format_size, plural
from ringscope.train.adaptive.learned import Learned
from ringscope.train.adaptive.state import AutoState, Change

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_LEAST_SHARE = 0.02  # smallest share of a step's bytes: smaller groups of buckets keep their first algorithm
_LEAST_US = 0.01  # no sum takes no time, but a clock may say so


class GroupChange(NamedTuple):
    """A change of the algorithm of some buckets, by their numbers."""

    numbers: tuple[int, ...]
    size_bytes: int
    change: Change

    @property
    def because(self) -> str:
        """Return the reason in a sentence that names the buckets."""
        of = "of" if len(self.numbers) == 1 else "of up to"
        return f"{plural(len(self.numbers), 'bucket')} {of} {format_size(self.size_bytes)}: {self.change.because}"


@dataclass(slots=True)
class _Group:
    """Buckets of similar size, by their numbers; ``times_us`` has a row for each step since the last exchange."""

    numbers: list[int]
    size_bytes: int
    state: AutoState
    times_us: list[list[float]] = field(default_factory=list)

    @property
    def algorithm(self) -> str:
        """Return the algorithm of the next step."""
        return self.state.block[len(self.times_us)]


class Tuner:
    """Chooses the algorithms of all buckets before each step."""

    def __init__(
        self, comm: Communicator, sizes_bytes: Sequence[int], dtype: str, learned: Learned | None = None
    ) -> None:
        """Ask for the candidates of each group of buckets, of which these are the sizes (collective).

        The choice goes on from what is ``learned``, and keeps there what it learns.
        """
        self._comm, self._learned = comm, learned or Learned()
        self._learned.begin()
        whole_bytes = sum(sizes_bytes)
        classes: dict[int, list[int]] = {}
        for number, size_bytes in enumerate(sizes_bytes):
            classes.setdefault(size_bytes.bit_length(), []).append(number)
        self._groups: list[_Group] = []
        for numbers in classes.values():
            sizes = [sizes_bytes[number] for number in numbers]
            if sum(sizes) >= _LEAST_SHARE * whole_bytes:
                names = comm.contenders("all_reduce", dtype, max(sizes), in_place=True)
                if len(names) > 1:
                    self._groups.append(_Group(numbers, max(sizes), self._learned.state_of(numbers, names)))

    @property
    def algorithms(self) -> dict[int, str]:
        """Return the algorithm of the next step, by the bucket's number; others keep theirs."""
        return {number: group.algorithm for group in self._groups for number in group.numbers}

    def needed(self) -> dict[int, frozenset[str]]:
        """Return the algorithms that a bucket may need in the next steps."""
        return {number: frozenset(group.state.block) for group in self._groups for number in group.numbers}

    def note(self, durations_us: Sequence[float]) -> list[GroupChange]:
        """Take the times of all buckets in the step that just ended; return what changes (collective)."""
        for group in self._groups:
            group.times_us.append([durations_us[number] for number in group.numbers])
        ended = [group for group in self._groups if len(group.times_us) == len(group.state.block)]
        if not ended:
            return []
        mine = np.concatenate([np.asarray(group.times_us, np.float64).reshape(-1) for group in ended])
        shortest = -self._comm.maximum(-mine)
        found, start = [], 0
        for group in ended:
            shape = len(group.times_us), len(group.numbers)
            times = shortest[start : start + shape[0] * shape[1]].reshape(shape)
            start += times.size
            group.times_us = []
            group.state, change = group.state.after([max(_LEAST_US, float(row.sum())) for row in times])
            self._learned.keep(group.numbers, group.state)
            if change is not None:
                found.append(GroupChange(tuple(group.numbers), group.size_bytes, change))
        return found

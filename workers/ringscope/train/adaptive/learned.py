"""The choices that ``auto`` has made, for the next training of the same model in the same way in this process."""

from __future__ import annotations

from collections.abc import Sequence

from ringscope.train.adaptive.state import MOST_CANDIDATES, AutoState


class Learned:
    """The states of all groups of buckets; they are equal on all ranks."""

    def __init__(self) -> None:
        self._states: dict[tuple[int, ...], AutoState] = {}
        self._is_begun = False

    def begin(self) -> None:
        """Note that a training begins: the groups without a state have nothing to choose from."""
        self._is_begun = True

    def state_of(self, numbers: Sequence[int], candidates: Sequence[str]) -> AutoState:
        """Return the state with which the group of these buckets goes on; the first one if nothing is known of it."""
        first = AutoState.first(candidates)
        known = self._states.get(tuple(numbers))
        return known.resumed() if known and known.candidates == first.candidates else first

    def keep(self, numbers: Sequence[int], state: AutoState) -> None:
        """Keep the state of a group."""
        self._states[tuple(numbers)] = state

    @property
    def trial_steps(self) -> int:
        """Return the most steps of the next training in which several algorithms are tried."""
        if not self._is_begun:
            return AutoState.first([str(number) for number in range(MOST_CANDIDATES)]).trial_steps
        return max((state.trial_steps for state in self._states.values()), default=0)

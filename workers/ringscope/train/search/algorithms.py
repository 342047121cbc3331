"""The algorithms that ``auto`` has found in the runs of each candidate: the next run goes on from there."""

from __future__ import annotations

from collections import defaultdict

from ringscope.search.candidates import Candidate
from ringscope.train.adaptive.learned import Learned
from ringscope.train.program import adapts


class Algorithms:
    """The choices of each candidate, by its name; ``current`` is for the run in progress."""

    def __init__(self) -> None:
        self._of: defaultdict[str, Learned] = defaultdict(Learned)
        self.current: Learned | None = None

    def begin(self, candidate: Candidate) -> int:
        """Go on with what is known of this candidate; return the most steps that try several algorithms."""
        self.current = self._of[candidate.name] if adapts(candidate.training) else None
        return self.current.trial_steps if self.current else 0

    def end(self) -> None:
        """Let the next training learn anew."""
        self.current = None

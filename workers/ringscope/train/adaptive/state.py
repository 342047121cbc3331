"""Choose the algorithm of the next steps by the times of the sums so far. Pure.

First the candidates take turns, one in each step, round by round. Then the fastest one is used, and the last steps are
compared with the first ones after the trial. If sums have become slower or faster, by interval, the candidates are
tried again: a link that was degraded can change their order, and one that recovers can change it back. Times are
compared by rank tests (``judging.rank_tests``), in which a stalled step counts as one step, however long it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

from ringscope.contracts.words.units import format_duration, plural
from ringscope.judging.rank_tests import Ratio, paired, unpaired

MOST_CANDIDATES = 4
_FEWEST_ROUNDS, _MOST_ROUNDS = 6, 10  # fewer have no 95 % interval of their ratios
_WIDE_ROUNDS = 4  # after these only the algorithm in use and the best other one go on
_CHECKED_STEPS = 5  # between two looks at the times
_RECENT_STEPS = 10
_REFERENCE_STEPS = 20
_LEAST_GAIN = 0.95  # largest share of the time before: a smaller gain does not pay for other bits
_SLOWER, _FASTER = 1.25, 1 / 1.5  # multiples of the time after the last trial
_FAR, _FAR_AT_FIRST = 1.5, 4.0  # multiples of another's slowest time, at which a candidate is left out early
_PAUSE_STEPS, _LONGEST_PAUSE_STEPS = 50, 200  # after a trial that changed nothing


class Change(NamedTuple):
    """Another algorithm from the next step on, and the reason in a sentence."""

    before: str
    after: str
    because: str


@dataclass(frozen=True, slots=True)
class Trial:
    """Candidates that are tried in turns; each of ``rounds`` has a time in microseconds for each of ``names``."""

    names: tuple[str, ...]
    using: str  # one of them, the one in use before
    cause: str
    rounds: tuple[tuple[float, ...], ...] = ()
    is_warm: bool = False  # the first round, in which libraries prepare themselves, is over
    left_out: tuple[tuple[str, float, int], ...] = ()  # names that were far behind, their medians and tries

    @property
    def order(self) -> tuple[str, ...]:
        """Return the names in the order of the next round: each is first, and last, in some rounds."""
        at = len(self.rounds) % len(self.names)
        return (*self.names[at:], *self.names[:at])

    def times_of(self, name: str) -> tuple[float, ...]:
        """Return the times of one of ``names``."""
        at = self.names.index(name)
        return tuple(row[at] for row in self.rounds)

    def after(self, times_us: Sequence[float]) -> Trial:
        """Return the trial after one more round; ``times_us`` are in ``order``."""
        told = dict(zip(self.order, times_us, strict=True))
        row = tuple(told[name] for name in self.names)
        if not self.is_warm:
            # One step is no reason to give up what is in use.
            return replace(self, is_warm=True)._without_far((row,), _FAR_AT_FIRST, {self.using})
        longer = replace(self, rounds=(*self.rounds, row))
        if len(longer.rounds) == 1:
            return longer
        longer = longer._without_far(longer.rounds, _FAR)
        return longer._narrowed() if len(longer.rounds) == _WIDE_ROUNDS else longer

    @property
    def most_steps(self) -> int:
        """Return the most steps that are left of the trial."""
        rounds = len(self.rounds)
        wide = max(0, _WIDE_ROUNDS - rounds) + (not self.is_warm)
        return wide * len(self.names) + (_MOST_ROUNDS - max(rounds, _WIDE_ROUNDS)) * min(2, len(self.names))

    @property
    def winner(self) -> tuple[str, Ratio | None] | None:
        """Return the algorithm to use, and the ratio of its time to that of the one in use; None: it is not decided."""
        rounds = len(self.rounds)
        if len(self.names) == 1 and rounds > 1:
            return self.names[0], None
        if rounds < _FEWEST_ROUNDS:
            return None
        if self.using not in self.names:
            return self._fastest(self.names), None
        others = [name for name in self.names if name != self.using]
        ratios = {name: paired((self.times_of(self.using),), (self.times_of(name),)) for name in others}
        better = [name for name in others if ratios[name].is_clear and ratios[name].value <= _LEAST_GAIN]
        if better:
            best = min(better, key=lambda name: ratios[name].value)
            return best, ratios[best]
        is_decided = all(ratio.low is not None and ratio.low > 1 for ratio in ratios.values())
        return (self.using, None) if is_decided or rounds >= _MOST_ROUNDS else None

    def _fastest(self, names: Sequence[str]) -> str:
        return min(names, key=lambda name: median(self.times_of(name)))

    def _narrowed(self) -> Trial:
        """Keep the algorithm in use, and the best other one."""
        others = [name for name in self.names if name != self.using]
        if len(others) < 2:
            return self
        return self._only({self.using, self._fastest(others)}, self.rounds)

    def _without_far(
        self, rounds: tuple[tuple[float, ...], ...], far: float, kept: AbstractSet[str] = frozenset()
    ) -> Trial:
        """Leave out candidates that took a multiple of another one's slowest time in each of these rounds."""
        columns = dict(zip(self.names, zip(*rounds, strict=True), strict=True))
        bound = far * min(max(column) for column in columns.values())
        return self._only({name for name in self.names if name in kept or min(columns[name]) <= bound}, rounds)

    def _only(self, kept: AbstractSet[str], rounds: tuple[tuple[float, ...], ...]) -> Trial:
        """Leave out the other candidates, of which these rounds are known."""
        columns = dict(zip(self.names, zip(*rounds, strict=True), strict=True))
        out = tuple((name, median(columns[name]), len(rounds)) for name in self.names if name not in kept)
        places = [place for place, name in enumerate(self.names) if name in kept]
        left = tuple(tuple(row[place] for place in places) for row in self.rounds)
        names = tuple(self.names[place] for place in places)
        return replace(self, names=names, rounds=left, left_out=(*self.left_out, *out))


@dataclass(frozen=True, slots=True)
class AutoState:
    """State of the choice; it is equal on all ranks, because they exchange the times."""

    candidates: tuple[str, ...]
    using: str
    trial: Trial | None = None
    reference: tuple[float, ...] = ()  # times of the algorithm in use, from the end of the last trial on
    recent: tuple[float, ...] = ()
    step: int = 0  # steps whose times are known
    free_from: int = 0  # the step from which sums may be tried again
    pause: int = 0  # steps between the last trial, if it changed nothing, and ``free_from``

    @classmethod
    def first(cls, candidates: Sequence[str]) -> AutoState:
        """Return the state before the first step; the first candidate is the one to use without a trial."""
        names = tuple(candidates)[:MOST_CANDIDATES]
        return cls(names, names[0], Trial(names, names[0], "The likely algorithms were tried in the first steps"))

    @property
    def block(self) -> tuple[str, ...]:
        """Return the algorithms of the next steps, whose times ``after`` takes together."""
        return self.trial.order if self.trial else (self.using,) * _CHECKED_STEPS

    @property
    def trial_steps(self) -> int:
        """Return the most steps that are left of the trial; 0: there is none."""
        return self.trial.most_steps if self.trial else 0

    def resumed(self) -> AutoState:
        """Return the state at the start of another training, whose slow first steps tell nothing of the links."""
        return replace(self, recent=(), free_from=max(self.free_from, self.step + _PAUSE_STEPS))

    def after(self, times_us: Sequence[float]) -> tuple[AutoState, Change | None]:
        """Return the state after the steps of ``block``, which took these times in microseconds, above 0."""
        here = replace(self, step=self.step + len(times_us))
        if self.trial is None:
            return here._watched(tuple(times_us)), None
        trial = self.trial.after(times_us)
        return (replace(here, trial=trial), None) if trial.winner is None else here._decided(trial, *trial.winner)

    def _watched(self, times_us: tuple[float, ...]) -> AutoState:
        known = (*self.recent, *times_us)
        reference = (*self.reference, *known[:-_RECENT_STEPS])[:_REFERENCE_STEPS]
        here = replace(self, recent=known[-_RECENT_STEPS:], reference=reference)
        if len(here.recent) < _RECENT_STEPS or self.step < self.free_from:
            return here
        change = unpaired((here.reference,), (here.recent,))
        cause = _cause(change)
        return replace(here, trial=Trial(self.candidates, self.using, cause), recent=()) if cause else here

    def _decided(self, trial: Trial, using: str, ratio: Ratio | None) -> tuple[AutoState, Change | None]:
        """Return what follows from a trial, and the change if there is one."""
        is_changed, is_first = using != self.using, not self.reference
        pause = 0 if is_changed or is_first else min(_LONGEST_PAUSE_STEPS, max(_PAUSE_STEPS, 2 * self.pause))
        state = replace(
            self,
            using=using,
            trial=None,
            reference=trial.times_of(using),
            recent=(),
            free_from=self.step + pause,
            pause=pause,
        )
        return state, Change(self.using, using, _because(trial, self.using, using, ratio)) if is_changed else None


def _cause(change: Ratio) -> str:
    """Describe a change of the sums' times; empty if there is none."""
    if change.low is None or change.high is None:
        return ""
    if change.low > _SLOWER:
        return f"Sums became {change.value:.2g} times slower ({change.low:.2g} to {change.high:.2g} times)"
    if change.high < _FASTER:
        return f"Sums became {1 / change.value:.2g} times faster ({1 / change.high:.2g} to {1 / change.low:.2g} times)"
    return ""


def _because(trial: Trial, before: str, after: str, ratio: Ratio | None) -> str:
    medians = sorted((median(trial.times_of(name)), name) for name in trial.names)
    figures = [f"{name} {format_duration(time_us / 1e6)}" for time_us, name in medians]
    tries = len(trial.rounds)
    sentence = f"{trial.cause}: {', '.join(figures)} (medians of {tries} steps each, in turns)"
    for name, time_us, count in trial.left_out:
        if name == before:
            sentence += f"; {name} was left out after {plural(count, 'step')} of {format_duration(time_us / 1e6)}"
    if ratio is not None:
        sentence += f"; {after} takes {ratio.value:.2f} of the time of {before} ({ratio.low:.2f} to {ratio.high:.2f})"
    return sentence + "."

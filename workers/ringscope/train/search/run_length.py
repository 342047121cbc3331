"""The steps of a candidate's run: those that warm up or try algorithms, and those that are timed. Pure."""

from dataclasses import dataclass

from ringscope.search.rounds import SHORT_SECONDS, WARM_SECONDS

_FIRST_WARM_STEPS = 3  # libraries initialise in them, and memory is touched for the first time
_FIRST_STEPS = 3  # timed steps of a candidate's first run, which only tells how long a step takes
_MOST_TUNING_SECONDS = 6.0  # for steps in which ``auto`` tries algorithms; slow models try the others in later runs
_FEWEST_STEPS, _MOST_STEPS = 6, 10_000  # timed steps of a later run


@dataclass(frozen=True)
class RunLength:
    """The steps of a run: ``warm_steps``, then ``tuning_steps`` in which ``auto`` still tries algorithms, then those
    that are timed.
    """

    warm_steps: int
    tuning_steps: int
    timed_steps: int

    @property
    def untimed_steps(self) -> int:
        """Return the steps before those that are timed."""
        return self.warm_steps + self.tuning_steps

    @property
    def steps(self) -> int:
        """Return all steps."""
        return self.untimed_steps + self.timed_steps


def run_length(
    step_us: float | None, period: int = 1, timed_seconds: float = SHORT_SECONDS, tuning_steps: int = 0
) -> RunLength:
    """Return the length of a candidate's next run, by the time of a step in its last one; None: it is the first.

    Every ``period`` steps are alike, as the averages of local SGD, and whole periods are timed. ``auto`` tries
    algorithms in at most ``tuning_steps`` from the run's first one on. A later run is never as long as the first: from
    both lengths follows what a step sends, without what the start of a run sends.
    """
    first = RunLength(_FIRST_WARM_STEPS, 0, _whole(_FIRST_STEPS, period))
    if step_us is None:
        return first
    fitting = max(_FEWEST_STEPS, min(_MOST_STEPS, int(timed_seconds * 1e6 / step_us)))
    warm_steps = max(_FIRST_WARM_STEPS, min(_MOST_STEPS, int(WARM_SECONDS * 1e6 / step_us)))
    tuning_steps = min(tuning_steps, int(_MOST_TUNING_SECONDS * 1e6 / step_us))
    found = RunLength(warm_steps, max(0, tuning_steps - warm_steps), _whole(fitting, period))
    return found if found.steps != first.steps else RunLength(warm_steps + 1, found.tuning_steps, found.timed_steps)


def _whole(steps: int, period: int) -> int:
    """Return whole periods that are about as many steps as asked for."""
    return max(1, steps // period) * period

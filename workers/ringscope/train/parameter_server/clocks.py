"""Decide which worker may start its next step: the rules of sync, async and ssp. Pure.

A worker's clock is the number of its steps whose gradients have arrived. The bound is how far the clock of a worker
that begins a step may be ahead of the slowest one: 0 for sync, s for ssp, none for async.
"""

from collections.abc import Callable, Sequence

from ringscope.contracts.training import TrainingSpec


class StalenessError(AssertionError):
    """A worker is further ahead than its bound: a bug in Ringscope, never in the job."""


def bound_of(spec: TrainingSpec) -> int | None:
    """Return how many steps a worker may be ahead; None for any number."""
    return {"sync": 0, "async": None, "ssp": spec.staleness}[spec.consistency]


def check_lag(clocks: Sequence[int], worker: int, bound: int | None) -> int:
    """Return how many steps a computing worker is ahead of the slowest one; StalenessError beyond the bound."""
    lag = clocks[worker] - min(clocks)
    if bound is not None and lag > bound:
        raise StalenessError(
            f"worker {worker} is {lag} steps ahead of the slowest one, but at most {bound} are allowed."
        )
    return lag


class Clocks:
    """The workers' clocks as one server sees them, and the workers that wait for its answer.

    Args: clock: the clock of all workers at the start, when each of them computes. last: the clock at which they are
    done. meets: returns whether all workers wait for each other at a clock, regardless of the bound. An epoch thus ends
    for all at once, with the same parameters everywhere.
    """

    def __init__(self, workers: int, bound: int | None, clock: int, last: int, meets: Callable[[int], bool]) -> None:
        self.values = [clock] * workers
        self._bound, self._last, self._meets = bound, last, meets
        self._waiting = set[int]()

    @property
    def running(self) -> list[int]:
        """Return the workers that are computing and will send gradients."""
        return [w for w, clock in enumerate(self.values) if clock < self._last and w not in self._waiting]

    @property
    def is_over(self) -> bool:
        """Return whether all workers are done and have their last answer."""
        return not self.running and not self._waiting

    def note(self, worker: int) -> None:
        """Record that the gradient of the worker's step has arrived, so it now waits. StalenessError if it was not
        allowed to begin the step.
        """
        if worker not in self.running:
            raise StalenessError(f"worker {worker} sent a gradient of a step that it was not allowed to begin.")
        self.values[worker] += 1
        self._waiting.add(worker)

    def let_go(self) -> list[int]:
        """Return the waiting workers that get their answer now, ascending; each begins its next step, unless it is
        done.
        """
        going = sorted(worker for worker in self._waiting if self._may_go(worker))
        self._waiting.difference_update(going)
        for worker in self.running:
            check_lag(self.values, worker, self._bound)
        return going

    def _may_go(self, worker: int) -> bool:
        clock, slowest = self.values[worker], min(self.values)
        if clock >= self._last or self._meets(clock):
            return slowest >= clock
        return self._bound is None or clock - slowest <= self._bound

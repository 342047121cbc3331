"""The activity of a rank between two of its pulses. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

from ringscope.contracts.protocol import RankPulse
from ringscope.contracts.words.waits import is_blocked

MIN_SECONDS = 0.8  # least length of a window: about two pulses
HALTED = "T"  # state of a process that a signal has stopped, as /proc/PID/stat has it
MAX_SECONDS = 30.0  # time without an iteration after which a window begins again


@dataclass(frozen=True)
class Sample:
    """A rank's pulse as the server received it; ``heard_at`` is in seconds since 1970 by the server's clock."""

    node: str
    time_us: int
    heard_at: float
    pulse: RankPulse

    @property
    def work_done(self) -> int:
        """The work that the rank has finished so far; it only grows."""
        return self.pulse.iterations + self.pulse.untimed

    @property
    def place(self) -> tuple[int, int]:
        """The rank's position; a rank between two calls has not begun the next one."""
        return self.work_done, -1 if self.pulse.step is None else self.pulse.step

    @property
    def has_begun_steps(self) -> bool:
        """Return whether it has reported a step or is in a call of the engine, which a script may never do."""
        return self.work_done > 0 or self.pulse.step is not None or self.pulse.awaits is not None

    @property
    def marks(self) -> tuple[object, ...]:
        """Everything that changes when the rank makes progress, in its steps or before them."""
        pulse = self.pulse
        stage = pulse.stage, pulse.stage_since_ns
        return self.place, pulse.awaits, pulse.calls, pulse.has_finished, stage, pulse.collective

    @property
    def is_in_call(self) -> bool:
        """Return whether it can only wait for others: in a call, or at the end of its program."""
        pulse = self.pulse
        if is_blocked(pulse.collective):
            return True
        return pulse.step is not None or pulse.awaits is not None or pulse.is_inside or pulse.has_finished


@dataclass(frozen=True)
class Window:
    """Shares of the time between two pulses, each from 0 to 1.

    Args:
        waited: for other ranks, in our own schedules.
        queued: ready to run, but without a core.
        running: on a core.
        stopped: neither: asleep, or stopped. All three are None if the kernel does not report them.
        input: waiting for the samples of training steps, in any of these states; None if the rank does not measure it.
        was_halted: whether a pulse of this time found the process stopped by a signal, not merely asleep.
    """

    rank: int
    node: str
    seconds: float
    iterations: int
    size_bytes: int
    waited: float
    queued: float | None
    running: float | None
    stopped: float | None
    input: float | None = None
    was_halted: bool = False


class Windows:
    """Makes a window of each rank of a gang as soon as each has ended an iteration.

    The work between two sizes differs from rank to rank, so no rank is judged by a time without iterations.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._from: Mapping[int, Sample] = {}
        self._halted: set[int] = set()  # ranks that a pulse since then found stopped

    def add(self, samples: Mapping[int, Sample]) -> list[Window]:
        """Take in the newest pulse of each rank; return one window of each rank, or none yet."""
        if len(samples) < self._ranks:
            self._from = {}
            return []
        if not self._from or not all(self._from[rank].pulse.iterations for rank in samples):
            self._begin(samples)
            return []
        self._halted |= _halted(samples)
        seconds = [(sample.time_us - self._from[rank].time_us) / 1e6 for rank, sample in samples.items()]
        have_all_iterated = all(
            sample.pulse.iterations > self._from[rank].pulse.iterations for rank, sample in samples.items()
        )
        if min(seconds) < 0 or max(seconds) > MAX_SECONDS:
            self._begin(samples)
        elif min(seconds) >= MIN_SECONDS and have_all_iterated:
            made = [
                replace(window(self._from[rank], sample), was_halted=rank in self._halted)
                for rank, sample in samples.items()
            ]
            self._begin(samples)
            return made
        return []

    def _begin(self, samples: Mapping[int, Sample]) -> None:
        """Begin a window; a rank that is stopped now is stopped in it, too."""
        self._from, self._halted = samples, _halted(samples)


def _halted(samples: Mapping[int, Sample]) -> set[int]:
    return {rank for rank, sample in samples.items() if sample.pulse.state == HALTED}


def window(before: Sample, after: Sample) -> Window:
    """Return what happened between two pulses of one rank."""
    elapsed_us = after.time_us - before.time_us
    old, new = before.pulse, after.pulse
    queued = _share(old.queued_us, new.queued_us, elapsed_us)
    running = _share(old.running_us, new.running_us, elapsed_us)
    return Window(
        new.rank,
        after.node,
        elapsed_us / 1e6,
        new.iterations - old.iterations,
        new.size_bytes,
        min(1.0, (new.waited_us - old.waited_us) / elapsed_us),
        queued,
        running,
        None if queued is None or running is None else max(0.0, 1.0 - queued - running),
        _share(old.input_us, new.input_us, elapsed_us),
    )


def median_of(values: list[float]) -> float:
    """Return the median; 0 if there are no values."""
    return median(values) if values else 0.0


def _share(before: int | None, after: int | None, elapsed_us: int) -> float | None:
    return None if before is None or after is None else min(1.0, max(0.0, (after - before) / elapsed_us))

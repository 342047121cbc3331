"""Processes that are stopped (state T) or frozen (F) although others need them to go on (pure).

Only the state is proof: on a busy machine a process that runs may be silent for long. State t, a process under a
debugger, is left alone, as somebody looks at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

LOOK_SECONDS = 0.5
# A debugger or a shell may stop a process for a moment.
STOPPED_SECONDS = 5.0
# By the states of ``process_group.standstill_of``.
STANDSTILLS = {
    "T": "stopped for {seconds:.0f} s (state T: by SIGSTOP or SIGTSTP)",
    "F": "frozen for {seconds:.0f} s (by its control group)",
}


@dataclass(frozen=True)
class Stopped:
    """A process by the name that it is known by here, and for how long it has been stopped."""

    name: str
    pid: int
    seconds: float
    state: str = "T"

    def sentence(self, node: str) -> str:
        """Say who it is and what is wrong with it, without the full stop."""
        how = STANDSTILLS[self.state].format(seconds=self.seconds)
        return f"{self.name} on node {node} (pid {self.pid}) has been {how}"


class StoppedWatch:
    """Told at every look in which states some processes are, and says which one has been stopped for too long."""

    def __init__(self) -> None:
        self._stood: dict[tuple[str, int], float] = {}
        self._looked_at: float | None = None

    def look(self, pids: Mapping[str, int], states: Mapping[str, str], now: float) -> Stopped | None:
        """The first one that has been stopped for long enough; both mappings are by the processes' names.

        ``now`` is seconds of a monotonic clock. A look that comes late counts as little: the watching process may have
        stood still as well.
        """
        passed = 0.0 if self._looked_at is None else min(now - self._looked_at, 2 * LOOK_SECONDS)
        self._looked_at = now
        self._stood = {
            (name, pid): self._stood.get((name, pid), -passed) + passed
            for name, pid in pids.items()
            if states.get(name) in STANDSTILLS
        }
        long = ((name, pid, seconds) for (name, pid), seconds in self._stood.items() if seconds >= STOPPED_SECONDS)
        return next((Stopped(name, pid, seconds, states[name]) for name, pid, seconds in long), None)

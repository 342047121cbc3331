"""Finds processes that are stopped (state T) or frozen (F) although others need them (pure).

Only the state is proof: on a busy machine a running process may be silent for long. State t, a process under a
debugger, is ignored, because a person inspects it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

LOOK_SECONDS = 0.5
# A debugger or a shell may stop a process for a moment.
STOPPED_SECONDS = 5.0
# The states of ``process_group.standstill_of``.
STANDSTILLS = {
    "T": "stopped for {seconds:.0f} s (state T: by SIGSTOP or SIGTSTP)",
    "F": "frozen for {seconds:.0f} s (by its control group)",
}


@dataclass(frozen=True)
class Stopped:
    """A process by its name here, and for how long it has been stopped."""

    name: str
    pid: int
    seconds: float
    state: str = "T"

    def sentence(self, node: str) -> str:
        """Return a sentence, without the full stop, on the process and its fault."""
        how = STANDSTILLS[self.state].format(seconds=self.seconds)
        return f"{self.name} on node {node} (pid {self.pid}) has been {how}"


class StoppedWatch:
    """Gets at every look the states of some processes, and returns one that has been stopped for too long."""

    def __init__(self) -> None:
        self._stood: dict[tuple[str, int], float] = {}
        self._looked_at: float | None = None

    def look(self, pids: Mapping[str, int], states: Mapping[str, str], now: float) -> Stopped | None:
        """Return the first one that has been stopped for long enough; both mappings are by the processes' names.

        ``now`` is seconds of a monotonic clock. A late look counts only a little: the watching process may have stood
        still as well.
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

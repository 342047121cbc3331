"""Processes that do not answer although they could (pure): their event loop hangs, in a loop or in a blocking call.

Silence alone is no proof on a busy machine. So the time in which the process was ready to run without a core does not
count, the limit grows with the number of processes for each core, and a process that waits for a disk gets as long as a
rank that does so. State t, a process under a debugger, is ignored, because a person inspects it.
"""

from dataclasses import dataclass

from ringscope_agent.launch.stalls import KERNEL_SECONDS

LOOK_SECONDS = 0.5
MUTE_SECONDS = 6.0
_HOW = {"R": "it runs, as in an endless loop", "S": "it waits, as in a blocking call", "D": "the kernel holds it"}


def silence(seconds: float, state: str) -> str:
    """Say for how long a process has given no answer, and its state."""
    return f"not answered for {seconds:.0f} s (state {state}{': ' if state in _HOW else ''}{_HOW.get(state, '')})"


@dataclass(frozen=True)
class Mute:
    """A process that did not answer for too long."""

    name: str
    pid: int
    seconds: float
    state: str

    def sentence(self, node: str) -> str:
        """Return a sentence, without the full stop, on the process and its fault."""
        return f"{self.name} on node {node} (pid {self.pid}) has {silence(self.seconds, self.state)}"


class MuteWatch:
    """Gets at every look whether a process owes an answer, and what it did since the look before."""

    def __init__(self) -> None:
        self.seconds = 0.0  # for which it could have answered
        self._looked_at: float | None = None
        self._queued_ns = 0

    def look(self, owes: bool, state: str, queued_ns: int, now: float) -> None:
        """Take in one look, at ``now`` seconds of a monotonic clock.

        A late look counts only a little: the watching process may have stood still as well.

        Args:
            owes: whether an answer has been outstanding since the look before.
            state: of /proc/PID/stat.
            queued_ns: for how long it has been ready to run without a core, since its start.
        """
        passed = 0.0 if self._looked_at is None else min(now - self._looked_at, 2 * LOOK_SECONDS)
        passed -= max(0, queued_ns - self._queued_ns) / 1e9
        self._looked_at, self._queued_ns = now, queued_ns
        self.seconds = self.seconds + max(0.0, passed) if owes and state != "t" else 0.0

    def is_mute(self, state: str, crowding: float) -> bool:
        """Return whether it has owed its answer for too long, given the number of processes for each core."""
        return self.seconds >= (KERNEL_SECONDS if state == "D" else MUTE_SECONDS) * crowding

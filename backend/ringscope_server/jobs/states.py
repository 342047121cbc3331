"""The states of a job, and the table of every move that is allowed between them."""

from typing import Literal

JobState = Literal["held", "queued", "starting", "running", "stopping", "succeeded", "failed", "cancelled"]

TERMINAL: frozenset[JobState] = frozenset({"succeeded", "failed", "cancelled"})
ACTIVE: frozenset[JobState] = frozenset({"starting", "running", "stopping"})

# Only "stopping" leads to an end state once something was started, so cleanup cannot be skipped.
TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    "held": frozenset({"queued", "cancelled"}),
    "queued": frozenset({"held", "starting", "cancelled", "failed"}),
    "starting": frozenset({"running", "stopping"}),
    "running": frozenset({"stopping"}),
    "stopping": frozenset({"succeeded", "failed", "cancelled", "queued"}),
    "succeeded": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}

# Where a job that is stopping for this reason ends. Every other reason is a failure.
OUTCOMES: dict[str, JobState] = {
    "completed": "succeeded",
    "user_cancelled": "cancelled",
}


def outcome(reason: str) -> JobState:
    """The end state that a reason leads to."""
    return OUTCOMES.get(reason, "failed")

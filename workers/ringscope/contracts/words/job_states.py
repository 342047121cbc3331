"""The states of a job, and the table of every move between them."""

from dataclasses import dataclass
from typing import Literal

JobState = Literal["held", "queued", "starting", "running", "stopping", "succeeded", "failed", "cancelled"]
Move = Literal[
    "held", "released", "starting", "running", "stopping", "requeued", "succeeded", "failed", "cancelled"
]  # A job's event is "job." and the name of the move.

WAITING: frozenset[JobState] = frozenset({"held", "queued"})
ACTIVE: frozenset[JobState] = frozenset({"starting", "running", "stopping"})
TERMINAL: frozenset[JobState] = frozenset({"succeeded", "failed", "cancelled"})


@dataclass(frozen=True)
class Transition:
    """One move: from any of its origins to its target."""

    move: Move
    origins: frozenset[JobState]
    target: JobState


def _transition(move: Move, origins: set[JobState], target: JobState) -> Transition:
    return Transition(move, frozenset(origins), target)


# Once something was started, only "stopping" leads to an end state or back into the queue: cleanup cannot be skipped.
TRANSITIONS: tuple[Transition, ...] = (
    _transition("held", {"queued"}, "held"),
    _transition("released", {"held"}, "queued"),
    _transition("starting", {"queued"}, "starting"),
    _transition("running", {"starting"}, "running"),
    _transition("stopping", {"starting", "running"}, "stopping"),
    _transition("requeued", {"stopping"}, "queued"),
    _transition("succeeded", {"stopping"}, "succeeded"),
    _transition("failed", {"queued", "stopping"}, "failed"),
    _transition("cancelled", {"held", "queued", "stopping"}, "cancelled"),
)
BY_MOVE: dict[Move, Transition] = {transition.move: transition for transition in TRANSITIONS}

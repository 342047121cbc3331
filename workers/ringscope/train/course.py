"""The schedule of a job's steps, for strategies whose ranks do not meet in every step."""

from __future__ import annotations

from dataclasses import dataclass

from ringscope.contracts.training import TrainingSpec
from ringscope.train.progress import Progress


@dataclass(frozen=True, slots=True)
class Course:
    """The schedule on which all ranks agree: begin and end of the job, and the clocks at which all meet.

    A clock counts the steps of the whole job.
    """

    clock: int
    index: int  # index of that clock in its epoch
    steps_per_epoch: int
    last: int
    checkpoint_every: int  # 0: only at the end of epochs

    def meets(self, clock: int) -> bool:
        """Return whether all ranks wait at a clock: at the end of an epoch or of the job, or for a checkpoint."""
        is_epoch_end = (clock - self.clock + self.index) % self.steps_per_epoch == 0
        return is_epoch_end or clock == self.last or bool(self.checkpoint_every and clock % self.checkpoint_every == 0)


def course_of(spec: TrainingSpec, progress: Progress, steps_per_epoch: int) -> Course:
    """Return the schedule from ``progress`` to the job's end."""
    last = progress.step + (spec.epochs - progress.epoch) * steps_per_epoch - progress.index
    last = max(progress.step, min(last, spec.max_steps or last))
    return Course(progress.step, progress.index, steps_per_epoch, last, spec.checkpoint_every_steps or 0)

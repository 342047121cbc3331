"""Progress of a training job, which a checkpoint keeps in addition to model and optimizer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """The next step: ``step`` counts from the job's beginning, ``index`` from the epoch's; both from 0.

    ``loss_sum`` and ``samples`` are this rank's in the running epoch; after resuming rank 0 has those of all ranks.
    """

    step: int = 0
    epoch: int = 0
    index: int = 0
    loss_sum: float = 0.0
    samples: int = 0
    duration_us: float = 0.0

    def advance(self, loss_sum: float, samples: int, duration_us: float) -> None:
        """Record a finished step."""
        self.step += 1
        self.index += 1
        self.loss_sum += loss_sum
        self.samples += samples
        self.duration_us += duration_us

    def next_epoch(self) -> None:
        """Record a finished epoch."""
        self.epoch += 1
        self.index = self.samples = 0
        self.loss_sum = self.duration_us = 0.0

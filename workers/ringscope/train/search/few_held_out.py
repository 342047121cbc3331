"""The datasets of timed runs have few held-out samples: evaluating all of them may take longer than the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from torch import Tensor

from ringscope.contracts.training import TrainingSpec
from ringscope.train import data
from ringscope.train.data import Dataset, Samples
from ringscope.train.inputs import Material


def few_held_out(count: int) -> Material:
    """Return the specification's model and dataset; only the first ``count`` held-out samples are left of it."""

    def dataset(spec: TrainingSpec) -> Dataset:
        found = data.load(spec)
        return replace(found, validation=First(found.validation, count))

    return Material(dataset)


@dataclass(frozen=True)
class First:
    """The first ``count`` of some samples, or all if there are fewer."""

    samples: Samples
    count: int

    def __len__(self) -> int:
        return min(self.count, len(self.samples))

    def batch(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs and targets of the samples at ``indices``."""
        return self.samples.batch(indices)

    def follow(self, plan: Callable[[], Iterator[Tensor]]) -> None:
        """Let all samples read ahead."""
        self.samples.follow(plan)

    def fingerprint(self, found: int) -> int:
        """Return the checksum of all samples."""
        return self.samples.fingerprint(found)

"""Samples in memory: stored as bytes, and converted to a model's input batch by batch."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Normalisation:
    """Mean and standard deviation of each channel."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    @classmethod
    def of(cls, pictures: Tensor) -> "Normalisation":
        """Compute the normalisation of pictures (n, channels, height, width) of bytes, exactly, from a histogram of
        values.
        """
        means, deviations, values = [], [], np.arange(256.0)
        for channel in range(pictures.shape[1]):
            counts = np.bincount(pictures[:, channel].numpy().reshape(-1), minlength=256)
            mean = float(values @ counts / counts.sum())
            means.append(mean)
            deviations.append(max(float(np.sqrt((values - mean) ** 2 @ counts / counts.sum())), 1e-6))
        return cls(tuple(means), tuple(deviations))

    def apply(self, pictures: Tensor) -> Tensor:
        """Convert to float32 with mean 0 and deviation 1."""
        shape = (1, -1, 1, 1)
        mean, deviation = torch.tensor(self.mean).view(shape), torch.tensor(self.deviation).view(shape)
        return (pictures.float() - mean) / deviation


class Samples(Protocol):
    """Training or validation samples, which are read batch by batch."""

    def __len__(self) -> int:
        """Return the number of samples."""

    def batch(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs and targets of the samples at ``indices``."""

    def follow(self, plan: Callable[[], Iterator[Tensor]]) -> None:
        """Read ahead: ``plan`` returns the indices of the next batches, from the next one on."""

    def fingerprint(self, found: int) -> int:
        """Return a checksum that continues ``found``."""


@dataclass(frozen=True)
class Split:
    """Samples and their targets, both with the samples as the first dimension.

    Pictures are bytes (n, channels, height, width) with one int64 target each; tokens are bytes (n, context) with
    equally many targets, each of which is the next token.
    """

    inputs: Tensor
    targets: Tensor
    normalisation: Normalisation | None = None

    def __len__(self) -> int:
        return len(self.inputs)

    def batch(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs (pictures float32 and normalised, tokens int64) and int64 targets of the samples at
        ``indices``.
        """
        inputs, targets = self.inputs[indices], self.targets[indices].long()
        return (inputs.long() if self.normalisation is None else self.normalisation.apply(inputs)), targets

    def follow(self, plan: Callable[[], Iterator[Tensor]]) -> None:
        """Do nothing: the samples are in memory."""

    def fingerprint(self, found: int) -> int:
        """Return a checksum of all samples that continues ``found``."""
        for tensor in (self.inputs, self.targets):
            found = zlib.crc32(str(tuple(tensor.shape)).encode(), found)
            found = zlib.crc32(tensor.contiguous().numpy(), found)
        return found


@dataclass(frozen=True)
class Dataset:
    """Training and validation samples; a model never trains on the latter.

    Args:
        classes: number of classes of a target; for text the number of tokens, for an own dataset 0 if it is not known.
        shape: the shape of one sample: (channels, height, width) or (context,).
        is_ordered: whether the samples can only be read in their order.
    """

    name: str
    training: Samples
    validation: Samples
    classes: int
    shape: tuple[int, ...]
    is_ordered: bool = False

    def fingerprint(self) -> int:
        """Return a checksum of the samples: ranks on several nodes read different copies of the files."""
        return self.validation.fingerprint(self.training.fingerprint(0))


def pictures(name: str, training: tuple[Tensor, Tensor], validation: tuple[Tensor, Tensor], classes: int) -> Dataset:
    """Build a dataset of pictures, both parts normalised by the statistics of the first one."""
    normalisation = Normalisation.of(training[0])
    return Dataset(
        name, Split(*training, normalisation), Split(*validation, normalisation), classes, tuple(training[0].shape[1:])
    )

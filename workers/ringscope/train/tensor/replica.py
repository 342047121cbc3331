"""The one replica of the model that all ranks compute together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ringscope.train.divergence import Culprit
from ringscope.train.replica import Replica, Result
from ringscope.train.tensor.whole_model import WholeModel

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_Batch = tuple[torch.Tensor, torch.Tensor]
FirstCulprit = Callable[["Communicator", Iterable[_Batch]], Culprit | None]


class DividedReplica:
    """One step on all samples of the batch; all ranks call every method (collective)."""

    scale = None  # the loss is not scaled, which only float16 needs

    def __init__(self, rank: int, replica: Replica, whole: WholeModel) -> None:
        """``replica`` computes with this rank's parts."""
        self._rank, self._replica, self._whole = rank, replica, whole

    @property
    def module(self) -> torch.nn.Module:
        """Return the whole model after the last step, for which the ranks exchange their parts (collective)."""
        return self._whole.module()

    def step(self, parts: Iterable[_Batch], count: int, global_samples: int) -> Result:
        """Make one update, as ``Replica.step`` does; rank 0 counts the samples, which all ranks have."""
        result = self._replica.step(parts, count, global_samples)
        first_culprit = None if result.first_culprit is None else self._with_whole_model(result.first_culprit)
        return replace(result, is_counted=self._rank == 0, first_culprit=first_culprit)

    def _with_whole_model(self, first_culprit: FirstCulprit) -> FirstCulprit:
        """Let the whole model have the newest parameters before a step is computed with it again."""

        def find(comm: Communicator, parts: Iterable[_Batch]) -> Culprit | None:
            self._whole.module()
            return first_culprit(comm, parts)

        return find

"""A replica of the model in stages: this rank's stage of it, and the update after all micro-batches."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import PipelineStep
from ringscope.train.divergence import Culprit, find_culprit, first_culprit, is_finite
from ringscope.train.models import loss_of
from ringscope.train.pipeline.shared_parameters import SharedGradients
from ringscope.train.pipeline.stage import Activities, Stage
from ringscope.train.pipeline.whole_model import StageOptimizer, WholeModel
from ringscope.train.replica import Result, autocast
from ringscope.train.sums.gradient_sum import GradientSum, Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_REPORT_SECONDS = 0.5  # between two steps that are reported from inside; the first step only warms up
_Batch = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of this rank; the ranks of replica r are those from r x stages on, in the order of the stages."""

    rank: int
    ranks: int
    stages: int

    @property
    def stage(self) -> int:
        """Return this rank's stage."""
        return self.rank % self.stages

    @property
    def replicas(self) -> int:
        """Return the number of replicas."""
        return self.ranks // self.stages

    @property
    def replica(self) -> int:
        """Return this rank's replica."""
        return self.rank // self.stages

    def rank_of(self, part: int) -> int:
        """Return the rank of this replica that computes a part of the model."""
        return self.replica * self.stages + part % self.stages


class StagedReplica:
    """Forward, backward, the sum over replicas, and the update; all ranks call every method (collective)."""

    scale = None  # the loss is not scaled, which only float16 needs

    def __init__(
        self,
        spec: TrainingSpec,
        pipe: Communicator,
        place: Place,
        stage: Stage,
        whole: WholeModel,
        sums: GradientSum,
        shared: SharedGradients,
        optimizer: StageOptimizer,
        part_of: dict[str, int],
    ) -> None:
        """``pipe`` are the ranks of this replica; ``sums`` are those of this stage's gradients over all replicas.

        ``part_of`` is the part of the model in which a layer is, by its name.
        """
        self._spec, self._pipe, self._place, self._stage, self._whole = spec, pipe, place, stage, whole
        self._sums, self._shared, self._optimizer, self._part_of = sums, shared, optimizer, part_of
        self._steps, self._next_report = 0, 0.0

    @property
    def module(self) -> torch.nn.Module:
        """Return the whole model after the last step; the stages exchange their parameters then (collective)."""
        return self._whole.module()

    def step(self, parts: Iterable[_Batch], count: int, global_samples: int) -> Result:
        """Make one update from micro-batches of inputs and targets, as ``Replica.step`` does."""
        batches = list(parts)
        self._sums.begin()
        loss_sum, activities = self._stage.run(batches, global_samples, self._steps)
        sums = self._sums.finish()
        self._shared.add(self._steps)
        finite, norm, loss_sum, is_reported = self._agreed(loss_sum)
        if finite:
            self._update(norm)
        result = Result(
            loss_sum,
            self._timed(sums, activities),
            is_left_out=not finite,
            first_culprit=None if finite else self._first_culprit,
            is_counted=self._place.stage == self._place.stages - 1,
            pipeline_step=self._record(activities) if is_reported else None,
        )
        self._steps += 1
        return result

    def _agreed(self, loss_sum: float) -> tuple[bool, float, float, bool]:
        """Return whether all gradients are finite, the norm of the whole gradient, the last stage's sum of losses, and
        whether all stages report this step, because the first one wants it.

        Each stage adds up the same numbers in the same order, so that replicas stay equal bit by bit.
        """
        squares = [
            torch.linalg.vector_norm(each.grad).square() for each in self._whole.owned() if each.grad is not None
        ]
        is_wanted = self._steps > 0 and time.monotonic() >= self._next_report
        if is_wanted:
            self._next_report = time.monotonic() + _REPORT_SECONDS
        mine = np.zeros((self._place.stages, 4))
        mine[self._place.stage] = (
            not all(is_finite(gradient) for gradient in self._sums.gradients),
            float(torch.stack(squares).sum()),
            loss_sum,
            is_wanted,
        )
        found = self._pipe.total(mine.reshape(-1)).reshape(mine.shape)
        norm = math.sqrt(sum(found[:, 1].tolist()))
        return not found[:, 0].any(), norm, float(found[-1, 2]), bool(found[0, 3])

    def _update(self, norm: float) -> None:
        clip_norm = self._spec.clip_norm
        if clip_norm and norm > clip_norm:
            torch._foreach_mul_(self._sums.gradients, clip_norm / norm)
        self._optimizer.step()

    def _timed(self, sums: Sums, activities: Activities) -> Sums:
        """Return the step's timing, in which waiting for other stages is exposed communication, too."""
        waited_us = activities.total_us("wait")
        found = replace(sums, exposed_us=sums.exposed_us + waited_us, waited_us=waited_us)
        if self._place.replicas > 1:
            return found
        return replace(found, bucket_bytes=[], ready_us=[], start_us=[], end_us=[])  # a single replica sums nothing

    def _record(self, activities: Activities) -> PipelineStep:
        columns = activities.entries
        return PipelineStep(
            rank=self._place.rank,
            step=0,  # the reporter knows it
            stage=self._place.stage,
            replica=self._place.replica,
            peak_activations=activities.peak_activations,
            start_ns=activities.start_ns,
            kind=[kind for kind, *_ in columns],
            part=[work.part for _, work, *_ in columns],
            micro_batch=[work.micro_batch for _, work, *_ in columns],
            start_us=[start_us for *_, start_us, _ in columns],
            end_us=[end_us for *_, end_us in columns],
        )

    def _first_culprit(self, comm: Communicator, parts: Iterable[_Batch]) -> Culprit | None:
        """Compute the whole step again on every rank, as ``Replica`` does; name the rank of the layer's stage."""
        module = self.module
        mine = find_culprit(module, self._loss, parts, comm.rank)
        if mine is not None and mine.layer is not None and self._rank_of(mine.layer) != comm.rank:
            mine = None  # the rank of its stage reports it
        return first_culprit(comm, module, mine)

    def _rank_of(self, layer: str) -> int:
        """Return the rank of this replica that computes a layer; the first one for what is between two layers."""
        parts = [part for name, part in self._part_of.items() if _is_in(layer, name)]
        return self._place.rank_of(parts[0] if parts else 0)

    def _loss(self, module: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        with autocast(self._spec, inputs.device):
            outputs = module(inputs)
        return loss_of(module)(outputs, targets)


def _is_in(layer: str, name: str) -> bool:
    return layer == name or layer.startswith(f"{name}.")

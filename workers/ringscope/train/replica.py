"""A replica: this rank's copy of the model, and one step of it on the rank's part of the global batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import PipelineStep
from ringscope.train.divergence import Culprit, find_culprit, first_culprit
from ringscope.train.loss_scale import LossScale
from ringscope.train.models.compiled import compiled, errors_as_sentences
from ringscope.train.sums.gradient_sum import GradientSum, Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_Batch = tuple[torch.Tensor, torch.Tensor]
LossSum = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
_AUTOCAST = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a step: the loss summed over the rank's own samples, and the timing of the gradients' sums."""

    loss_sum: float
    sums: Sums
    is_left_out: bool = False  # the parameters were not changed
    is_counted: bool = True  # false where another rank of the same replica counts the samples
    pipeline_step: PipelineStep | None = None
    # For a gradient that was not finite: finds out where, from the same parts (see ``Replica._first_culprit``).
    first_culprit: Callable[[Communicator, Iterable[_Batch]], Culprit | None] | None = None


class Replica:
    """Forward, backward, the sum over ranks, and the update, with the job's precision and clipping."""

    def __init__(
        self,
        spec: TrainingSpec,
        module: torch.nn.Module,
        sums: GradientSum,
        optimizer: torch.optim.Optimizer,
        loss_sum: LossSum,
        device: torch.device,
        fault: str = "",
    ) -> None:
        """``module`` is the model itself, which ``sums`` may have wrapped.

        ``fault`` is injected: with ``slow`` the rank computes everything twice, and so takes as long as a rank of half
        the speed. It does not sleep, because ranks that share its memory or core would then run faster.
        """
        self.module = module
        self.scale = LossScale() if spec.precision == "float16" else None
        self._spec, self._sums, self._optimizer, self._loss_sum = spec, sums, optimizer, loss_sum
        self._device, self._is_slow = device, fault == "slow"
        # No model is taken as a truth value: many have a length, and a compiled one may fail to tell it.
        self._compiled = compiled(sums.module, device) if spec.compile else None

    def step(self, parts: Iterable[_Batch], count: int, global_samples: int) -> Result:
        """Make one update from ``count`` parts of inputs and targets, which are fetched when needed.

        ``global_samples`` are the samples over which the gradient is the mean: those of all ranks whose gradients are
        summed, even if the parts are unequal.
        """
        self._sums.begin()
        total = torch.zeros((), device=self._device)
        for number, (inputs, targets) in enumerate(parts, 1):
            if self._is_slow:
                self._rehearse(inputs, targets)
            with self._sums.part(is_last=number == count), self._errors():
                module = self._sums.module if self._compiled is None else self._compiled
                loss = self._loss(module, inputs, targets)
                (loss * (self._factor() / global_samples)).backward()
            total += loss.detach()
        sums = self._sums.finish()
        # In float16 the loss scale judges the gradient's norm.
        is_finite = self.scale is not None or self._sums.is_finite()
        is_left_out = not (is_finite and self._update())
        sums = self._sums.share_update(sums)
        first_culprit = None if is_finite else self._first_culprit
        return Result(float(total), sums, is_left_out, first_culprit=first_culprit)

    def _first_culprit(self, comm: Communicator, parts: Iterable[_Batch]) -> Culprit | None:
        """Compute the parts of a step without an update again; return the first numbers that are not finite, None if
        all are. It is collective unless each rank applies its own gradient; then it returns this rank's.
        """
        mine = find_culprit(self.module, self._loss, parts, comm.rank)
        if not self._sums.is_own:
            return first_culprit(comm, self.module, mine)
        return mine or Culprit(comm.rank, "gradient", None)

    def _rehearse(self, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        """Run forward and backward, and discard the results."""
        parameters = [parameter for parameter in self.module.parameters() if parameter.requires_grad]
        torch.autograd.grad(self._loss(self.module, inputs, targets), parameters)

    def _loss(self, module: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        with autocast(self._spec, self._device):
            outputs = module(inputs.to(self._device))
        return self._loss_sum(outputs, targets.to(self._device))

    def _errors(self) -> AbstractContextManager[None]:
        return errors_as_sentences() if self._compiled is not None else nullcontext()

    def _factor(self) -> float:
        return self.scale.value if self.scale else 1.0

    def _update(self) -> bool:
        """Let the optimizer step, unless float16 overflowed; return whether it overflowed.

        All ranks have the same sums at this point, so they decide equally without communication.
        """
        clip_norm = self._spec.clip_norm
        if self.scale or clip_norm:
            gradients = self._sums.gradients
            factor = 1.0 / self._factor()
            norm = self._sums.norm() * factor
            if self.scale:
                is_finite = norm < float("inf")  # false also for NaN
                self.scale.note(is_finite)
                if not is_finite:
                    # if the scale cannot be lowered, it is not the cause: the training diverged
                    return self.scale.value <= 1.0
            if clip_norm and norm > clip_norm:
                factor *= clip_norm / norm
            if factor != 1.0:
                torch._foreach_mul_(gradients, factor)
        self._optimizer.step()
        return True


def autocast(spec: TrainingSpec, device: torch.device) -> AbstractContextManager[object]:
    """Return the context in which a forward pass computes with the job's precision."""
    dtype = _AUTOCAST.get(spec.precision)
    context: AbstractContextManager[object] = torch.autocast(device.type, dtype=dtype, enabled=dtype is not None)
    return context

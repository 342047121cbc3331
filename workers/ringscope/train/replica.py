"""A replica: this rank's copy of the model, and one step of it on the rank's part of the global batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.loss_scale import LossScale
from ringscope.train.sums.gradient_sum import GradientSum, Sums

LossSum = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
_AUTOCAST = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a step: the loss summed over the rank's own samples, and the timing of the gradients' sums."""

    loss_sum: float
    sums: Sums
    is_left_out: bool = False  # some gradient overflowed in float16, and the parameters stay what they were


class Replica:
    """Forward, backward, the sum over ranks, and the update, with precision and clipping as the job wants them."""

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

        ``fault`` is injected: with ``slow`` it computes everything twice, as a rank of half the speed takes twice as
        long. Sleeping is no way: ranks that share a memory, or a core's two threads, would go faster meanwhile.
        """
        self.module = module
        self.scale = LossScale() if spec.precision == "float16" else None
        self._spec, self._sums, self._optimizer, self._loss_sum = spec, sums, optimizer, loss_sum
        self._device, self._is_slow = device, fault == "slow"

    def step(self, parts: Iterable[tuple[torch.Tensor, torch.Tensor]], count: int, global_samples: int) -> Result:
        """One update from ``count`` parts of inputs and targets, which are fetched when their turn comes.

        ``global_samples`` are those of all ranks: the gradient is the mean over them, however unequal the parts are.
        """
        self._sums.begin()
        total = torch.zeros((), device=self._device)
        for number, (inputs, targets) in enumerate(parts, 1):
            if self._is_slow:
                self._rehearse(inputs, targets)
            with self._sums.part(is_last=number == count):
                loss = self._loss(self._sums.module, inputs, targets)
                (loss * (self._factor() / global_samples)).backward()
            total += loss.detach()
        sums = self._sums.finish()
        is_left_out = not self._update()
        return Result(float(total), sums, is_left_out)

    def _rehearse(self, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        """Run forward and backward, and discard the results."""
        parameters = [parameter for parameter in self.module.parameters() if parameter.requires_grad]
        torch.autograd.grad(self._loss(self.module, inputs, targets), parameters)

    def _loss(self, module: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        with self._autocast():
            outputs = module(inputs.to(self._device))
        return self._loss_sum(outputs, targets.to(self._device))

    def _autocast(self) -> AbstractContextManager[object]:
        dtype = _AUTOCAST.get(self._spec.precision)
        context: AbstractContextManager[object] = torch.autocast(
            self._device.type, dtype=dtype, enabled=dtype is not None
        )
        return context

    def _factor(self) -> float:
        return self.scale.value if self.scale else 1.0

    def _update(self) -> bool:
        """Let the optimizer step, unless float16 overflowed; whether it did.

        All ranks have the same sums by now, so that they judge them alike without another word.
        """
        clip_norm = self._spec.clip_norm
        if self.scale or clip_norm:
            gradients = self._sums.gradients
            factor = 1.0 / self._factor()
            norm = float(norm_of(gradients)) * factor
            if self.scale:
                is_finite = norm < float("inf")  # false also for what is no number
                self.scale.note(is_finite)
                if not is_finite:
                    return self.scale.value <= 1.0  # a scale that cannot fall is no cause: the training diverged
            if clip_norm and norm > clip_norm:
                factor *= clip_norm / norm
            if factor != 1.0:
                torch._foreach_mul_(gradients, factor)
        self._optimizer.step()
        return True


def norm_of(gradients: list[torch.Tensor]) -> torch.Tensor:
    """The Euclidean norm over all of them."""
    return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]))

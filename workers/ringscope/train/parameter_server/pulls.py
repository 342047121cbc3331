"""A worker for the trainer: the servers sum the gradient and make the optimizer's step."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from ringscope.train.divergence import is_finite
from ringscope.train.parameter_server.shards import FlatModel, bind
from ringscope.train.parameter_server.worker import Worker
from ringscope.train.sums.gradient_sum import GradientSumBase, Sums


class Pulls(GradientSumBase):
    """A GradientSum whose ``finish`` pushes the gradient, and returns with the parameters for the next step."""

    algorithm, transport = "parameter_server", "mpi"
    is_own = True

    def __init__(self, model: FlatModel) -> None:
        self.module, self._model = model.module, model
        self.size_bytes = int(model.gradients.nbytes)
        self._worker: Worker | None = None
        self._is_finite = True

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return this worker's own gradients; no rank has their sum."""
        return [self._model.gradients]

    def start(self, worker: Worker) -> None:
        """Train through ``worker`` from now on."""
        self._worker = worker

    def is_finite(self) -> bool:
        """Return whether this worker's gradient was finite; the servers have received zeros if it was not."""
        return self._is_finite

    def begin(self) -> None:
        """Start a step."""
        self._start_ns = time.perf_counter_ns()
        self._model.gradients.zero_()

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Do nothing: PyTorch adds the gradients of several parts itself."""
        return nullcontext()

    def finish(self) -> Sums:
        """Wait for the servers; all of this time counts as waiting."""
        if self._worker is None:
            raise RuntimeError("start comes before the first step")
        backward_us = self._elapsed_us()
        self._is_finite = is_finite(self._model.gradients)
        if not self._is_finite:
            self._model.gradients.zero_()  # the servers apply what they receive
        lag = self._worker.exchange()
        end_us = self._elapsed_us()
        return Sums(
            backward_us=backward_us,
            exposed_us=end_us - backward_us,
            size_bytes=self.size_bytes,
            bucket_bytes=[self.size_bytes],
            ready_us=[backward_us],
            start_us=[backward_us],
            end_us=[end_us],
            lag=lag,
        )

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _elapsed_us(self) -> float:
        return (time.perf_counter_ns() - self._start_ns) / 1e3


class ServersOptimizer:
    """The job's optimizer in the format of checkpoints, although the servers make its steps.

    Its state is in ``model.rows`` whenever all workers have met, which is when checkpoints are written.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, model: FlatModel, names: tuple[str, ...]) -> None:
        self._optimizer, self._model, self._names = optimizer, model, names
        self.steps: Callable[[], int] = lambda: 0
        self._bind(0)

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Return learning rate and similar options."""
        groups: list[dict[str, Any]] = self._optimizer.param_groups
        return groups

    def step(self) -> None:
        """Do nothing: the servers have made the step."""

    def state_dict(self) -> dict[str, Any]:
        """Return the optimizer's state as a mirrored job would have it."""
        self._bind(self.steps())
        state: dict[str, Any] = self._optimizer.state_dict()
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load a checkpoint's state, to send it to the servers."""
        self._optimizer.load_state_dict(state)
        kept = [self._optimizer.state.get(parameter, {}) for parameter in self._model.trained]
        for name, row in zip(self._names, self._model.rows[1:], strict=True):
            row.copy_(torch.cat([tensors[name].reshape(-1) for tensors in kept]))
        steps = int(kept[0].get("step", 0))
        self.steps = lambda: steps
        self._bind(steps)

    def _bind(self, steps: int) -> None:
        bind(self._optimizer, self._model.trained, self._model.rows, self._names, steps)

"""Compare a candidate's parameters after its first run with those of one process that trains on the same samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import TrainingSpec
from ringscope.search.candidates import INEXACT, Candidate

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

# Strategies after whose steps rank 0 has the whole model.
_WHOLE = frozenset({"mirrored", "multi_worker_mirrored", "parameter_server", "sharded", "torch_ddp"})


class TrainOnce(Protocol):
    """Trains one process from the first parameters and shows what it trained to ``equality`` before it closes it."""

    def __call__(self, comm: Communicator, spec: TrainingSpec, equality: Equality, *, only_prepare: bool) -> object:
        """Train, or only load the libraries and the dataset and build the model."""


class Equality:
    """The parameters of one process on rank 0, and those of the candidate that runs; all ranks make the same calls."""

    def __init__(self, comm: Communicator, spec: StrategySearchSpec, train: TrainOnce) -> None:
        """``train`` trains one process on rank 0, once it is needed; the other ranks only prepare meanwhile."""
        self._comm, self._spec, self._train = comm, spec, train
        self._reference: torch.Tensor | None = None
        self._has_reference = False
        self._found: torch.Tensor | None = None
        self._is_open = False

    def begin(self, candidate: Candidate, steps: int) -> None:
        """Let the next run be compared, if the candidate's update is by design that of one process (collective)."""
        self._is_open = candidate.name not in INEXACT and candidate.training.strategy in _WHOLE
        if self._is_open and not self._has_reference:
            self._has_reference = True
            self._train_alone(steps)

    def note(self, trained: object) -> None:
        """Keep the parameters of a run that has made its steps."""
        module = getattr(trained, "module", None)
        if self._is_open and self._comm.rank == 0 and isinstance(module, torch.nn.Module):
            self._found = flat(module)

    def end(self) -> float | None:
        """Return the largest difference of a parameter, as a part of the largest one; 0: all bits are equal.

        None on other ranks than 0, and if nothing was compared.
        """
        found, self._found, self._is_open = self._found, None, False
        if found is None or self._reference is None or found.shape != self._reference.shape:
            return None
        largest = float(self._reference.abs().max())
        apart = float((found - self._reference).abs().max()) / (largest or 1.0)
        return apart if apart < float("inf") else None  # NaN, too, is no difference

    def close(self) -> None:
        """Forget the parameters of one process, which would count as memory of later runs."""
        self._reference = None

    def _train_alone(self, steps: int) -> None:
        """Train on rank 0 while the others sleep; all ranks load the libraries at once, which takes seconds."""
        alone, is_first = self._comm.split(self._comm.rank), self._comm.rank == 0
        self._is_open = is_first
        lasting = {"max_steps": steps, "epochs": 100_000}
        spec = self._spec.training(strategy="mirrored").model_copy(update=lasting)
        self._train(alone, spec, self, only_prepare=not is_first)
        self._reference, self._found, self._is_open = self._found, None, True
        alone.free()
        self._comm.barrier(sleeps=True)


def flat(module: torch.nn.Module) -> torch.Tensor:
    """Return a copy of all trained parameters in one row."""
    return torch.cat([parameter.detach().reshape(-1).float().cpu() for parameter in module.parameters()])

"""Any optimizer of PyTorch, with gradients that are the mean over all ranks: for people's own scripts."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ringscope.contracts.collectives import AUTO
from ringscope.train.gradient_sum import Sums
from ringscope.train.reducer import Reducer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class DistributedOptimizer:
    """Wraps ``optimizer`` of ``model``; all ranks make the same calls (collective).

    All ranks begin with rank 0's parameters. ``zero_grad``, ``backward``, ``step`` as ever: the gradients are summed
    while backward runs, and ``step`` waits for the rest. Everything else of the optimizer is there under its name.
    """

    def __init__(
        self,
        comm: Communicator,
        optimizer: torch.optim.Optimizer,
        model: torch.nn.Module,
        algorithm: str = AUTO,
        bucket_bytes: int = 25 << 20,
        overlap: bool = True,
    ) -> None:
        for tensor in model.state_dict().values():
            _broadcast(comm, tensor)
        self.reducer = Reducer(comm, model, algorithm, bucket_bytes, overlap, sums_always=True)
        self.sums: Sums | None = None  # of the newest step
        self._optimizer, self._size = optimizer, comm.size

    def zero_grad(self) -> None:
        """Before the first backward of a step."""
        self.reducer.begin()

    def accumulate(self) -> AbstractContextManager[None]:
        """Around each backward of a step but the last: its gradients are only added up."""
        return self.reducer.part(is_last=False)

    def step(self) -> None:
        """Wait for the sums, make them means, and let the optimizer step."""
        self.sums = self.reducer.finish()
        torch._foreach_mul_(self.reducer.gradients, 1.0 / self._size)
        self._optimizer.step()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._optimizer, name)


def _broadcast(comm: Communicator, tensor: torch.Tensor) -> None:
    """Bit by bit, whatever the type."""
    content = np.frombuffer(bytearray(tensor.detach().reshape(-1).view(torch.uint8).cpu().numpy()), np.uint8)
    comm.broadcast(content, 0)
    tensor.copy_(torch.from_numpy(content).view(tensor.dtype).view_as(tensor))

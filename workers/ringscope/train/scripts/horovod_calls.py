"""Horovod's calls for PyTorch on one communicator: sums of tensors, parameters of a root, its DistributedOptimizer."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from ringscope.engine.errors import EngineError
from ringscope.train.scripts.distributed_optimizer import DistributedOptimizer, distribute

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator
    from ringscope.train.scripts.gradients import Gradients

Op = Literal["avg", "sum", "min", "max"]
Named = Iterable[tuple[str, torch.Tensor]]
_HALVES = (torch.float16, torch.bfloat16)  # summed in float32


class HorovodCalls:
    """The calls on one communicator; all of them are collective."""

    def __init__(self, comm: Communicator) -> None:
        self._comm = comm

    def allreduce_(self, tensor: torch.Tensor, op: Op) -> torch.Tensor:
        """Combine a tensor of all ranks in place, and return it; the average of integers is truncated."""
        if tensor.is_sparse:
            raise EngineError("allreduce: a sparse tensor has no sum here; give tensor.to_dense().")
        with torch.no_grad():
            host = tensor.detach().to("cpu", torch.float32 if tensor.dtype in _HALVES else tensor.dtype).contiguous()
            values = np.ascontiguousarray(host.numpy()).reshape(-1)
            self._comm.all_reduce(values, "sum" if op == "avg" else op)
            result = torch.from_numpy(values).reshape(tensor.shape)
            if op == "avg":
                is_whole = not (result.is_floating_point() or result.is_complex())
                result = torch.div(result, self._comm.size, rounding_mode="trunc" if is_whole else None)
            tensor.copy_(result)
        return tensor

    def broadcast_(self, tensor: torch.Tensor, root_rank: int) -> torch.Tensor:
        """Replace a tensor by that of the root, bit by bit, and return it."""
        self._require_rank(root_rank)
        host = tensor.detach().contiguous().reshape(-1).view(torch.uint8).cpu().numpy()
        content = np.frombuffer(bytearray(host), np.uint8)
        self._comm.broadcast(content, root_rank)
        with torch.no_grad():
            tensor.copy_(torch.from_numpy(content).view(tensor.dtype).view_as(tensor))
        return tensor

    def broadcast_object(self, value: Any, root_rank: int) -> Any:
        """Return the root's object, which PyTorch reads again: numbers, texts, lists, dictionaries and tensors."""
        self._require_rank(root_rank)
        packed = io.BytesIO()
        if self._comm.rank == root_rank:
            torch.save(value, packed)
        length = np.array([packed.tell()], np.int64)
        self._comm.broadcast(length, root_rank)
        content = np.zeros(int(length[0]), np.uint8)
        if self._comm.rank == root_rank:
            content[:] = np.frombuffer(packed.getvalue(), np.uint8)
        self._comm.broadcast(content, root_rank)
        return torch.load(io.BytesIO(content.tobytes()), map_location="cpu", weights_only=True)

    def broadcast_parameters(self, parameters: Mapping[str, Any] | Named, root_rank: int) -> None:
        """Replace parameters by those of the root: a module's ``state_dict()`` or its ``named_parameters()``."""
        pairs = parameters.items() if isinstance(parameters, Mapping) else parameters
        for _, tensor in sorted(pairs, key=lambda pair: pair[0]):
            if isinstance(tensor, torch.Tensor):
                self.broadcast_(tensor, root_rank)

    def broadcast_optimizer_state(self, optimizer: torch.optim.Optimizer, root_rank: int) -> None:
        """Replace an optimizer's state and options by those of the root; the parameters stay as they are."""
        state = optimizer.state_dict() if self._comm.rank == root_rank else None
        found = self.broadcast_object(state, root_rank)
        if self._comm.rank != root_rank:
            optimizer.load_state_dict(found)

    def distribute(
        self, gradients: Gradients, optimizer: torch.optim.Optimizer, named_parameters: Named | None
    ) -> DistributedOptimizer:
        """Make an optimizer use the mean of the gradients over all ranks, and return it."""
        of_optimizer = [one for group in optimizer.param_groups for one in group["params"]]
        named = [one for _, one in named_parameters] if named_parameters is not None else of_optimizer
        if missing := len(set(of_optimizer) - set(named)):
            raise EngineError(
                f"named_parameters: {missing} of the optimizer's parameters are not among them; give "
                "model.named_parameters()."
            )
        holder = torch.nn.ParameterList([one for one in named if isinstance(one, torch.nn.Parameter)])
        return distribute(gradients, optimizer, holder)

    def _require_rank(self, root_rank: int) -> None:
        if not 0 <= root_rank < self._comm.size:
            last = self._comm.size - 1
            raise EngineError(f"root_rank: {root_rank} is not one of {self._comm.size} ranks; give 0 to {last}.")

"""PyTorch's own sharded training, FSDP2, as a peer: the same model, data and batch.

As with our ``sharded`` the optimizer is in equal shares; in addition the parameters are whole only from forward to the
end of backward. FSDP reports no time for its collectives, so they count as computing; over gloo they block backward.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from ringscope.contracts.training import TrainingSpec
from ringscope.train.checkpoints import NoCheckpoints
from ringscope.train.inputs import Inputs
from ringscope.train.optimizer import build_optimizer
from ringscope.train.replica import Replica, Result
from ringscope.train.sums.gradient_shares import GradientShares
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.torch_ddp import connect
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class TorchFsdp(GradientShares):
    """A GradientSum whose collectives are FSDP's."""

    def __init__(self, comm: Communicator, module: nn.Module, spec: TrainingSpec) -> None:
        """Connect the ranks and divide a copy of ``module`` among them (collective)."""
        self.algorithm = self.transport = "gloo" if comm.gpu is None else "nccl"
        self._comm = comm
        connect(comm, self.algorithm, spec.timeout_seconds)
        mesh = init_device_mesh("cpu" if comm.gpu is None else "cuda", (comm.size,))
        self.module = copy.deepcopy(module)
        for part in (*units(self.module), self.module):
            fully_shard(part, mesh=mesh, reshard_after_forward=False)
            # The loss is already divided by the samples of all ranks; gloo knows no other operation than the sum.
            part.set_gradient_divide_factor(1.0)
            part.set_force_sum_reduction_for_comms(True)
        self._parameters = [parameter for parameter in self.module.parameters() if parameter.requires_grad]
        self.size_bytes = sum(p.numel() * p.element_size() for p in self._parameters)

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return this rank's shares of the gradients."""
        return [parameter.grad.to_local() for parameter in self._parameters]

    def begin(self) -> None:
        """Start a step."""
        for parameter in self._parameters:
            parameter.grad = None

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Let FSDP sum in the last part only."""
        self.module.set_requires_gradient_sync(is_last)
        return nullcontext()

    def finish(self) -> Sums:
        """Return at once: FSDP's backward has waited for the sums."""
        return Sums(backward_us=0.0, exposed_us=0.0, size_bytes=self.size_bytes)

    def copy_to(self, module: nn.Module) -> None:
        """Copy the parameters to a model that has all of them (collective)."""
        with torch.no_grad():
            for whole, shared in zip(module.parameters(), self.module.parameters(), strict=True):
                whole.copy_(shared.full_tensor())

    def close(self) -> None:
        """End the process group (collective)."""
        distributed.destroy_process_group()


class FsdpReplica:
    """Makes steps with FSDP's model; ``module`` is a copy with all parameters, as the end of an epoch needs it."""

    def __init__(self, replica: Replica, sums: TorchFsdp) -> None:
        self._replica, self._sums, self._is_old = replica, sums, False

    @property
    def module(self) -> nn.Module:
        """Return the model after the last step (collective, if there was a step since the last call)."""
        self._refresh()
        return self._replica.module

    def step(self, parts: Iterable[tuple[torch.Tensor, torch.Tensor]], count: int, global_samples: int) -> Result:
        """Make one update, as ``Replica.step`` does."""
        self._is_old = True
        result = self._replica.step(parts, count, global_samples)
        if result.first_culprit is not None:  # the search needs the step's parameters
            self._refresh()
        return result

    def _refresh(self) -> None:
        if self._is_old:
            self._sums.copy_to(self._replica.module)
            self._is_old = False


def fsdp_trainer(inputs: Inputs) -> Trainer:
    """Return the trainer of this rank (collective)."""
    spec = inputs.spec
    sums = TorchFsdp(inputs.comm, inputs.module, spec)
    optimizer = build_optimizer(spec, sums.module, is_fused=False)  # PyTorch's fused SGD takes no divided parameters
    return inputs.trainer(FsdpReplica(inputs.replica(sums, optimizer), sums), sums, NoCheckpoints())


def units(module: nn.Module) -> Iterator[Any]:
    """Return the parts of a model whose parameters FSDP gathers together: its blocks and its larger layers.

    Embeddings stay with the model, because the head of gpt uses one.
    """
    for child in module.children():
        if isinstance(child, nn.Sequential) and all(list(block.children()) for block in child):
            yield from child
        elif isinstance(child, nn.Sequential | nn.Linear | nn.Conv2d):
            yield child

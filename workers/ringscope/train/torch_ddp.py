"""PyTorch's own DistributedDataParallel, as a peer: the same model, data and batch, but DDP's gradient sum.

It uses gloo on CPUs and NCCL on GPUs; the ranks find each other as for our own use of gloo. The gradients are summed,
not averaged: the loss is already divided by the samples of all ranks, which saves DDP a pass over them.
"""

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.own_address import interface_of, own_address
from ringscope.train.sums.gradient_sum import GradientSumBase, Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_MIB = 1 << 20
_INTERFACE_VARIABLE = "GLOO_SOCKET_IFNAME"
_LOOPBACK = "lo"


class TorchDdp(GradientSumBase):
    """A GradientSum whose sums are DDP's."""

    def __init__(self, comm: "Communicator", module: torch.nn.Module, spec: TrainingSpec) -> None:
        """Connect the ranks and wrap ``module`` (collective)."""
        self.algorithm = self.transport = "gloo" if comm.gpu is None else "nccl"
        connect(comm, self.algorithm, spec.timeout_seconds)
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self.size_bytes = sum(p.numel() * p.element_size() for p in parameters)
        self._parameters = parameters
        self.module = DistributedDataParallel(
            module, bucket_cap_mb=spec.bucket_bytes / _MIB, gradient_as_bucket_view=True
        )
        self.module.register_comm_hook(None, self._sum)
        self.begin()

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return the gradient of each parameter."""
        return [parameter.grad for parameter in self._parameters]

    def begin(self) -> None:
        """Start a step."""
        self._start_ns = time.perf_counter_ns()
        for parameter in self._parameters:
            parameter.grad = None
        self._bucket_bytes: list[int] = []
        self._start_us: list[float] = []
        self._end_us: dict[int, float] = {}

    def part(self, is_last: bool) -> AbstractContextManager[object]:
        """Let DDP sum in the last part only."""
        context: AbstractContextManager[object] = nullcontext() if is_last else self.module.no_sync()
        return context

    def finish(self) -> Sums:
        """Return the timing: DDP's backward has already waited for the sums, and did nothing else since the last
        bucket was ready.
        """
        until_us = self._now_us()
        backward_us = max(self._start_us, default=until_us)
        end_us = [self._end_us.get(number, until_us) for number in range(len(self._start_us))]
        size_bytes = sum(self._bucket_bytes)
        starts = self._start_us
        return Sums(backward_us, until_us - backward_us, size_bytes, self._bucket_bytes, starts, starts, end_us)

    def close(self) -> None:
        """End the process group (collective)."""
        distributed.destroy_process_group()
        # DDP's reducer holds ``_sum`` in C++: a cycle that Python does not see. Each run would leave its group behind.
        del self.module

    # DDP reads these annotations and accepts only types; it would not recognise strings.
    def _sum(self, state: None, bucket: distributed.GradBucket) -> torch.futures.Future[torch.Tensor]:
        number = len(self._start_us)
        self._bucket_bytes.append(bucket.buffer().nbytes)
        self._start_us.append(self._now_us())
        future = distributed.all_reduce(bucket.buffer(), async_op=True).get_future()
        noted: torch.futures.Future[torch.Tensor] = future.then(self._noting_end(number))
        return noted

    def _noting_end(self, number: int) -> Callable[[Any], torch.Tensor]:
        def note(future: Any) -> torch.Tensor:
            self._end_us[number] = self._now_us()
            (tensor,) = future.value()
            return tensor

        return note

    def _now_us(self) -> float:
        return (time.perf_counter_ns() - self._start_ns) / 1e3


def connect(comm: "Communicator", backend: str, timeout_seconds: int) -> None:
    """Connect the ranks through torch.distributed (collective)."""
    store, on_one_node = comm.torch_store()
    if backend == "gloo" and (interface := _LOOPBACK if on_one_node else interface_of(own_address())):
        os.environ.setdefault(_INTERFACE_VARIABLE, interface)
    timeout = timedelta(seconds=timeout_seconds)
    distributed.init_process_group(backend, store=store, rank=comm.rank, world_size=comm.size, timeout=timeout)

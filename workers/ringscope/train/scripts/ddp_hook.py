"""A communication hook of DistributedDataParallel that sums the buckets of gradients by the engine.

A bucket is divided by the number of ranks while it is copied into registered memory, as DDP does before its own sum,
and summed there by the one thread of this communicator, while backward computes the next one. DDP copies the result
into the gradients. PyTorch reads the annotations of a hook and accepts only types, so this module does not postpone
them.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed

from ringscope.contracts.words.collectives import AUTO
from ringscope.engine.base import Buffer, Plan
from ringscope.engine.errors import EngineError
from ringscope.train.device import Marker
from ringscope.train.sums.bucket_sums import SumThread
from ringscope.train.sums.buckets import tensor_over

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

Hook = Callable[[object, distributed.GradBucket], torch.futures.Future[torch.Tensor]]
_DTYPES = {
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.float32: "float32",
    torch.float64: "float64",
}


@dataclass(slots=True)
class _Slot:
    """The registered memory of one bucket, and its sum; ``owner`` is the bucket's first parameter."""

    owner: "weakref.ref[torch.Tensor]"
    memory: Buffer
    tensor: torch.Tensor
    algorithm: str
    plan: Plan | None = None


class HookSums:
    """The sums of this process; all ranks make the same calls (collective)."""

    def __init__(self, comm: "Communicator") -> None:
        self._comm, self._thread, self._marker = comm, SumThread(comm), Marker(comm.gpu)
        self._slots: dict[tuple[int, int, torch.dtype, int], _Slot] = {}

    def start(self, bucket: distributed.GradBucket, algorithm: str) -> "torch.futures.Future[Any]":
        """Begin the mean of a bucket over all ranks, and return its future."""
        gradient, is_last, owner = bucket.buffer(), bucket.is_last(), bucket.parameters()[0]
        if gradient.is_cuda != (self._comm.gpu is not None):
            where = "host memory" if self._comm.gpu is None else "a GPU"
            raise EngineError(f"ddp_hook: a bucket is on {gradient.device}; move the model to {where}.")
        future: torch.futures.Future[Any] = torch.futures.Future(devices=[gradient.device] if gradient.is_cuda else [])
        # Another model may have a bucket of the same number and size in the same backward. An address alone could be
        # that of a parameter that is gone on one rank and not on another.
        key = (id(owner), bucket.index(), gradient.dtype, gradient.numel())
        slot = self._slots.get(key)
        if slot is None or slot.owner() is not owner:
            # Its memory is a matter of all ranks, so it is allocated in the thread, where the order is the same on all.
            slot = self._thread.call(lambda: self._allocate(owner, gradient, algorithm)).result()
            self._slots[key] = slot
        torch.div(gradient, self._comm.size, out=slot.tensor)
        ready = self._marker.mark()
        if is_last:
            self._thread.is_awaited = True  # backward has computed everything, and waits
        self._thread.call(lambda: self._sum(slot, ready, future, is_last))
        return future

    def _sum(self, slot: _Slot, ready: Callable[[], None], future: "torch.futures.Future[Any]", is_last: bool) -> None:
        try:
            ready()
            if slot.plan is None:
                slot.plan = self._comm.plan(slot.algorithm, "sum", slot.memory, slot.memory)
            slot.plan.run()
            future.set_result(slot.tensor)
        except Exception as error:
            future.set_exception(error)
        finally:
            if is_last:
                self._thread.is_awaited = False

    def _allocate(self, owner: torch.Tensor, gradient: torch.Tensor, algorithm: str) -> _Slot:
        dtype = _DTYPES.get(gradient.dtype)
        if dtype is None:
            raise EngineError(f"ddp_hook: gradients of {gradient.dtype} have no sum here; keep the model in float32.")
        size_bytes = gradient.numel() * gradient.element_size()
        whole = self._comm.buffer(size_bytes).head(size_bytes)
        if algorithm == AUTO:
            algorithm = self._comm.choose("all_reduce", dtype, size_bytes, in_place=True).algorithm
        tensor = tensor_over(whole.local).view(gradient.dtype)
        return _Slot(weakref.ref(owner), whole.view(dtype), tensor, algorithm)


def hook_of(connect: Callable[[], "Communicator"]) -> Hook:
    """Return the hook; ``connect`` returns the communicator of all ranks at its first call."""
    sums: list[HookSums] = []

    def ddp_hook(state: object, bucket: distributed.GradBucket) -> torch.futures.Future[torch.Tensor]:
        """Sum a bucket of DistributedDataParallel by Ringscope's engine, as the mean over all ranks.

        ``model.register_comm_hook(None, ringscope.ddp_hook)``; instead of None the name of an algorithm, such as ring.
        The ranks of the model's group are all ranks of the job or of mpiexec.
        """
        if not sums:
            comm = connect()
            _require_equal(comm)
            sums.append(HookSums(comm))
        algorithm = AUTO if state is None else str(state)
        return sums[0].start(bucket, algorithm)

    ddp_hook.__qualname__ = "ddp_hook"  # DDP notes this name
    return ddp_hook


def _require_equal(comm: "Communicator") -> None:
    """Raise EngineError if the process group is another one than the engine's: the mean would be of other ranks."""
    ranks, rank = distributed.get_world_size(), distributed.get_rank()
    if (ranks, rank) != (comm.size, comm.rank):
        raise EngineError(
            f"ddp_hook: this is rank {rank} of {ranks} in torch.distributed, but rank {comm.rank} of {comm.size} here; "
            "start the script with `ringscope run`, as a job, or with mpiexec and the ranks of MPI."
        )

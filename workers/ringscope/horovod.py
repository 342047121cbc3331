"""Horovod's names for PyTorch scripts: ``import ringscope.horovod as hvd`` instead of ``import horovod.torch as hvd``.

    hvd.init()
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(optimizer, root_rank=0)

The ranks are those of the job, of ``ringscope run`` or of mpiexec. Elastic training (``hvd.elastic``), process sets,
compression, sparse tensors and the asynchronous calls are left out: using them raises an error that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringscope.engine.errors import EngineError
from ringscope.rank import api

if TYPE_CHECKING:
    import torch

    from ringscope.train.scripts.horovod_calls import HorovodCalls, Named, Op

Average: Op = "avg"
Sum: Op = "sum"
Min: Op = "min"
Max: Op = "max"

_LEFT_OUT = {
    "elastic": "elastic state is not part of it; a job of kind training with min_ranks continues with fewer ranks",
    "ProcessSet": "process sets are not part of it; Communicator.split makes smaller groups",
    "add_process_set": "process sets are not part of it; Communicator.split makes smaller groups",
    "Compression": "compression is not part of it; leave the argument out",
    "Adasum": "this operation is not part of it; take Average",
    "allreduce_async": "asynchronous calls are not part of it; call allreduce",
    "allreduce_async_": "asynchronous calls are not part of it; call allreduce_",
    "join": "every rank makes the same number of steps; cut the samples equally",
}


def __getattr__(name: str) -> Any:
    """Say what is left out, and what to use instead."""
    if name in _LEFT_OUT:
        raise AttributeError(f"ringscope.horovod has no {name}: {_LEFT_OUT[name]}.")
    raise AttributeError(f"module 'ringscope.horovod' has no attribute {name!r}")


def init() -> None:
    """Connect the ranks (collective)."""
    api.init()


def shutdown() -> None:
    """Do nothing: the ranks are disconnected when the program ends."""


def is_initialized() -> bool:
    """Return whether the ranks are connected."""
    return api.is_connected()


def rank() -> int:
    """Return the number of this rank."""
    return api.init().rank


def size() -> int:
    """Return the number of ranks."""
    return api.init().size


def local_rank() -> int:
    """Return the number of this rank among those of its node."""
    return api.init().local_rank


def local_size() -> int:
    """Return the number of ranks on this node."""
    return len(next(ranks for ranks in api.init().nodes if rank() in ranks))


def cross_rank() -> int:
    """Return the number of this rank's node."""
    return next(number for number, ranks in enumerate(api.init().nodes) if rank() in ranks)


def cross_size() -> int:
    """Return the number of nodes."""
    return len(api.init().nodes)


def allreduce(tensor: torch.Tensor, name: str | None = None, op: Op = Average) -> torch.Tensor:
    """Return a tensor that combines those of all ranks, by default their average (collective)."""
    return _calls().allreduce_(tensor.detach().clone(), op)


def allreduce_(tensor: torch.Tensor, name: str | None = None, op: Op = Average) -> torch.Tensor:
    """Combine a tensor of all ranks in place, by default to their average, and return it (collective)."""
    return _calls().allreduce_(tensor, op)


def broadcast(tensor: torch.Tensor, root_rank: int, name: str | None = None) -> torch.Tensor:
    """Return the tensor of the root (collective)."""
    return _calls().broadcast_(tensor.detach().clone(), root_rank)


def broadcast_(tensor: torch.Tensor, root_rank: int, name: str | None = None) -> torch.Tensor:
    """Replace a tensor by that of the root, and return it (collective)."""
    return _calls().broadcast_(tensor, root_rank)


def broadcast_object(obj: Any, root_rank: int = 0, name: str | None = None) -> Any:
    """Return the root's object: numbers, texts, lists, dictionaries and tensors (collective)."""
    return _calls().broadcast_object(obj, root_rank)


def broadcast_parameters(params: Any, root_rank: int) -> None:
    """Replace parameters by the root's: a module's ``state_dict()`` or its ``named_parameters()`` (collective)."""
    _calls().broadcast_parameters(params, root_rank)


def broadcast_optimizer_state(optimizer: torch.optim.Optimizer, root_rank: int) -> None:
    """Replace an optimizer's state and options by those of the root (collective)."""
    _calls().broadcast_optimizer_state(optimizer, root_rank)


def barrier() -> None:
    """Wait for all ranks (collective)."""
    api.init().barrier()


def DistributedOptimizer(  # noqa: N802 (known by this name to users of Horovod)
    optimizer: torch.optim.Optimizer,
    named_parameters: Named | None = None,
    compression: None = None,
    backward_passes_per_step: int = 1,
    op: Op = Average,
) -> Any:
    """Make an optimizer use the mean of the gradients over all ranks, and return it (collective).

    ``ringscope.DistributedOptimizer`` says what it does: ``.grad`` is the mean as soon as backward returns, so that
    ``synchronize`` before clipping has nothing left to do. Raises EngineError for options that are left out.
    """
    if compression is not None:
        raise EngineError("compression: it is not part of ringscope.horovod; leave the argument out.")
    if backward_passes_per_step != 1:
        raise EngineError(
            "backward_passes_per_step: put `with optimizer.accumulate():` around each backward but the last instead."
        )
    if op != Average:
        raise EngineError("op: gradients are averaged; give hvd.Average, and multiply the learning rate by the ranks.")
    return _calls().distribute(api.gradients(), optimizer, named_parameters)


def _calls() -> HorovodCalls:
    try:
        from ringscope.train.scripts.horovod_calls import HorovodCalls
    except ImportError as error:
        raise EngineError(
            f"ringscope.horovod needs PyTorch, which cannot be imported ({error}); pip install 'ringscope[train]'."
        ) from error
    return HorovodCalls(api.init())

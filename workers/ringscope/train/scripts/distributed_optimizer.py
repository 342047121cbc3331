"""Any PyTorch optimizer, with gradients that are the mean over all ranks, for users' scripts.

The optimizer stays the same object and only changes its class, so that schedulers, scalers and other objects that hold
it, before and after, use the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ringscope.contracts.words.collectives import AUTO
from ringscope.engine.errors import EngineError
from ringscope.train.scripts.gradients import Gradients
from ringscope.train.sums.buckets import require_shapes
from ringscope.train.sums.gradient_sum import Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class DistributedOptimizer(torch.optim.Optimizer):
    """Additions to an optimizer's class; made by ``distribute``."""

    _gradients: Gradients
    _plain: type[torch.optim.Optimizer]

    @property
    def sums(self) -> Sums | None:
        """Return the timing of the newest backward's sums; None before the first."""
        found: Sums | None = self._gradients.newest(self)
        return found

    def synchronize(self) -> None:
        """Sum the gradients that are not yet summed, as after ``accumulate`` (collective).

        After a plain backward there is nothing to do.
        """
        self._gradients.synchronize(self)

    @contextmanager
    def skip_synchronize(self) -> Iterator[None]:
        """Do nothing around ``step`` after ``synchronize``; it exists for Horovod's users: ``step`` sums nothing
        anyway.
        """
        yield

    def accumulate(self) -> AbstractContextManager[None]:
        """Use it around each backward of a step except the last: its gradients are only accumulated on this rank."""
        return self._gradients.accumulate()

    def no_sync(self) -> AbstractContextManager[None]:
        """Alias of ``accumulate``, with the name that DistributedDataParallel uses."""
        return self._gradients.accumulate()

    def compare_replicas(self) -> None:
        """Raise DifferenceError on every rank if the parameters of two ranks differ (collective)."""
        self._gradients.compare()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients, as PyTorch does."""
        self._gradients.forget(self)
        super().zero_grad(set_to_none)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copy and pickle as a plain optimizer."""
        return _plain_copy, (self._plain, self.__getstate__())


def distribute(
    gradients: Gradients,
    optimizer: torch.optim.Optimizer,
    model: torch.nn.Module,
    algorithm: str = AUTO,
    bucket_bytes: int = 25 << 20,
    overlap: bool = True,
) -> DistributedOptimizer:
    """Make ``optimizer`` a distributed one, and return it (collective).

    All ranks get rank 0's parameters and buffers. From then on ``.grad`` is the mean over all ranks when backward
    returns.
    """
    if isinstance(optimizer, DistributedOptimizer):
        raise EngineError("optimizer: it is a DistributedOptimizer already; wrap an optimizer once.")
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise EngineError(f"optimizer: {type(optimizer).__name__} is not a torch.optim.Optimizer; give one.")
    inside = set(model.parameters())
    outside = [one for group in optimizer.param_groups for one in group["params"] if one not in inside]
    require_shapes([*inside, *outside])
    for tensor in [*model.state_dict().values(), *outside]:
        _broadcast(gradients.comm, tensor)
    gradients.add(optimizer, model, algorithm, bucket_bytes, overlap)
    plain = type(optimizer)
    name = f"Distributed{plain.__name__}"
    optimizer.__class__ = type(name, (DistributedOptimizer, plain), {"__module__": plain.__module__, "_plain": plain})
    distributed: DistributedOptimizer = optimizer
    distributed._gradients = gradients
    distributed.register_step_pre_hook(_before_step)
    distributed.register_step_post_hook(_after_step)
    return distributed


def _before_step(optimizer: DistributedOptimizer, args: Any, kwargs: Any) -> Any:
    """``args`` begin with the optimizer itself."""
    gradients = optimizer._gradients
    closure = args[1] if len(args) > 1 else kwargs.get("closure")
    if closure is None:
        gradients.before_step(optimizer)
        return None

    @wraps(closure)
    def shared() -> Any:
        loss = closure()
        gradients.before_step(optimizer)
        return gradients.mean(loss)  # optimizers decide by the loss, and all must decide equally

    return (optimizer, shared, *args[2:]), {name: given for name, given in kwargs.items() if name != "closure"}


def _after_step(optimizer: DistributedOptimizer, args: Any, kwargs: Any) -> None:
    optimizer._gradients.after_step(optimizer)


def _plain_copy(plain: type[torch.optim.Optimizer], state: dict[str, Any]) -> torch.optim.Optimizer:
    optimizer: torch.optim.Optimizer = object.__new__(plain)
    optimizer.__setstate__(state)
    return optimizer


def _broadcast(comm: Communicator, tensor: torch.Tensor) -> None:
    """Compare bit by bit, for any type."""
    content = np.frombuffer(bytearray(tensor.detach().reshape(-1).view(torch.uint8).cpu().numpy()), np.uint8)
    comm.broadcast(content, 0)
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(content).view(tensor.dtype).view_as(tensor))

"""Choose the PyTorch device of a rank for the communicator's device, and synchronise the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


def settle_device(comm: Communicator) -> torch.device:
    """Return PyTorch's device of this rank; EngineError if PyTorch does not support GPUs."""
    if comm.gpu is None:
        return torch.device("cpu")
    if not has_gpus():
        raise EngineError("device: this PyTorch was built without CUDA; install one with it, or choose device cpu.")
    torch.cuda.set_device(comm.gpu.index)
    return torch.device("cuda", comm.gpu.index)


def has_gpus() -> bool:
    """Return whether this PyTorch can compute on a GPU here."""
    return bool(torch.cuda.is_available())


class Marker:
    """Marks in the stream of computations, for which another thread can wait; on CPUs every computation is done at
    once.
    """

    def __init__(self, gpu: cuda.Gpu | None) -> None:
        self._gpu = gpu

    def mark(self) -> Callable[[], None]:
        """Return an object that waits for all work requested so far."""
        if self._gpu is None:
            return _done
        event = torch.cuda.Event()
        event.record()
        wait: Callable[[], None] = event.synchronize
        return wait

    def enter_thread(self) -> None:
        """Make the GPU current in the thread that sums, and give the engine its own stream there.

        On the default stream its kernels would wait for the backward pass with which they should overlap.
        """
        if self._gpu is not None:
            cupy = cuda.load()
            cupy.cuda.Device(self._gpu.index).use()
            cupy.cuda.Stream(non_blocking=True).use()


def _done() -> None:
    """Do nothing: there is nothing to wait for."""

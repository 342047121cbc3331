"""Buckets: the gradients of a model, contiguous in registered memory, in the order in which backward computes them.

A bucket's tensor and the engine's array share memory, on the host and on a GPU (CuPy's array and PyTorch's tensor share
it through DLPack). After the gradients a bucket has room for notes, numbers that are summed with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ringscope.engine.base import Buffer
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arrays import is_on_gpu

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_DTYPE = "float32"
_ITEM_BYTES = 4
_CACHE_LINE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Bucket:
    """The gradients of some parameters: ``gradient`` and ``notes`` are flat tensors over ``memory``."""

    memory: Buffer
    gradient: torch.Tensor
    notes: torch.Tensor
    parameters: tuple[torch.nn.Parameter, ...]

    @property
    def size_bytes(self) -> int:
        """Return the bytes that are summed: the gradients as float32, and the notes."""
        return int(self.memory.local.nbytes)

    @property
    def parts(self) -> list[tuple[torch.nn.Parameter, torch.Tensor]]:
        """Yield each parameter with its gradient's view in the bucket."""
        views = self.gradient.split([parameter.numel() for parameter in self.parameters])
        return [(parameter, view.view_as(parameter)) for parameter, view in zip(self.parameters, views, strict=True)]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the parameters, in the order of their memory."""
        return [tuple(parameter.shape) for parameter in self.parameters]


def split(counts: Sequence[int], bucket_bytes: int) -> list[list[int]]:
    """Assign parameters to buckets, by index; the last parameter comes first.

    ``counts`` are elements. A bucket is closed before it would exceed ``bucket_bytes``, so only a single larger
    parameter makes a larger bucket.
    """
    buckets: list[list[int]] = []
    free_bytes = 0
    for place in reversed(range(len(counts))):
        size_bytes = counts[place] * _ITEM_BYTES
        if not buckets or size_bytes > free_bytes:
            buckets.append([])
            free_bytes = bucket_bytes
        buckets[-1].append(place)
        free_bytes -= size_bytes
    return buckets


def place_gradients(
    comm: Communicator,
    parameters: Sequence[torch.nn.Parameter],
    bucket_bytes: int,
    notes: Callable[[int, bool], int] = lambda members, is_last: 0,
) -> list[Bucket]:
    """Make buckets for the gradients of all parameters, zeroed (collective: equal parameters on every rank).

    ``notes`` returns the number of notes for a bucket's number of members and whether it is the last one. Raises
    EngineError if there are no parameters, or if one is not float32 or not in the communicator's kind of memory.
    """
    if not parameters:
        raise EngineError("model: it has no parameters to train.")
    on_gpu = comm.gpu is not None
    for parameter in parameters:
        if parameter.dtype != torch.float32:
            raise EngineError(f"model: a parameter is {parameter.dtype}; keep parameters in float32 and use autocast.")
        if parameter.is_cuda != on_gpu:
            device = "a GPU" if on_gpu else "host memory"
            raise EngineError(f"model: a parameter is on {parameter.device}; move the model to {device}.")
    members = [[parameters[place] for place in group] for group in split([p.numel() for p in parameters], bucket_bytes)]
    counts = [
        sum(parameter.numel() for parameter in group) + notes(len(group), group is members[-1]) for group in members
    ]
    memory = comm.buffer(sum(_room(count) for count in counts))
    buckets, start = [], 0
    for group, count in zip(members, counts, strict=True):
        part = memory.section(start, count * _ITEM_BYTES).view(_DTYPE)
        flat, elements = tensor_over(part.local), sum(parameter.numel() for parameter in group)
        buckets.append(Bucket(part, flat[:elements], flat[elements:], tuple(group)))
        start += _room(count)
    return buckets


def require_shapes(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Raise EngineError if a lazy module has not seen an input yet."""
    if any(isinstance(parameter, torch.nn.parameter.UninitializedTensorMixin) for parameter in parameters):
        raise EngineError("model: a parameter has no shape yet; call the model once before.")


def tensor_over(array: Any) -> torch.Tensor:
    """Return a tensor over the memory of a NumPy or CuPy array."""
    return torch.from_dlpack(array) if is_on_gpu(array) else torch.from_numpy(array)


def _room(count: int) -> int:
    """Return the bytes of ``count`` elements, rounded up to where the next bucket may begin."""
    return -(-count * _ITEM_BYTES // _CACHE_LINE_BYTES) * _CACHE_LINE_BYTES

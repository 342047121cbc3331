"""Gradients as float16, scaled so that no sum overflows: half the bytes."""

import math

import numpy as np
import torch
from torch import Tensor

from ringscope.train.compression.base import Collectives, Shapes

_MAX = 65504.0  # largest number of float16
_SCALE_BYTES = 4


class Fp16:
    """The gradients are multiplied by a power of two, which follows from each bucket's largest element over all ranks.

    The sum of all ranks thus stays below float16's largest number, and small gradients above its smallest one: scaling
    as in P. Micikevicius et al., Mixed Precision Training, 2017 (arXiv:1710.03740), but exact in each step. There is no
    state between steps.
    """

    def reduce(self, bucket: int, gradient: Tensor, comm: Collectives, shapes: Shapes = ()) -> int:
        """See ``Compressor``; a sum in float16 of rounded numbers."""
        largest = np.asarray([gradient.abs().max().item()], dtype=np.float32)
        scale = _scale(float(comm.all_gather(largest).max()), comm.size)
        sent = (gradient * scale).to(torch.float16).cpu()
        comm.all_reduce(sent.numpy())
        gradient.copy_(sent).div_(scale)
        return int(sent.nbytes) + _SCALE_BYTES

    def state_dict(self) -> dict[str, Tensor]:
        """Return no state."""
        return {}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Do nothing: there is no state to restore."""


def _scale(largest: float, ranks: int) -> float:
    """Return the greatest power-of-two scale at which a sum of ``ranks`` such elements fits float16, or 1."""
    if not math.isfinite(largest) or largest == 0:
        return 1.0
    # Rounding may increase each of them, and each partial sum, slightly: half of the range is left free.
    return 2.0 ** min(math.floor(math.log2(_MAX / 2 / ranks / largest)), 126)

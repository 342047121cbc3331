"""Only the largest elements of a gradient; the unsent part is added to the next gradient.

Source: A. F. Aji, K. Heafield, Sparse Communication for Distributed Gradient Descent, 2017 (arXiv:1704.05021); error
feedback: S. U. Stich et al., Sparsified SGD with Memory, 2018 (arXiv:1809.07599).
"""

import math

import numpy as np
import torch
from torch import Tensor

from ringscope.train.compression.base import Collectives, Shapes, sum_uncompressed


class TopK:
    """Sends ``percent`` of each bucket as values and indices, gathered by all ranks: bytes grow with the number of
    ranks.
    """

    def __init__(self, percent: float) -> None:
        self._percent = percent
        self._residuals: dict[int, Tensor] = {}

    def reduce(self, bucket: int, gradient: Tensor, comm: Collectives, shapes: Shapes = ()) -> int:
        """See ``Compressor``."""
        count = math.ceil(gradient.numel() * self._percent / 100)
        if 2 * count >= gradient.numel():
            return sum_uncompressed(gradient, comm)
        corrected = gradient + self._residuals[bucket] if bucket in self._residuals else gradient.clone()
        places = corrected.abs().topk(count, sorted=False).indices
        sent = np.stack([corrected[places].cpu().numpy().view(np.int32), places.to(torch.int32).cpu().numpy()])
        gradient.zero_()
        for values, at in comm.all_gather(sent):  # in rank order: the sum is equal everywhere
            places_there = torch.from_numpy(np.array(at, dtype=np.int64)).to(gradient.device)
            gradient.index_add_(0, places_there, torch.from_numpy(values.view(np.float32)).to(gradient.device))
        if gradient.isfinite().all():
            corrected[places] = 0
            self._residuals[bucket] = corrected
        return int(sent.nbytes)

    def state_dict(self) -> dict[str, Tensor]:
        """Return the unsent part of each bucket."""
        return {str(bucket): residual for bucket, residual in self._residuals.items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Restore the unsent parts of another run."""
        self._residuals = {int(bucket): residual for bucket, residual in state.items()}

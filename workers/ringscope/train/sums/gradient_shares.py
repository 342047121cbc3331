"""Base of a GradientSum that gives each rank a share of the sum, so that ranks need each other to judge the whole."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from ringscope.train.sums.gradient_sum import GradientSumBase, norm_of

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class GradientShares(GradientSumBase):
    """``gradients`` are those of this rank's share; a rank may have none."""

    _comm: Communicator

    def norm(self) -> float:
        """Return the Euclidean norm of the whole gradient, from the shares' norms (collective)."""
        square = float(norm_of(self.gradients)) ** 2 if self.gradients else 0.0
        return sqrt(self._comm.total(np.array([square], np.float64))[0])

    def is_finite(self) -> bool:
        """Return whether all shares of the gradient are finite (collective)."""
        return not self._comm.maximum(np.array([not super().is_finite()], np.int64))[0]

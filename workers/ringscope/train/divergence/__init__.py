"""Numbers that are not finite: found before the update, with rank and layer, and reported."""

from ringscope.train.divergence.culprit import Culprit, find_culprit, first_culprit, is_finite
from ringscope.train.divergence.reports import Divergence, are_finite

__all__ = ["Culprit", "Divergence", "are_finite", "find_culprit", "first_culprit", "is_finite"]

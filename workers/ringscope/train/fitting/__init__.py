"""Training of a script's own model and samples by a strategy, inside of the script."""

from ringscope.train.fitting.fit import Fitted, fit
from ringscope.train.fitting.objects import material_of, spec_of

__all__ = ["Fitted", "fit", "material_of", "spec_of"]

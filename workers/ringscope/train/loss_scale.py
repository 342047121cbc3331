"""The loss scale: float16 loses small gradients, so the loss is multiplied before backward. Pure.

As in PyTorch's GradScaler, it is doubled after many good steps, and halved after an overflow, whose step is skipped.
"""

from dataclasses import dataclass

_GROWTH_STEPS = 2000
_MAX = 2.0**24


@dataclass(slots=True)
class LossScale:
    """``value`` is the factor of the loss; ``good_steps`` is the number of good steps since it last changed."""

    value: float = 2.0**16
    good_steps: int = 0

    def note(self, is_finite: bool) -> None:
        """Update after a step: it was good, or a gradient of any rank was not finite."""
        if not is_finite:
            self.value, self.good_steps = max(1.0, self.value / 2), 0
            return
        self.good_steps += 1
        if self.good_steps == _GROWTH_STEPS:
            self.value, self.good_steps = min(_MAX, self.value * 2), 0

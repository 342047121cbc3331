"""The loss scale: float16 loses small gradients, so the loss is multiplied before backward. Pure.

As PyTorch's GradScaler does it: doubled after many good steps, halved after one that overflowed, which is left out.
"""

from dataclasses import dataclass

_GROWTH_STEPS = 2000
_MAX = 2.0**24


@dataclass(slots=True)
class LossScale:
    """``value`` is what the loss is multiplied by; ``good_steps`` how many went well since it last changed."""

    value: float = 2.0**16
    good_steps: int = 0

    def note(self, is_finite: bool) -> None:
        """A step went well, or some gradient of any rank was no finite number."""
        if not is_finite:
            self.value, self.good_steps = max(1.0, self.value / 2), 0
            return
        self.good_steps += 1
        if self.good_steps == _GROWTH_STEPS:
            self.value, self.good_steps = min(_MAX, self.value * 2), 0

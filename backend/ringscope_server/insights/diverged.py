"""Diverged training: what is not finite, which a rank reports as soon as it sees it, and a loss that rises. Pure."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from ringscope.contracts.training.record import Diverged
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.step_windows import Block, RankStep

LOSS_STEPS = 20  # in a window of losses
LEAST_WINDOWS = 3  # in a row, with a mean loss above both limits
ABOVE_LOWEST = 3.0  # the least ratio of such a mean to the lowest one
ABOVE_FIRST = 1.5  # and to the first one: what was learned is lost


def of_records(told: Iterable[Diverged], node: str) -> list[Finding]:
    """Return one finding for the job, with the first rank of this node that reported it."""
    first = min(told, key=lambda one: (one.step, one.rank), default=None)
    if first is None:
        return []
    # JSON has no notation for what is not finite, and some databases reject it: it is text, as on its way here.
    evidence = json.loads(first.model_dump_json(exclude={"type", "rank"}))
    return [Finding("diverged", first.sentence, first.rank, node, evidence)]


class _Mean(NamedTuple):
    """The mean loss of all ranks in a window of steps."""

    loss: float
    first_step: int

    def __str__(self) -> str:
        return f"{self.loss:.3g} in steps {self.first_step} to {self.first_step + LOSS_STEPS - 1}"


class RisingLoss:
    """Takes steps as they come, and tells once that the mean loss of windows of steps rises."""

    def __init__(self) -> None:
        self._losses: dict[int, list[float]] = {}  # by window
        self._first: _Mean | None = None
        self._lowest: _Mean | None = None
        self._high = 0  # windows in a row
        self._judged = -1  # the newest window that was judged; losses of earlier ones come too late

    def add(self, rows: Iterable[tuple[Block, int, RankStep]]) -> Finding | None:
        """Take in new steps; return the finding if the loss has risen in the windows that they complete."""
        for _, step, rank_step in rows:
            if rank_step.loss is not None and step // LOSS_STEPS > self._judged:
                self._losses.setdefault(step // LOSS_STEPS, []).append(rank_step.loss)
        found = None
        # Ranks report in turns, so the newest window and the one before it may lack losses of some.
        for window in sorted(self._losses)[:-2]:
            losses, self._judged = self._losses.pop(window), window
            found = self._judge(_Mean(sum(losses) / len(losses), window * LOSS_STEPS)) or found
        return found

    def _judge(self, mean: _Mean) -> Finding | None:
        first = self._first = self._first or mean
        lowest = self._lowest = min(self._lowest or mean, mean)
        is_high = lowest.loss > 0 and mean.loss > max(ABOVE_LOWEST * lowest.loss, ABOVE_FIRST * first.loss)
        self._high = self._high + 1 if is_high else 0
        if self._high != LEAST_WINDOWS:
            return None
        message = (
            f"The loss rises: its mean is {mean}, after {lowest}. All numbers are finite; a lower learning rate or "
            "clip_norm may help."
        )
        evidence = {
            "step": mean.first_step,
            "mean_loss": mean.loss,
            "first_mean_loss": first.loss,
            "lowest_mean_loss": lowest.loss,
            "lowest_step": lowest.first_step,
        }
        return Finding("diverged", message, evidence=evidence)

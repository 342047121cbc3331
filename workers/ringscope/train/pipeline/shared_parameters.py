"""Parameters that layers of several stages share: their gradients are added up between these stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from ringscope.engine.point_to_point import PointToPoint

_FIRST_TAG = 1024  # above those of activations and their gradients


@dataclass(frozen=True, slots=True)
class SharedParameter:
    """A parameter and the stages whose layers use it, ascending: two or more."""

    parameter: torch.nn.Parameter
    stages: tuple[int, ...]


class SharedGradients:
    """Adds the gradients of shared parameters, so that each stage makes the same update of its copy."""

    def __init__(self, post: PointToPoint, shared: Sequence[SharedParameter], stage: int, first_rank: int) -> None:
        """``shared`` is equal on all ranks; ``first_rank`` is the rank of this replica's first stage."""
        self._post, self._stage, self._first_rank = post, stage, first_rank
        self._shared = [(_FIRST_TAG + 2 * number, each) for number, each in enumerate(shared)]

    def add(self, step: int) -> None:
        """Replace each shared gradient by the sum over its stages, the first of which adds them in their order."""
        for tag, each in self._shared:
            gradient = each.parameter.grad
            if self._stage not in each.stages or gradient is None:
                continue
            messages = self._post.messages()
            if self._stage != each.stages[0]:
                messages.send(gradient.numpy(), self._rank(each.stages[0]), tag)
                messages.wait(step)
                messages.receive(gradient.numpy(), self._rank(each.stages[0]), tag + 1)
                messages.wait(step)
                continue
            others = [(stage, torch.empty_like(gradient)) for stage in each.stages[1:]]
            for stage, other in others:
                messages.receive(other.numpy(), self._rank(stage), tag)
            messages.wait(step)
            for _, other in others:
                gradient += other
            for stage, _ in others:
                messages.send(gradient.numpy(), self._rank(stage), tag + 1)
            messages.wait(step)

    def _rank(self, stage: int) -> int:
        return self._first_rank + stage

"""The order in which a stage of a pipeline computes forwards and backwards. Pure.

The model is cut into parts; stage s computes the parts s, s + stages, s + 2 stages and so on. A part's forward needs
the output of the previous part, its backward the gradient from the next one. Sends never block, so an order is free of
deadlocks if these needs have no cycle; a test runs all orders.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ringscope.contracts.training import PipelineSchedule, parts_per_rank

Direction = Literal["forward", "backward"]


class Work(NamedTuple):
    """One forward or backward of a part of the model on a micro-batch, both counted from 0."""

    direction: Direction
    part: int
    micro_batch: int


def works(schedule: PipelineSchedule, stages: int, stage: int, micro_batches: int) -> list[Work]:
    """Return what a stage computes in a step, in order; interleaved needs a multiple of ``stages`` micro-batches."""
    parts = parts_per_rank(schedule)
    total = micro_batches * parts
    if schedule == "interleaved":
        forwards = [_interleaved(number, stages, parts) for number in range(total)]
        backwards = [(parts - 1 - part, micro_batch) for part, micro_batch in forwards]
        first = total if micro_batches == stages else (stages - stage - 1) * 2 + (parts - 1) * stages
    else:
        forwards = backwards = [(0, number) for number in range(total)]
        first = total if schedule == "gpipe" else stages - stage - 1
    first = min(first, total)
    found = [_work("forward", stages, stage, each) for each in forwards[:first]]
    for forward, backward in zip(forwards[first:], backwards, strict=False):
        found += [_work("forward", stages, stage, forward), _work("backward", stages, stage, backward)]
    return found + [_work("backward", stages, stage, each) for each in backwards[total - first :]]


def peak_activations(order: Sequence[Work]) -> int:
    """Return the most forwards whose backward is still to come, which is how many activations a stage keeps."""
    kept = peak = 0
    for work in order:
        kept += 1 if work.direction == "forward" else -1
        peak = max(peak, kept)
    return peak


def _interleaved(number: int, stages: int, parts: int) -> tuple[int, int]:
    """Return a stage's own part and the micro-batch of its forward ``number``: ``stages`` micro-batches at a time."""
    rounds, place = divmod(number, stages * parts)
    return place // stages, rounds * stages + place % stages


def _work(direction: Direction, stages: int, stage: int, own: tuple[int, int]) -> Work:
    part, micro_batch = own
    return Work(direction, part * stages + stage, micro_batch)

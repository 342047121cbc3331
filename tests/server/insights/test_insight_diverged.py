"""A loss that rises is reported once, and noise is not."""

import math
import random

import pytest

from ringscope_server.insights.diverged import LEAST_WINDOWS, LOSS_STEPS, RisingLoss
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.step_windows import Block, RankStep
from ringscope_server.results.arrivals import Start

BLOCK = Block("all_reduce", "ring", True, 1024)


def told(losses: list[float], ranks: int = 2) -> list[Finding]:
    """Report the losses one step after another, and return what is found."""
    rising, found = RisingLoss(), []
    for step, loss in enumerate(losses):
        rows = [(BLOCK, step, RankStep(Start(rank, "n1", step, None), 1.0, 0.0, loss=loss)) for rank in range(ranks)]
        found.append(rising.add(rows))
    return [each for each in found if each]


def falling(steps: int) -> list[float]:
    return [2.3 * math.exp(-step / 40) + 0.2 for step in range(steps)]


def test_a_loss_that_rises_is_told_once_with_its_steps() -> None:
    falls, rises = falling(200), [0.25 * 1.03**step for step in range(300)]
    (found,) = told(falls + rises)
    assert (found.kind, found.rank, found.key) == ("diverged", None, ("diverged", None))
    step, mean = found.evidence["step"], found.evidence["mean_loss"]
    assert step % LOSS_STEPS == 0 and mean == pytest.approx(sum((falls + rises)[step : step + LOSS_STEPS]) / LOSS_STEPS)
    assert mean > 1.5 * found.evidence["first_mean_loss"] > 3 * found.evidence["lowest_mean_loss"]
    assert f"{mean:.3g} in steps {step} to {step + LOSS_STEPS - 1}" in found.message


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_rise(seed: int) -> None:
    draw = random.Random(seed)
    assert told([loss * draw.lognormvariate(0, 1.0) for loss in falling(2000)]) == []


@pytest.mark.parametrize(
    "after",
    [
        pytest.param([1.9] * 400, id="not above the beginning"),
        pytest.param([30.0] * LOSS_STEPS * (LEAST_WINDOWS - 1) + [0.2] * 100, id="for too few windows"),
        pytest.param([-5.0] * 400, id="below zero"),
    ],
)
def test_other_changes_are_no_rise(after: list[float]) -> None:
    assert told(falling(200) + after) == []


def test_steps_without_a_loss_say_nothing() -> None:
    row = (BLOCK, 0, RankStep(Start(0, "n1", 0, None), 1.0, 0.0))
    assert RisingLoss().add([row] * 500) is None

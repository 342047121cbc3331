"""The first numbers of a step that were not finite, with rank and layer."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from ringscope.train.divergence import Culprit, find_culprit, first_culprit


class Root(nn.Module):
    """A layer whose output is finite at 0, and whose gradient is not."""

    def forward(self, values):
        return values.clamp(min=0).sqrt()


class Reciprocal(nn.Module):
    """A layer that divides by zero if a number is zero."""

    def forward(self, values):
        return 1 / values


def loss_of(module, inputs, targets):
    return (module(inputs).sum(1) - targets).square().sum()


def model(*layers):
    made = nn.Sequential(nn.Linear(3, 4), *layers, nn.Linear(4, 1))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.fill_(0.5)
    return made


ONES, ZEROS = (torch.ones(2, 3), torch.ones(2)), (torch.tensor([[-1.0, 0, 0]] * 2), torch.ones(2))


def test_a_good_step_has_no_culprit_and_leaves_the_gradients_alone():
    good = model(Root())
    assert find_culprit(good, loss_of, [ONES, ONES], 2) is None
    assert all(parameter.grad is None for parameter in good.parameters())


def test_samples_are_named_before_any_layer():
    bad = ONES[0].clone()
    bad[1, 2] = math.inf
    assert find_culprit(model(), loss_of, [ONES, (bad, ONES[1])], 2) == Culprit(2, "samples", None)


def test_the_first_layer_in_the_order_of_forward_is_named():
    assert find_culprit(model(Reciprocal()), loss_of, [ONES, ZEROS], 1) == Culprit(1, "output", "1")


def test_a_gradient_is_named_where_the_loss_is_finite():
    zero = model(Root())
    assert math.isfinite(loss_of(zero, *ZEROS).item())
    assert find_culprit(zero, loss_of, [ZEROS], 0) == Culprit(0, "gradient", "0")


def test_the_loss_itself_may_be_the_first():
    huge = (ONES[0], torch.full((2,), 3e38))
    assert find_culprit(model(), loss_of, [huge], 0) == Culprit(0, "output", None)


def test_tokens_are_no_numbers_that_could_be_infinite():
    tokens = nn.Sequential(nn.Embedding(5, 4), nn.Flatten(), nn.Linear(12, 1))
    assert find_culprit(tokens, loss_of, [(torch.ones(2, 3, dtype=torch.int64), torch.ones(2))], 0) is None


@pytest.mark.parametrize(
    "culprit",
    [Culprit(1, "samples", None), Culprit(1, "output", "0"), Culprit(1, "gradient", "2"), Culprit(1, "output", None)],
)
def test_all_ranks_learn_of_the_lowest_rank_that_has_one(culprit):
    """Three ranks, of which the last two have a culprit."""
    module, told = model(Root()), []
    for mine in (None, culprit, Culprit(2, "gradient", "0")):
        comm = SimpleNamespace(rank=mine.rank if mine else 0, size=3, maximum=lambda codes: told.append(codes) or codes)
        first_culprit(comm, module, mine)
    codes = np.max(told, axis=0)
    comm = SimpleNamespace(rank=0, size=3, maximum=lambda mine: codes)
    assert first_culprit(comm, module, None) == culprit
    codes = np.zeros(3, np.int64)
    assert first_culprit(comm, module, None) is None

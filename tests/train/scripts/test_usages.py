"""Replicas stay equal, and equal to one process, whatever users of PyTorch do between backward and step.

The table of docs/training.md has a row for each, and a test compares the two.
"""

import functools
from pathlib import Path

import pytest
import torch
from tests.train.scripts.usages.accumulation import (
    accumulate,
    accumulate_then_synchronize,
    never_zeroed,
    retain_graph,
    several_backwards,
    zero_grad_by_the_model,
    zero_grad_in_place,
)
from tests.train.scripts.usages.gradients import (
    autocast,
    clip_norm,
    clip_value,
    grad_by_hand,
    grad_scaler,
    horovod_loop,
    norms_for_logs,
    plain_loop,
    replace_grad,
    replace_grad_data,
    scale_in_place,
)
from tests.train.scripts.usages.optimizers import (
    adamw,
    closure,
    fused,
    gradient_penalty,
    lbfgs,
    plateau,
    saved_and_loaded,
    scheduler,
    scheduler_made_before,
    step_hooks,
    two_optimizers,
    two_optimizers_of_one_model,
    weight_average,
)
from tests.train.scripts.usages.parameters import (
    added_later,
    checkpointed,
    checkpointed_reentrant,
    frozen,
    frozen_later,
    part_of_the_model,
    tied_weights,
    unfrozen_later,
    unused_on_one_rank,
    weight_decay_and_unused,
)
from tests.train.scripts.worlds import results

PAGE = Path(__file__).parents[3] / "docs" / "training.md"
# Float32 keeps every sum of the first ones exactly, so that they are equal to one process bit by bit.
EXACT = [
    plain_loop, clip_value, norms_for_logs, scale_in_place, replace_grad, replace_grad_data, grad_by_hand,
    grad_scaler, accumulate_then_synchronize, several_backwards, retain_graph, zero_grad_by_the_model,
    zero_grad_in_place, never_zeroed, weight_decay_and_unused, unused_on_one_rank, frozen, unfrozen_later, frozen_later,
    added_later, scheduler, scheduler_made_before, plateau, closure, two_optimizers, two_optimizers_of_one_model,
    gradient_penalty, checkpointed, checkpointed_reentrant, tied_weights, saved_and_loaded, weight_average, step_hooks,
]  # fmt: skip
CLOSE = [clip_norm, horovod_loop, accumulate, part_of_the_model, adamw, fused, lbfgs, autocast]
AFTER_BACKWARD = {"bucket_bytes": 1 << 20, "overlap": False}


def flat(model):
    return torch.cat([parameter.detach().reshape(-1) for parameter in model.parameters()])


def numbers(noted):
    """Return all that a program noted as one tensor."""
    listed = noted if isinstance(noted, list) else [noted]
    return torch.cat([torch.zeros(0), *(torch.as_tensor(one).reshape(-1).float() for one in listed if one is not None)])


@pytest.mark.parametrize("options", [{}, AFTER_BACKWARD], ids=["overlap", "after backward"])
@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("usage", EXACT + CLOSE, ids=lambda usage: usage.__name__)
def test_replicas_are_equal_and_what_one_process_gets(usage, ranks, options):
    if usage is checkpointed_reentrant:
        options = AFTER_BACKWARD
    every, (alone, noted) = results(ranks, usage, **options)
    first, noted_first = flat(every[0][0]), numbers(every[0][1])
    for model, told in every:
        assert torch.equal(flat(model), first)
        assert torch.equal(numbers(told), noted_first)
    is_equal = (
        torch.equal if usage in EXACT else functools.partial(torch.allclose, atol=0.05 if usage is autocast else 1e-5)
    )
    assert is_equal(first, flat(alone))
    assert is_equal(noted_first, numbers(noted))


def test_the_page_has_a_row_for_each():
    rows = PAGE.read_text().partition("<!-- usages -->")[2].partition("<!-- end -->")[0]
    named = [line.split("`")[-2] for line in rows.splitlines() if line.endswith("` |")]
    assert sorted(named) == sorted(usage.__name__ for usage in EXACT + CLOSE)

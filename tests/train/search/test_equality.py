"""A candidate's parameters compared with those of one process."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.search.candidates import Candidate
from ringscope.train.search.equality import Equality

SPEC = StrategySearchSpec()


def a_module(*values: float) -> torch.nn.Module:
    module = torch.nn.Linear(len(values), 1, bias=False)
    module.weight.data = torch.tensor([values])
    return module


def compared(candidate: str, *values: float, strategy: str = "torch_ddp", rank: int = 0) -> float | None:
    """One process ends with 1 and 4; the candidate ends with the values."""
    trained_alone: list[tuple[int, Any, bool]] = []
    waits: list[bool] = []
    alone = SimpleNamespace(size=1, free=lambda: None)
    comm: Any = SimpleNamespace(
        rank=rank, size=2, split=lambda color: alone, barrier=lambda sleeps: waits.append(sleeps)
    )

    def train(group: Any, spec: Any, equality: Equality, *, only_prepare: bool) -> None:
        trained_alone.append((group.size, spec.max_steps, only_prepare))
        if not only_prepare:
            equality.note(SimpleNamespace(module=a_module(1.0, 4.0)))

    equality = Equality(comm, SPEC, train)
    equality.begin(Candidate(candidate, SPEC.training(strategy=strategy)), 15)
    equality.note(SimpleNamespace(module=a_module(*values)))
    found = equality.end()
    assert trained_alone in ([], [(1, 15, rank > 0)])  # other ranks load the libraries meanwhile, and sleep
    assert waits == [True] * len(trained_alone)
    return found


def test_equal_bits_differ_by_nothing_and_others_by_a_part_of_the_largest_parameter() -> None:
    assert compared("torch_ddp", 1.0, 4.0) == 0
    assert compared("mirrored-ring", 1.0, 4.5, strategy="mirrored") == pytest.approx(0.125)


def test_what_is_not_exact_or_not_whole_or_on_another_rank_is_not_compared() -> None:
    assert compared("local_sgd", 1.0, 4.0, strategy="local_sgd") is None
    assert compared("pipeline", 1.0, 4.0, strategy="pipeline") is None
    assert compared("torch_ddp", 1.0, 4.0, rank=1) is None
    assert compared("torch_ddp", float("nan"), 4.0) is None

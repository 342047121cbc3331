"""Evaluation: the same figures for any number of ranks, each sample counted once."""

from typing import Any

import numpy as np
import pytest
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.data import Dataset, load
from ringscope.train.evaluation import Validation, evaluate
from ringscope.train.models import build


def prepared(model: str, dataset: dict[str, Any]) -> tuple[torch.nn.Module, Dataset]:
    spec = TrainingSpec.model_validate({"model": model, "dataset": dataset})
    data = load(spec)
    return build(spec, data), data


def over_ranks(model: torch.nn.Module, data: Dataset, ranks: int, batch_size: int = 512) -> list[Validation]:
    """Return each rank's answer; a first pass collects what the ranks hand over, a second one gives them the sum."""
    handed: list[np.ndarray] = []

    def collect(sums: np.ndarray) -> None:
        handed.append(sums.copy())
        sums[:] = 1

    for rank in range(ranks):
        evaluate(model, data.validation, rank, ranks, collect, batch_size)
    total = np.sum(handed, axis=0)
    return [
        evaluate(model, data.validation, rank, ranks, lambda sums: np.copyto(sums, total), batch_size)
        for rank in range(ranks)
    ]


@pytest.mark.parametrize("batch_size", [7, 512])
@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
def test_any_number_of_ranks_finds_the_same(ranks: int, batch_size: int) -> None:
    model, data = prepared("mlp", {"name": "digits"})
    inputs, targets = data.validation.batch(torch.arange(360))
    with torch.no_grad():
        outputs = model(inputs)
    loss = torch.nn.functional.cross_entropy(outputs, targets).item()
    accuracy = (outputs.argmax(1) == targets).double().mean().item()
    for found in over_ranks(model, data, ranks, batch_size):
        assert found.loss == pytest.approx(loss, rel=1e-5)
        assert found.accuracy == pytest.approx(accuracy, rel=1e-12)


def test_ranks_without_a_sample_add_nothing() -> None:
    model, data = prepared("mlp", {"name": "synthetic", "samples": 16, "validation_percent": 20})
    assert len(data.validation) == 3
    alone, many = over_ranks(model, data, 1)[0], over_ranks(model, data, 8)
    assert len(set(many)) == 1 and many[0].loss == pytest.approx(alone.loss) and many[0].accuracy == alone.accuracy


def test_of_tokens_every_one_counts() -> None:
    model, data = prepared("gpt", {"name": "synthetic", "samples": 40})
    inputs, targets = data.validation.batch(torch.arange(8))
    with torch.no_grad():
        outputs = model(inputs)
    found = over_ranks(model, data, 2)[0]
    assert found.accuracy == pytest.approx((outputs.argmax(-1) == targets).double().mean().item())
    assert found.loss == pytest.approx(
        torch.nn.functional.cross_entropy(outputs.flatten(0, 1), targets.flatten()).item()
    )


@pytest.mark.parametrize("mode", [True, False])
def test_the_model_keeps_its_mode_and_its_gradients(mode: bool) -> None:
    model, data = prepared("mlp", {"name": "digits"})
    model.train(mode)
    evaluate(model, data.validation, 0, 1, lambda sums: None)
    assert model.training is mode
    assert all(parameter.grad is None for parameter in model.parameters())

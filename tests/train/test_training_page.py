"""The figures and file names of docs/training.md that only the models and data know."""

from pathlib import Path
from typing import Any

import pytest

from ringscope.contracts.training import MODEL_ARGUMENTS, TrainingSpec
from ringscope.train.data import Dataset
from ringscope.train.data.cifar10 import FILES
from ringscope.train.models import build, parameter_count

TEXT = (Path(__file__).parents[2] / "docs" / "training.md").read_text()


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_parameter_counts_are_those_of_the_page(model: Any) -> None:
    nothing: Any = None
    of_tokens = model == "gpt"
    dataset = Dataset("", nothing, nothing, 256 if of_tokens else 10, (128,) if of_tokens else (3, 32, 32))
    spec = TrainingSpec.model_validate({"model": model, "dataset": {"name": "synthetic"}})
    assert f"{parameter_count(build(spec, dataset)):,}" in TEXT


def test_the_files_of_cifar10_are_named() -> None:
    assert all(f"`{name}`" in TEXT for name in FILES if name not in FILES[1:4])

"""PyTorch's FSDP gathers blocks and larger layers of a model as units."""

import pytest

from ringscope.contracts.training import TrainingSpec
from ringscope.train import data, models
from ringscope.train.torch_fsdp import units


@pytest.mark.parametrize(
    ("model", "arguments", "count"),
    [("mlp", {"layers": 3}, 4), ("cnn", {}, 3), ("resnet18", {"width": 4}, 10), ("gpt", {"layers": 3}, 3)],
)
def test_blocks_and_larger_layers_are_units(model: str, arguments: dict[str, int], count: int) -> None:
    options = {"model": model, "model_arguments": arguments, "dataset": {"name": "synthetic", "samples": 16}}
    spec = TrainingSpec.model_validate(options)
    module = models.build(spec, data.load(spec))
    found = list(units(module))
    assert len(found) == count
    inside = [id(parameter) for unit in found for parameter in unit.parameters()]
    assert len(set(inside)) == len(inside)
    assert sum(p.numel() for unit in found for p in unit.parameters()) > 0.5 * models.parameter_count(module)

"""Layers of models: in order they are the model, and the specification knows how many there are."""

from typing import Any

import pytest
import torch
from tests.train.models.test_models import SMALL, spec

from ringscope.contracts.training import MODEL_ARGUMENTS, TrainingSpec
from ringscope.contracts.training.pipeline import layer_count
from ringscope.train.data import load
from ringscope.train.models import build, layers_of, loss_sum
from ringscope.train.pipeline.layer_times import layer_times_us, output_shapes
from ringscope.train.replica import autocast


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_the_layers_in_order_are_the_model(model: str) -> None:
    dataset = load(spec(model))
    module = build(spec(model), dataset)
    inputs, _ = dataset.training.batch(torch.arange(3))
    found, layers = inputs, layers_of(module)
    for layer in layers:
        found = layer.run(found)
    assert torch.equal(found, module(inputs))
    assert {id(each) for layer in layers for each in layer.parameters} == {id(each) for each in module.parameters()}
    assert all(layer.parameters for layer in layers)
    assert output_shapes(layers, inputs)[-1] == tuple(found.shape[1:])


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_the_specification_counts_the_layers(model: str) -> None:
    for arguments in (SMALL[model], MODEL_ARGUMENTS[model] | {"layers": 5} if "layers" in SMALL[model] else {}):
        of = spec(model, arguments)
        assert layer_count(model, of.sizes()) == len(layers_of(build(of, load(of))))


def test_every_layer_is_timed_without_changing_a_gradient() -> None:
    of = TrainingSpec.model_validate({"model": "gpt", "dataset": {"name": "synthetic", "samples": 64}})
    dataset = load(of)
    module = build(of, dataset)
    inputs, targets = dataset.training.batch(torch.arange(2))

    def close(outputs: Any) -> Any:
        return loss_sum(outputs, targets)

    layers = layers_of(module)
    times_us = layer_times_us(layers, inputs, close, lambda: autocast(of, torch.device("cpu")))
    assert len(times_us) == len(layers) and min(times_us) > 0
    assert all(parameter.grad is None for parameter in module.parameters())

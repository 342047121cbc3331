"""The job that `kind: training` gives without another word: it learns the digits."""

from typing import Literal

import pytest
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.data import load
from ringscope.train.evaluation import evaluate
from ringscope.train.models import build, loss_sum
from ringscope.train.sampler import Sampler


@pytest.mark.parametrize("model", ["mlp", "cnn"])
def test_the_defaults_reach_97_percent(model: Literal["mlp", "cnn"]) -> None:
    spec = TrainingSpec(model=model)
    data = load(spec)
    network, sampler = build(spec, data), Sampler(len(data.training), spec.global_batch_size, spec.seed)
    optimizer = torch.optim.SGD(network.parameters(), lr=spec.learning_rate, momentum=spec.momentum)
    for epoch in range(spec.epochs):
        for index in range(sampler.steps_per_epoch):
            inputs, targets = data.training.batch(torch.from_numpy(sampler.batch(epoch, index)))
            optimizer.zero_grad()
            (loss_sum(network(inputs), targets) / len(targets)).backward()
            optimizer.step()
    assert evaluate(network, data.validation, 0, 1, lambda sums: None).accuracy >= 0.97

"""One process that trains a whole model: what every division of the work must come to."""

from typing import Any

import torch

from ringscope.contracts.record import Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.train import data, models
from ringscope.train.optimizer import build_optimizer
from ringscope.train.replica import autocast
from ringscope.train.sampler import Sampler

_CPU = torch.device("cpu")


def alone(spec: TrainingSpec) -> tuple[torch.nn.Module, list[float]]:
    """The model and the losses of a plain loop, which shares only data, model and order with ours."""
    dataset = data.load(spec)
    module = models.build(spec, dataset)
    optimizer = build_optimizer(spec, module)
    sampler = Sampler(len(dataset.training), spec.global_batch_size, spec.seed)
    losses = []
    for step in range(spec.max_steps or 0):
        batch = sampler.batch(*divmod(step, sampler.steps_per_epoch))
        inputs, targets = dataset.training.batch(torch.from_numpy(batch))
        with autocast(spec, _CPU):
            outputs = module(inputs)
        loss = models.loss_sum(outputs, targets) / spec.global_batch_size
        module.zero_grad()
        loss.backward()
        if spec.clip_norm:
            torch.nn.utils.clip_grad_norm_(module.parameters(), spec.clip_norm)
        optimizer.step()
        losses.append(loss.item())
    return module, losses


def losses_of(records: list[Any]) -> list[float]:
    """The losses of a rank's steps."""
    return [loss for record in records if isinstance(record, Steps) for loss in record.loss or ()]

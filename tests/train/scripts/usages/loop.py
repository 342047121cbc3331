"""The usual training loop, with something between backward and step."""

import torch
from tests.train.scripts.worlds import Net, World

STEPS = 3


def sgd(model, **options):
    return torch.optim.SGD(model.parameters(), lr=1 / 8, **options)


def each_step(world: World, between, optimizer=sgd):
    """Run the usual loop, with a function of the script between backward and step."""
    model = Net()
    distributed = world.wrap(optimizer(model), model)
    noted = []
    for _ in range(STEPS):
        distributed.zero_grad()
        world.loss(model).backward()
        noted.append(between(model, distributed))
        distributed.step()
    return model, noted

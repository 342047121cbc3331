"""Scripts that run several backward passes before a step, or zero gradients in other ways."""

import torch
from tests.train.scripts.usages.loop import STEPS, sgd
from tests.train.scripts.worlds import Net


def accumulate(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    norms = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        with world.accumulate(optimizer):
            world.loss(model).backward()
            world.loss(model).backward()
        world.loss(model).backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5))
        optimizer.step()
    return model, norms


def accumulate_then_synchronize(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        with world.accumulate(optimizer):
            world.loss(model).backward()
        world.synchronize(optimizer)
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
    return model, None


def several_backwards(world):
    """Accumulation by hand, which knows nothing of accumulate."""
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        for _ in range(3):
            (world.loss(model) / 2).backward()
        optimizer.step()
    return model, None


def retain_graph(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = world.loss(model)
        loss.backward(retain_graph=True)
        loss.backward()
        optimizer.step()
    return model, None


def zero_grad_by_the_model(world):
    model = Net()
    optimizer = world.wrap(sgd(model, momentum=0.5), model)
    for number in range(STEPS):
        model.zero_grad(set_to_none=number % 2 == 0)
        world.loss(model).backward()
        optimizer.step()
    return model, None


def zero_grad_in_place(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        world.loss(model).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    return model, None


def never_zeroed(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        world.loss(model).backward()
        optimizer.step()
    return model, None

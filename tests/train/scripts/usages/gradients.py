"""Scripts that read, change or replace gradients between backward and step."""

import torch
from tests.train.scripts.usages.loop import STEPS, each_step, sgd
from tests.train.scripts.worlds import Net


def plain_loop(world):
    return each_step(world, lambda model, optimizer: None)


def clip_norm(world):
    return each_step(world, lambda model, optimizer: torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5))


def clip_value(world):
    return each_step(world, lambda model, optimizer: torch.nn.utils.clip_grad_value_(model.parameters(), 0.5))


def norms_for_logs(world):
    def norm(model, optimizer):
        return torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None])

    return each_step(world, norm)


def scale_in_place(world):
    def halve(model, optimizer):
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(0.5)

    return each_step(world, halve)


def replace_grad(world):
    def replace(model, optimizer):
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad = parameter.grad.clamp(-1, 1)

    return each_step(world, replace)


def replace_grad_data(world):
    def replace(model, optimizer):
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.data = parameter.grad.data / 2

    return each_step(world, replace)


def grad_by_hand(world):
    """Gradients from autograd.grad, summed by synchronize."""
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    used = [*model.first.parameters(), *model.second.parameters()]
    for _ in range(STEPS):
        for parameter, gradient in zip(used, torch.autograd.grad(world.loss(model), used), strict=True):
            parameter.grad = gradient
        world.synchronize(optimizer)
        torch.nn.utils.clip_grad_value_(used, 1.0)
        optimizer.step()
    return model, None


def horovod_loop(world):
    def between(model, optimizer):
        world.synchronize(optimizer)
        return torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)

    return each_step(world, between)


def grad_scaler(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=1000)
    norms = []
    for number in range(STEPS):
        optimizer.zero_grad()
        loss = world.loss(model)
        if number == 1 and 1 in world.parts:
            loss = loss * float("inf")  # one rank overflows, and all leave the step out
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 1e9))
        scaler.step(optimizer)
        scaler.update()
    return model, [scaler.get_scale(), norms[0], norms[2]]


def autocast(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = world.mean_of(lambda part: model(part).float().sum(), world.inputs())
        loss.backward()
        optimizer.step()
    return model, None

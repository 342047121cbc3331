"""Scripts with schedulers, closures, several optimizers, or optimizers other than SGD."""

import copy
import pickle

import torch
from tests.train.scripts.usages.loop import STEPS, each_step, sgd
from tests.train.scripts.worlds import Net


def scheduler_around(world, before: bool):
    model = Net()
    optimizer = sgd(model)
    if before:
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        optimizer = world.wrap(optimizer, model)
    else:
        optimizer = world.wrap(optimizer, model)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for _ in range(STEPS):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
        scheduler.step()
    return model, scheduler.get_last_lr()


def scheduler(world):
    return scheduler_around(world, before=False)


def scheduler_made_before(world):
    return scheduler_around(world, before=True)


def plateau(world):
    """ReduceLROnPlateau by a loss that is the same on all ranks."""
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5)
    for number in range(STEPS):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
        scheduler.step(float(number))
    return model, optimizer.param_groups[0]["lr"]


def closure(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    losses = []
    for _ in range(STEPS):

        def evaluate():
            optimizer.zero_grad()
            loss = world.loss(model)
            loss.backward()
            return loss

        losses.append(optimizer.step(evaluate).detach())
    return model, losses


def lbfgs(world):
    model = torch.nn.Linear(4, 1)
    with torch.no_grad():
        model.weight.fill_(0.5)
        model.bias.zero_()
    options = {"lr": 0.5, "max_iter": 4, "line_search_fn": "strong_wolfe"}
    optimizer = world.wrap(torch.optim.LBFGS(model.parameters(), **options), model)
    parts = world.inputs()

    def evaluate():
        optimizer.zero_grad()
        loss = world.mean_of(lambda part: (model(part) - part.sum(1, keepdim=True)).square().sum() / 8, parts)
        loss.backward()
        return loss

    first = optimizer.step(evaluate).detach()
    optimizer.step(evaluate)
    return model, [first]


def two_optimizers(world):
    """A GAN: a generator and a discriminator, each with its optimizer."""
    generator, critic = Net(1), torch.nn.Linear(2, 1)
    with torch.no_grad():
        critic.weight.fill_(0.5)
        critic.bias.fill_(1)
    of_generator, of_critic = (world.wrap(sgd(model), model) for model in (generator, critic))
    for _ in range(2):
        parts = world.inputs()
        of_critic.zero_grad()
        world.mean_of(lambda part: critic(generator(part).detach()).sum() / 4, parts).backward()
        torch.nn.utils.clip_grad_value_(critic.parameters(), 2.0)
        of_critic.step()
        of_generator.zero_grad()
        world.mean_of(lambda part: -critic(generator(part)).sum() / 4, parts).backward()  # reaches the critic, too
        of_generator.step()
    return torch.nn.ModuleList([generator, critic]), None


def two_optimizers_of_one_model(world):
    model = Net()
    weights = world.wrap(torch.optim.SGD([model.first.weight, model.second.weight], lr=1 / 8), model)
    biases = world.wrap(torch.optim.SGD([model.first.bias, model.second.bias], lr=1 / 16), model)
    for _ in range(STEPS):
        weights.zero_grad()
        biases.zero_grad()
        world.loss(model).backward()
        weights.step()
        biases.step()
    return model, None


def gradient_penalty(world):
    """A second derivative, by autograd.grad."""
    model = Net()
    optimizer = world.wrap(sgd(model), model)

    def penalized(part):
        part = part.clone().requires_grad_()
        (slope,) = torch.autograd.grad(model(part).sum(), part, create_graph=True)
        return slope.square().sum() / 16

    for _ in range(1):
        optimizer.zero_grad()
        world.mean_of(penalized, world.inputs()).backward()
        optimizer.step()
    return model, None


def adamw(world):
    return each_step(world, lambda model, optimizer: None, lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2))


def fused(world):
    return each_step(
        world, lambda model, optimizer: None, lambda model: torch.optim.Adam(model.parameters(), lr=1e-2, fused=True)
    )


def saved_and_loaded(world):
    """All ranks load what one of them wrote."""
    model = Net()
    optimizer = world.wrap(sgd(model, momentum=0.5), model)

    def step():
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()

    step()
    saved = copy.deepcopy((model.state_dict(), pickle.loads(pickle.dumps(optimizer.state_dict()))))
    step()
    model.load_state_dict(saved[0])
    optimizer.load_state_dict(saved[1])
    step()
    return model, None


def weight_average(world):
    """Each rank keeps its own average of the weights, made of equal parameters."""
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=lambda kept, new, count: kept * 0.5 + new * 0.5)
    for _ in range(STEPS):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
        average.update_parameters(model)
    return average.module, None


def step_hooks(world):
    model, seen = Net(), []
    optimizer = world.wrap(sgd(model), model)

    def halve(optimizer, args, kwargs):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad.mul_(0.5)

    optimizer.register_step_pre_hook(halve)
    optimizer.register_step_post_hook(lambda *_: seen.append(1))
    for _ in range(STEPS):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
    return model, seen

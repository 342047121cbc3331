"""Scripts whose parameters are unused, frozen, added late, tied or computed again."""

import torch
from tests.train.scripts.usages.loop import STEPS, each_step, sgd
from tests.train.scripts.worlds import Net
from torch.utils.checkpoint import checkpoint


def weight_decay_and_unused(world):
    """A parameter that no rank uses gets no gradient, so that decay and momentum leave it alone, as in one process."""
    return each_step(world, lambda model, optimizer: None, lambda model: sgd(model, momentum=0.5, weight_decay=0.5))


def unused_on_one_rank(world):
    """Rank 0 uses one layer more than the others."""
    model = Net()
    optimizer = world.wrap(sgd(model, momentum=0.5), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        losses = []
        for part, inputs in zip(world.parts, world.inputs(), strict=True):
            loss = (model(inputs) * torch.tensor([1.0, -2.0])).sum() / 4
            losses.append(loss + model.unused(inputs[:, :3]).sum() if part == 0 else loss)
        (losses[0] * world.ranks if world.comm else torch.stack(losses).sum()).backward()
        optimizer.step()
    return model, None


def frozen(world):
    model = Net()
    model.first.requires_grad_(False)
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
    return model, None


def unfrozen_later(world):
    model = Net()
    model.first.requires_grad_(False)
    optimizer = world.wrap(sgd(model), model)
    for number in range(STEPS):
        model.first.requires_grad_(number > 0)
        optimizer.zero_grad()
        world.loss(model).backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
    return model, None


def frozen_later(world):
    model = Net()
    optimizer = world.wrap(sgd(model, momentum=0.5), model)
    for number in range(STEPS):
        model.first.requires_grad_(number < 1)
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
    return model, None


def added_later(world):
    model, more = Net(), torch.nn.Linear(2, 2)
    with torch.no_grad():
        more.weight.copy_(torch.eye(2))
        more.bias.zero_()
    optimizer = world.wrap(sgd(model), model)
    for number in range(2):
        if number == 1:
            optimizer.add_param_group({"params": more.parameters(), "lr": 1 / 16})
        optimizer.zero_grad()
        world.loss(torch.nn.Sequential(model, more) if number else model).backward()
        optimizer.step()
    return torch.nn.ModuleList([model, more]), None


def part_of_the_model(world):
    """The optimizer has one layer only, and the norm is taken over all."""
    model = Net()
    optimizer = world.wrap(torch.optim.SGD(model.second.parameters(), lr=1 / 8), model)
    norms = []
    for _ in range(STEPS):
        model.zero_grad()
        world.loss(model).backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5))
        optimizer.step()
    return model, norms


def checkpointed(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        world.loss(lambda part: model.second(checkpoint(model.first, part, use_reentrant=False))).backward()
        optimizer.step()
    return model, None


def checkpointed_reentrant(world):
    model = Net()
    optimizer = world.wrap(sgd(model), model)
    for _ in range(STEPS):
        optimizer.zero_grad()

        def forward(part):
            hidden = torch.relu(model.first(part))
            return model.second(hidden) + checkpoint(model.second, hidden, use_reentrant=True)

        world.loss(forward).backward()
        optimizer.step()
    return model, None


def tied_weights(world):
    model = Net()
    model.first = torch.nn.Linear(4, 4)
    model.second = torch.nn.Linear(4, 2)
    with torch.no_grad():
        for parameter in [*model.first.parameters(), *model.second.parameters()]:
            parameter.fill_(0.25)
    optimizer = world.wrap(sgd(model), model)
    for _ in range(2):
        optimizer.zero_grad()
        world.loss(lambda part: model.second(model.first(model.first(part)))).backward()
        optimizer.step()
    return model, None

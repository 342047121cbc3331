"""What users of PyTorch do between backward and step: replicas stay equal, and are what one process gets.

The table of docs/training.md has a row for each, and a test compares the two.
"""

import copy
import functools
import pickle
from pathlib import Path

import pytest
import torch
from tests.train.scripts.worlds import Net, World, results
from torch.utils.checkpoint import checkpoint

PAGE = Path(__file__).parents[3] / "docs" / "training.md"
STEPS = 3


def sgd(model, **options):
    return torch.optim.SGD(model.parameters(), lr=1 / 8, **options)


def each_step(world: World, between, optimizer=sgd):
    """The usual loop, with something between backward and step."""
    model = Net()
    distributed = world.wrap(optimizer(model), model)
    noted = []
    for _ in range(STEPS):
        distributed.zero_grad()
        world.loss(model).backward()
        noted.append(between(model, distributed))
        distributed.step()
    return model, noted


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


def weight_decay_and_unused(world):
    """What no rank uses gets no gradient, so that decay and momentum leave it alone, as in one process."""
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
    """Of each rank its own, made of parameters that are the same."""
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


# Float32 keeps every sum of the first ones exactly, so that they are equal to one process bit by bit.
EXACT = [
    plain_loop, clip_value, norms_for_logs, scale_in_place, replace_grad, replace_grad_data, grad_by_hand,
    grad_scaler, accumulate_then_synchronize, several_backwards, retain_graph, zero_grad_by_the_model,
    zero_grad_in_place, never_zeroed, weight_decay_and_unused, unused_on_one_rank, frozen, unfrozen_later, frozen_later,
    added_later, scheduler, scheduler_made_before, plateau, closure, two_optimizers, two_optimizers_of_one_model,
    gradient_penalty, checkpointed, checkpointed_reentrant, tied_weights, saved_and_loaded, weight_average, step_hooks,
]  # fmt: skip
CLOSE = [clip_norm, horovod_loop, accumulate, part_of_the_model, adamw, fused, lbfgs, autocast]
AFTER_BACKWARD = {"bucket_bytes": 1 << 20, "overlap": False}


def flat(model):
    return torch.cat([parameter.detach().reshape(-1) for parameter in model.parameters()])


def numbers(noted):
    """All that a program noted, in one tensor."""
    listed = noted if isinstance(noted, list) else [noted]
    return torch.cat([torch.zeros(0), *(torch.as_tensor(one).reshape(-1).float() for one in listed if one is not None)])


@pytest.mark.parametrize("options", [{}, AFTER_BACKWARD], ids=["overlap", "after backward"])
@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("usage", EXACT + CLOSE, ids=lambda usage: usage.__name__)
def test_replicas_are_equal_and_what_one_process_gets(usage, ranks, options):
    if usage is checkpointed_reentrant:
        options = AFTER_BACKWARD
    every, (alone, noted) = results(ranks, usage, **options)
    first, noted_first = flat(every[0][0]), numbers(every[0][1])
    for model, told in every:
        assert torch.equal(flat(model), first)
        assert torch.equal(numbers(told), noted_first)
    is_equal = (
        torch.equal if usage in EXACT else functools.partial(torch.allclose, atol=0.05 if usage is autocast else 1e-5)
    )
    assert is_equal(first, flat(alone))
    assert is_equal(noted_first, numbers(noted))


def test_the_page_has_a_row_for_each():
    rows = PAGE.read_text().partition("<!-- usages -->")[2].partition("<!-- end -->")[0]
    named = [line.split("`")[-2] for line in rows.splitlines() if line.endswith("` |")]
    assert sorted(named) == sorted(usage.__name__ for usage in EXACT + CLOSE)

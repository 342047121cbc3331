"""A usage that would let replicas differ is refused by a sentence, on every rank if all of them can know it."""

import copy
import pickle
from pathlib import Path

import pytest
import torch
from tests.train.scripts.test_differences import DIFFERENT
from tests.train.scripts.worlds import Net, World, made, results, sentence_of, steps, without_unused
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks
from torch.utils.checkpoint import checkpoint

from ringscope.train.scripts.distributed_optimizer import DistributedOptimizer

PAGE = Path(__file__).parents[3] / "docs" / "training.md"


def step_after_accumulate(world):
    model, optimizer = made(world)
    with optimizer.accumulate():
        world.loss(model).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)  # of this rank's own gradients
    with optimizer.skip_synchronize():
        optimizer.step()


def gradients_by_hand(world):
    model, optimizer = made(world)
    used = [*model.first.parameters(), *model.second.parameters()]
    for parameter, gradient in zip(used, torch.autograd.grad(world.loss(model), used), strict=True):
        parameter.grad = gradient
    optimizer.step()


def gradient_of_a_parameter_that_nobody_sums(world):
    model, optimizer = made(world)
    steps(world, model, optimizer)
    late = torch.nn.Parameter(torch.zeros(2))
    optimizer.add_param_group({"params": [late]})
    late.grad = torch.ones(2) * world.rank
    optimizer.step()


def second_derivative_of_grad(world):
    model, _ = made(world)
    world.loss(model).square().backward(create_graph=True)


def changed_by_a_late_hook(world):
    model, _ = made(world, without_unused())

    def clamp(parameter):
        parameter.grad.clamp_(-1, 1)

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(clamp)
    world.loss(model).backward()


def step_inside_of_backward(world):
    model, optimizer = made(world)
    model.first.weight.register_post_accumulate_grad_hook(lambda parameter: optimizer.step())
    world.loss(model).backward()


def sparse(world):
    model = torch.nn.Embedding(5, 2, sparse=True)
    made(world, model)
    model(torch.tensor([1, 2])).sum().backward()


def moved(world):
    model, _ = made(world)
    model.double()
    model(torch.ones(2, 4, dtype=torch.float64)).sum().backward()


def wrapped_twice(world):
    model, optimizer = made(world)
    world.wrap(optimizer, model)


def nothing_to_train(world):
    model = Net().requires_grad_(False)
    made(world, model)


def lazy(world):
    made(world, torch.nn.LazyLinear(3))


def no_optimizer(world):
    world.wrap("sgd", Net())


REFUSED = [
    (step_after_accumulate, "only added up on each rank, inside of accumulate"),
    (gradients_by_hand, "gradients that were set by hand differ between rank 1 and rank 0"),
    (gradient_of_a_parameter_that_nobody_sums, "call optimizer.synchronize() after gradients are set by hand"),
    (second_derivative_of_grad, "backward(create_graph=True)"),
    (changed_by_a_late_hook, "A hook changed a gradient inside of backward"),
    (step_inside_of_backward, "step was called from inside of it"),
    (sparse, "make the embedding with sparse=False"),
    (moved, "has moved to another device or type"),
    (wrapped_twice, "wrap an optimizer once"),
    (nothing_to_train, "no parameters to train"),
    (lazy, "call the model once before"),
    (no_optimizer, "str is not a torch.optim.Optimizer"),
]


@pytest.mark.parametrize(("program", "sentence"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_it_is_refused_on_every_rank(program, sentence):
    for told in sentence_of(program):
        assert sentence in told


def test_reentrant_checkpoints_that_come_back_to_a_sum_under_way_are_refused():
    def program(world):
        model, _ = made(world, without_unused())

        def forward(inputs):
            hidden = torch.relu(model.first(inputs))
            return checkpoint(model.second, hidden, use_reentrant=True) + model.second(hidden)

        for _ in range(3):
            world.loss(forward).backward()

    assert all("use_reentrant=False" in told or "came again" in told for told in sentence_of(program, bucket_bytes=16))


def test_an_interrupted_backward_ends_in_a_sentence():
    def interrupted(world, model):
        model, optimizer = made(world, model)
        hook = model.first.weight.register_hook(lambda gradient: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            world.loss(model).backward()
        hook.remove()
        return model, optimizer

    def step(world):
        _, optimizer = interrupted(world, Net())
        optimizer.step()

    def backward(world):
        model, _ = interrupted(world, without_unused())
        world.loss(model).backward()

    assert all("An error interrupted it" in told for told in sentence_of(step))
    assert all("An earlier backward was interrupted by an error" in told for told in sentence_of(backward))


def test_the_optimizer_is_what_it_was_in_all_that_libraries_ask_of_one():
    def program(world):
        model = Net()
        plain = torch.optim.AdamW(model.parameters(), lr=0.25)
        optimizer = world.wrap(plain, model)
        if world.comm is not None:
            assert optimizer is plain
            assert isinstance(optimizer, DistributedOptimizer)
            assert repr(optimizer).startswith("DistributedAdamW (\nParameter Group 0\n")
        assert isinstance(optimizer, torch.optim.AdamW)
        steps(world, model, optimizer)
        state = optimizer.state_dict()
        for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            assert type(other) is torch.optim.AdamW
            assert other.state_dict()["param_groups"] == state["param_groups"]
            assert len(other.state_dict()["state"]) == len(state["state"])
            other.step()
        assert optimizer.defaults["lr"] == optimizer.param_groups[0]["lr"] == 0.25
        optimizer.load_state_dict(state)
        steps(world, model, optimizer)
        return model

    every, alone = results(2, program)
    for model in every:
        assert all(torch.allclose(*both) for both in zip(model.parameters(), alone.parameters(), strict=True))


def test_nothing_is_sent_while_gradients_are_added_up():
    def program(world):
        model, optimizer = made(world)
        before = world.comm.runs
        with optimizer.no_sync():
            world.loss(model).backward()
        added = world.comm.runs - before
        world.loss(model).backward()
        return added, world.comm.runs - before

    every = on_ranks(2, lambda comm: program(World(2, comm, bucket_bytes=1 << 20)), VirtualCommunicator)
    assert every == [(0, 1), (0, 1)]


def test_the_page_has_a_row_for_each():
    rows = PAGE.read_text().partition("<!-- refusals -->")[2].partition("<!-- end -->")[0]
    named = [line.split("`")[-2] for line in rows.splitlines() if line.endswith("` |")]
    assert sorted(named) == sorted(program.__name__ for program, _ in REFUSED + DIFFERENT)

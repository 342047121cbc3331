"""Ranks that differ are named on every rank, whatever made them differ, and ranks that do not are left alone."""

import copy
from fractions import Fraction

import numpy as np
import pytest
import torch
from tests.train.scripts.worlds import Net, World, made, sentence_of, steps, without_unused
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.engine.errors import DifferenceError
from ringscope.train.scripts.notes import plain


def other_parameters(world):
    model, optimizer = made(world)
    steps(world, model, optimizer, 2)
    if world.rank == 2:
        with torch.no_grad():
            model.first.bias[1] += 1
    steps(world, model, optimizer)


def other_gradients(world):
    model, optimizer = made(world)
    optimizer.zero_grad()
    world.loss(model).backward()
    if world.rank == 2:
        model.first.bias.grad.mul_(2)
    optimizer.step()
    steps(world, model, optimizer)


def other_momentum(world):
    """Rank 2 alone has loaded a state."""
    model, optimizer = made(world, momentum=0.5)
    steps(world, model, optimizer)
    if world.rank == 2:
        for state in optimizer.state.values():
            if state.get("momentum_buffer") is not None:
                state["momentum_buffer"].mul_(2)
    steps(world, model, optimizer, 2)


LATE = 20  # steps: neither after it nor after the next one all parameters are compared


def late(world, change, model=None):
    """Rank 2 alone changes something after many steps; what follows shows it at the next step or the one after."""
    model, optimizer = made(world, model, momentum=0.5)
    steps(world, model, optimizer, LATE)
    if world.rank == 2:
        change(model, optimizer)
    steps(world, model, optimizer, 2)


def one_element_late(world):
    def change(model, _):
        with torch.no_grad():
            model.first.weight[1, 1] += 1

    late(world, change)


def data_late(world):
    late(world, lambda model, _: model.first.weight.data.add_(1))


def momentum_late(world):
    def change(model, optimizer):
        optimizer.state[model.first.weight]["momentum_buffer"].add_(1)

    late(world, change)


def frozen_late(world):
    model = Net()
    model.unused.requires_grad_(False)
    late(world, lambda model, _: model.unused.weight.mul_(2), model)


def loaded_late(world):
    late(world, lambda model, _: model.load_state_dict(Net(seed=1).state_dict()))


def other_learning_rate(world):
    model, optimizer = made(world)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5)
    for number in range(3):
        steps(world, model, optimizer)
        scheduler.step(float(number if world.rank == 2 else -number))


def other_number_of_steps(world):
    model, optimizer = made(world)
    for number in range(3):
        optimizer.zero_grad()
        world.loss(model).backward()
        if number != 1 or world.rank != 2:
            optimizer.step()


def other_parameters_unfrozen(world):
    model = Net()
    model.first.requires_grad_(False)
    model, optimizer = made(world, model)
    model.first.requires_grad_(world.rank == 2)
    steps(world, model, optimizer)


DIFFERENT = [
    (other_parameters, "After step 2 the parameters of rank 2 differ from those of rank 0"),
    (other_gradients, "After step 1 the parameters of rank 2 differ from those of rank 0"),
    (other_momentum, "After step 2 the parameters of rank 2 differ from those of rank 0"),
    (one_element_late, f"After step {LATE} the parameters of rank 2 differ from those of rank 0"),
    (data_late, f"After step {LATE} the parameters of rank 2 differ from those of rank 0"),
    (momentum_late, f"After step {LATE + 1} the parameters of rank 2 differ from those of rank 0"),
    (frozen_late, f"After step {LATE} the parameters of rank 2 differ from those of rank 0"),
    (loaded_late, f"After step {LATE} the parameters of rank 2 differ from those of rank 0"),
    (other_learning_rate, "differ between rank 2 and rank 0: lr is 0.0625 and 0.125"),
    (other_number_of_steps, "Rank 2 has made 1 steps of its optimizer and rank 0 2"),
    (other_parameters_unfrozen, "rank 2 trains other parameters than rank 0"),
]


@pytest.mark.parametrize(("program", "sentence"), DIFFERENT, ids=lambda value: getattr(value, "__name__", ""))
def test_ranks_that_differ_are_named_on_every_rank(program, sentence):
    found = sentence_of(program, 3)
    assert all(sentence in told for told in found), found


def test_an_average_that_one_rank_evaluates_and_puts_back_is_no_difference():
    def program(world):
        model, optimizer = made(world)
        for _ in range(12):
            steps(world, model, optimizer)
            if world.rank == 0:
                own = copy.deepcopy(model.state_dict())
                model.load_state_dict(Net(seed=1).state_dict())
                model.load_state_dict(own)
        return [parameter.detach().clone() for parameter in model.parameters()]

    every = on_ranks(2, lambda comm: program(World(2, comm)), VirtualCommunicator)
    assert all(torch.equal(*both) for both in zip(*every, strict=True))


def test_options_that_are_objects_are_the_same_where_they_mean_the_same():
    class Rule:
        """Its text has the address."""

    def program(world):
        model, optimizer = made(world)
        optimizer.defaults |= {"rule": None, "where": None}
        optimizer.param_groups[0] |= {"rule": Rule(), "where": {"b": lambda: 0, "a": {world.rank * 0, "x"}}}
        steps(world, model, optimizer, 2)
        optimizer.param_groups[0]["where"]["a"] = world.rank
        steps(world, model, optimizer)

    for told in sentence_of(program):
        assert "After step 2 the optimizer's options differ between rank 1 and rank 0; give every rank" in told


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.float32(0.5), np.float32(0.25)),
        (torch.tensor([0.5]), torch.tensor([0.25])),
        (Fraction(1, 2), Fraction(1, 4)),
        ({"a": [1, (2, None)]}, {"a": [1, (3, None)]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_options_of_every_kind_count_by_their_value(one, other):
    assert plain(one) == plain(copy.deepcopy(one)) != plain(other)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("overlap", [True, False])
def test_a_rank_that_ends_before_the_others_is_named(groups, overlap):
    def program(world):
        pairs = [made(world, without_unused() if groups == 1 else Net(seed)) for seed in range(groups)]
        for _ in range(3 + world.rank):
            for model, optimizer in pairs:
                steps(world, model, optimizer)
        world.end()

    for told in sentence_of(program, 2, overlap=overlap):
        assert told.startswith(
            "Rank 0 has ended after 3 steps of its optimizer, and rank 1 goes on after 3; give every "
        )


def halved(model):
    model.half()


def loaded(model):
    model.load_state_dict(Net(seed=1).state_dict())


@pytest.mark.parametrize("change", [halved, loaded])
def test_what_one_rank_makes_of_its_model_after_its_last_step_is_no_difference(change, capfd):
    def program(world):
        model, optimizer = made(world)
        steps(world, model, optimizer, LATE)
        if world.rank == 1:
            change(model)
        world.end()

    on_ranks(3, lambda comm: program(World(3, comm)), VirtualCommunicator)
    assert capfd.readouterr().err == (
        "rank 1: this rank changed its parameters after its last step, unlike rank 0, so the models were not compared "
        "at the end.\n"
    )


def test_ranks_that_end_together_are_compared_once_more():
    def program(world):
        model, optimizer = made(world)
        steps(world, model, optimizer, LATE)
        world.end()
        model.second.weight.data[0, 0] += world.rank
        world.end()

    assert all(f"After step {LATE} the parameters of rank 1" in told for told in sentence_of(program))


def test_a_refusal_that_a_script_catches_is_told_again():
    def program(world):
        model, optimizer = made(world)
        steps(world, model, optimizer)
        with torch.no_grad():
            model.first.bias[1] += world.rank
        with pytest.raises(DifferenceError):
            steps(world, model, optimizer)
        optimizer.step()

    assert all("After step 1 the parameters of rank 1" in told for told in sentence_of(program))


def test_parameters_are_compared_on_demand():
    def program(world):
        model, optimizer = made(world)
        steps(world, model, optimizer)
        optimizer.compare_replicas()
        with torch.no_grad():
            model.first.bias[1] += world.rank
        optimizer.compare_replicas()

    assert all("After step 1 the parameters of rank 1" in told for told in sentence_of(program))

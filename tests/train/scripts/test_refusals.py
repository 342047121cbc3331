"""What would let replicas differ is stopped by a sentence, on every rank alike where all of them can know it."""

import copy
import pickle
from pathlib import Path

import pytest
import torch
from tests.train.scripts.worlds import Net, World, results
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks
from torch.utils.checkpoint import checkpoint

from ringscope.engine.errors import DifferenceError, EngineError
from ringscope.train.scripts.distributed_optimizer import DistributedOptimizer

PAGE = Path(__file__).parents[3] / "docs" / "training.md"


def sentence_of(program, ranks=2, **options):
    """What each rank is told."""

    def run(comm):
        with pytest.raises(EngineError) as found:
            program(World(ranks, comm, **options))
        return str(found.value)

    return on_ranks(ranks, run, VirtualCommunicator, seconds=5)


def made(world, model=None, **options):
    model = model or Net()
    return model, world.wrap(torch.optim.SGD(model.parameters(), lr=1 / 8, **options), model)


def without_unused():
    """The bucket of what no forward uses comes first and would let all others wait for backward's end."""
    model = Net()
    del model.unused
    return model


def steps(world, model, optimizer, count=1):
    for _ in range(count):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()


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
    (no_optimizer, "str is no torch.optim.Optimizer"),
]


@pytest.mark.parametrize(("program", "sentence"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_it_is_refused_on_every_rank(program, sentence):
    for told in sentence_of(program):
        assert sentence in told


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

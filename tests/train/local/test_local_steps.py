"""Local SGD on virtual ranks, beside the same written out by hand with PyTorch's own SGD."""

import copy

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.training import TrainingSpec
from ringscope.train.course import Course
from ringscope.train.local.local_steps import LocalSteps

LEARNING_RATE = 0.05
COURSE = Course(clock=0, index=0, steps_per_epoch=10, last=20, checkpoint_every=0)


def module_of(seed: int = 3) -> torch.nn.Module:
    module = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
    generator = torch.Generator().manual_seed(seed)  # PyTorch's own one is shared by all threads
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.5, 0.5, generator=generator)
    return module


def batch_of(step: int, rank: int) -> torch.Tensor:
    return torch.randn(3, 4, generator=torch.Generator().manual_seed(100 * step + rank))


def backward(module: torch.nn.Module, step: int, rank: int) -> None:
    module(batch_of(step, rank)).square().mean().backward()


def trained(comm, steps: int, course: Course = COURSE, weight: float | None = None, **options):
    """Return this rank's parameters after each step, and each step's timing."""
    options = {"strategy": "local_sgd", "all_reduce": "ring", "bucket_bytes": 1024} | options
    spec = TrainingSpec.model_validate(options)
    module = module_of()
    local = LocalSteps(comm, module, spec, 1 / comm.size if weight is None else weight)
    local.start(course)
    optimizer = torch.optim.SGD(module.parameters(), LEARNING_RATE)
    parameters, sums = [], []
    for step in range(steps):
        local.begin()
        with local.part(True):
            backward(module, step, comm.rank)
        found = local.finish()
        optimizer.step()
        sums.append(local.share_update(found))
        parameters.append(torch.cat([each.detach().reshape(-1).clone() for each in module.parameters()]))
    local.close()
    return parameters, sums


def by_hand(ranks: int, steps: int, sync_every: int, weights: list[float], momentum: float, rate: float):
    """Return the parameters after each step of rank 0, from one process that plays all ranks."""
    shared = module_of()
    outer = torch.optim.SGD(shared.parameters(), rate, momentum=momentum, nesterov=momentum > 0)
    modules = [copy.deepcopy(shared) for _ in range(ranks)]
    parameters = []
    for step in range(steps):
        for rank, module in enumerate(modules):
            module.zero_grad()
            backward(module, step, rank)
            torch.optim.SGD(module.parameters(), LEARNING_RATE).step()
        if (step + 1) % sync_every == 0:
            for index, parameter in enumerate(shared.parameters()):
                others = [list(module.parameters())[index].detach() for module in modules]
                parameter.grad = sum(w * (parameter.detach() - other) for w, other in zip(weights, others, strict=True))
            outer.step()
            for module in modules:
                module.load_state_dict(shared.state_dict())
        parameters.append(torch.cat([each.detach().reshape(-1).clone() for each in modules[0].parameters()]))
    return parameters


@pytest.mark.parametrize("overlap", [True, False])
@pytest.mark.parametrize(("momentum", "rate"), [(0.0, 1.0), (0.9, 0.7)])
def test_it_is_local_steps_and_an_outer_step_of_sgd(momentum, rate, overlap):
    options = {"sync_every": 3, "outer_momentum": momentum, "outer_learning_rate": rate, "overlap": overlap}
    weights = [0.5, 0.3, 0.2]
    found = on_ranks(3, lambda comm: trained(comm, 9, weight=weights[comm.rank], **options)[0], VirtualCommunicator)
    expected = by_hand(3, 9, 3, weights, momentum, rate)
    for mine, theirs in zip(found[0], expected, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-6)


def test_ranks_are_bitwise_equal_after_an_average_and_differ_before():
    zero, one = on_ranks(2, lambda comm: trained(comm, 4, sync_every=4)[0], VirtualCommunicator)
    assert [torch.equal(mine, theirs) for mine, theirs in zip(zero, one, strict=True)] == [False, False, False, True]


def test_ranks_also_average_at_the_end_of_an_epoch_and_the_next_round_begins_there():
    course = Course(clock=0, index=0, steps_per_epoch=5, last=10, checkpoint_every=0)
    ((_, sums), _) = on_ranks(2, lambda comm: trained(comm, 10, course, sync_every=3), VirtualCommunicator)
    assert [bool(each.communication_us) for each in sums] == [False, False, True, False, True] * 2
    assert [bool(each.exposed_us) for each in sums] == [bool(each.communication_us) for each in sums]


def test_the_bytes_of_a_step_are_the_mean_of_all_steps():
    ((_, sums), _) = on_ranks(2, lambda comm: trained(comm, 1, sync_every=5), VirtualCommunicator)
    whole = sum(parameter.numel() for parameter in module_of().parameters()) * 4
    assert sums[0].size_bytes == round(whole / 5)

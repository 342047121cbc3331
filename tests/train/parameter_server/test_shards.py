"""Shards: equal parts of all parameters, and a model that is two vectors."""

import copy
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.training import TrainingSpec
from ringscope.train.optimizer import state_names
from ringscope.train.parameter_server.shards import FlatModel, bind, shards


@given(st.integers(1, 10_000), st.integers(1, 16))
def test_shards_are_equal_and_all_of_it(elements: int, servers: int) -> None:
    found = shards(elements, servers)
    sizes = [len(range(elements)[shard]) for shard in found]
    assert [i for shard in found for i in range(elements)[shard]] == list(range(elements))
    assert len(found) == servers and max(sizes) - min(sizes) <= 1


def test_a_flat_model_trains_as_the_model_it_was() -> None:
    torch.manual_seed(0)
    plain = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3))
    flat = FlatModel(torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3)), ())
    flat.module.load_state_dict(plain.state_dict())
    inputs, optimizer = torch.randn(6, 5), torch.optim.SGD(plain.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        flat.gradients.zero_()
        for module in (plain, flat.module):
            module(inputs).square().mean().backward()
        optimizer.step()
        flat.rows[0].sub_(flat.gradients, alpha=0.1)
    torch.testing.assert_close(torch.nn.utils.parameters_to_vector(plain.parameters()), flat.rows[0])
    torch.testing.assert_close(flat.module(inputs), plain(inputs))


@pytest.mark.parametrize(
    "options", [{}, {"momentum": 0.0}, {"optimizer": "adam"}, {"optimizer": "adamw", "weight_decay": 0.1}]
)
def test_an_optimizer_that_keeps_its_state_in_the_rows_is_the_same_optimizer(options: dict[str, Any]) -> None:
    spec = TrainingSpec.model_validate({"learning_rate": 0.01} | options)

    def optimizer(parameters: Any) -> torch.optim.Optimizer:
        if spec.optimizer == "sgd":
            return torch.optim.SGD(parameters, lr=spec.learning_rate, momentum=spec.momentum)
        kind = torch.optim.Adam if spec.optimizer == "adam" else torch.optim.AdamW
        return kind(parameters, lr=spec.learning_rate, weight_decay=spec.weight_decay)

    torch.manual_seed(0)
    plain = torch.nn.Linear(5, 4)
    flat = FlatModel(copy.deepcopy(plain), state_names(spec))
    ours, theirs = optimizer(flat.module.parameters()), optimizer(plain.parameters())
    bind(ours, flat.trained, flat.rows, state_names(spec), 0)
    for step in range(4):
        for module in (plain, flat.module):
            module.zero_grad(set_to_none=False)
            module(torch.full((2, 5), 1.0 + step)).square().sum().backward()
        ours.step()
        theirs.step()
    for name, row in zip(state_names(spec), flat.rows[1:], strict=True):
        wanted = torch.cat([theirs.state[parameter][name].reshape(-1) for parameter in plain.parameters()])
        assert torch.equal(row, wanted) and row.any()
    assert torch.equal(flat.rows[0], torch.nn.utils.parameters_to_vector(plain.parameters()))

"""Horovod's calls on virtual ranks, beside what one process computes."""

from typing import Any

import pytest
import torch
from tests.train.scripts.worlds import Net, whole
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.engine.errors import EngineError
from ringscope.train.scripts.gradients import Gradients
from ringscope.train.scripts.horovod_calls import HorovodCalls

RANKS = 3


def every(program: Any) -> list[Any]:
    return on_ranks(RANKS, lambda comm: program(comm, HorovodCalls(comm)), VirtualCommunicator)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_tensors_are_combined_over_all_ranks(dtype: torch.dtype) -> None:
    def program(comm: Any, calls: HorovodCalls) -> list[list[float]]:
        value = torch.tensor([[1.0, -4.0], [2.0, 0.0]]).to(dtype) * (comm.rank + 1)
        return [calls.allreduce_(value.clone(), op).flatten().tolist() for op in ("sum", "avg", "min", "max")]

    for found in every(program):
        assert found == [[6, -24, 12, 0], [2, -8, 4, 0], [1, -12, 2, 0], [3, -4, 6, 0]]


def test_a_tensor_that_is_not_contiguous_keeps_its_shape() -> None:
    def program(comm: Any, calls: HorovodCalls) -> torch.Tensor:
        return calls.allreduce_(whole((3, 4), comm.rank).t(), "sum")

    expected = sum(whole((3, 4), rank) for rank in range(RANKS)).t()
    assert all(torch.equal(found, expected) for found in every(program))


def test_parameters_and_the_state_of_the_optimizer_become_those_of_the_root() -> None:
    def program(comm: Any, calls: HorovodCalls) -> tuple[Any, Any]:
        model = Net(comm.rank)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5 + comm.rank, momentum=0.5)
        if comm.rank == 1:
            model(whole((3, 4), 1)).sum().backward()
            optimizer.step()
        calls.broadcast_parameters(model.state_dict(), 1)
        calls.broadcast_optimizer_state(optimizer, 1)
        return model.state_dict(), optimizer.state_dict()

    models, optimizers = zip(*every(program), strict=True)
    for model, optimizer in zip(models, optimizers, strict=True):
        assert all(torch.equal(model[name], models[1][name]) for name in models[1])
        assert optimizer["param_groups"][0]["lr"] == 1.5
        assert optimizer["state"].keys() == optimizers[1]["state"].keys() and optimizer["state"]
        for number, state in optimizer["state"].items():
            assert torch.equal(state["momentum_buffer"], optimizers[1]["state"][number]["momentum_buffer"])


def test_the_optimizer_of_named_parameters_equals_one_process() -> None:
    def steps(model: Net, optimizer: torch.optim.Optimizer, ranks: range) -> list[torch.Tensor]:
        for step in range(4):
            optimizer.zero_grad()
            losses = [model(whole((3, 4), 10 * step + rank)).sum() / 4 for rank in ranks]
            (sum(losses) if len(losses) > 1 else losses[0] * RANKS).backward()
            optimizer.step()
        return [one.detach() for one in model.parameters()]

    def program(comm: Any, calls: HorovodCalls) -> list[torch.Tensor]:
        gradients, model = Gradients(comm), Net(comm.rank)
        optimizer = torch.optim.SGD(model.parameters(), lr=1 / 8)
        calls.distribute(gradients, optimizer, model.named_parameters())
        found = steps(model, optimizer, range(comm.rank, comm.rank + 1))
        gradients.end()
        return found

    alone = Net(0)
    expected = steps(alone, torch.optim.SGD(alone.parameters(), lr=1 / 8), range(RANKS))
    for found in every(program):
        assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


def test_what_cannot_be_done_is_said_in_a_sentence() -> None:
    def program(comm: Any, calls: HorovodCalls) -> list[str]:
        model = Net()
        optimizer = torch.optim.SGD(model.parameters(), lr=1)
        said = []
        for call in (
            lambda: calls.broadcast_(torch.zeros(1), 3),
            lambda: calls.allreduce_(torch.zeros(2).to_sparse(), "sum"),
            lambda: calls.distribute(Gradients(comm), optimizer, model.first.named_parameters()),
        ):
            with pytest.raises(EngineError) as refusal:
                call()
            said.append(str(refusal.value))
        return said

    assert every(program)[0] == [
        "root_rank: 3 is not one of 3 ranks; give 0 to 2.",
        "allreduce: a sparse tensor has no sum here; give tensor.to_dense().",
        "named_parameters: 4 of the optimizer's parameters are not among them; give model.named_parameters().",
    ]

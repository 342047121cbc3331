"""The parts of a model: together they are the whole, and its layers say which of them are divided."""

from typing import Any

import pytest
import torch
from tests.train.models.test_models import SMALL, spec
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks
from torch import nn

from ringscope.contracts.training.tensor import DIVIDED, divided_share
from ringscope.train.data import load
from ringscope.train.models import build, pairs_of
from ringscope.train.tensor.activation_sums import ActivationSums
from ringscope.train.tensor.division import Cut, divide


@pytest.mark.parametrize("cut", [Cut(0, 1, 2), Cut(1, 1, 3), Cut(0, 3, 2)], ids=str)
def test_the_parts_of_a_tensor_are_the_whole(cut: Cut) -> None:
    whole = torch.arange(12.0 * 9).view(12, 9)
    again = torch.zeros_like(whole)
    for rank in range(cut.ranks):
        part = cut.part(whole, rank)
        assert part.numel() == whole.numel() // cut.ranks
        cut.put(again, rank, part)
    assert torch.equal(again, whole)


def test_a_rank_has_the_same_heads_in_queries_keys_and_values() -> None:
    whole = torch.arange(12).view(12, 1)  # queries, keys and values of two heads of two numbers
    assert Cut(0, 3, 2).part(whole, 1).flatten().tolist() == [2, 3, 6, 7, 10, 11]


@pytest.mark.parametrize("model", sorted(DIVIDED))
def test_ranks_compute_the_output_of_the_whole_model_and_share_what_is_not_divided(model: str) -> None:
    dataset = load(spec(model))
    whole = build(spec(model), dataset)
    inputs, _ = dataset.training.batch(torch.arange(3))

    def program(comm: Any) -> tuple[torch.Tensor, list[str]]:
        sums = ActivationSums(comm, "ring", 1)
        mine, shares = divide(whole, comm.rank, comm.size, sums)
        assert [name for name, _ in mine.named_parameters()] == [name for name, _ in whole.named_parameters()]
        undivided = {id(share.mine) for share in shares if share.cut is None}
        assert all((share.whole is share.mine) == (share.cut is None) for share in shares)
        names = [name for name, parameter in whole.named_parameters() if id(parameter) in undivided]
        with torch.no_grad():
            return mine(inputs), names

    for output, names in on_ranks(2, program, VirtualCommunicator):
        assert torch.allclose(output, whole(inputs), atol=1e-5)
        firsts, seconds = ({getattr(pair, name) for pair in pairs_of(whole)} for name in ("first", "second"))
        assert not any(name.rpartition(".")[0] in firsts for name in names)
        assert [name for name in names if name.rpartition(".")[0] in seconds] == [
            f"{name}.bias" for name in names_of(whole, seconds)
        ]


def names_of(model: nn.Module, wanted: set[str]) -> list[str]:
    """The names of these modules in the model's order."""
    return [name for name, _ in model.named_modules() if name in wanted]


def test_a_model_whose_layers_are_no_pairs_is_not_divided() -> None:
    with pytest.raises(TypeError, match="ResNet18 does not say what its pairs of linear layers are"):
        pairs_of(build(spec("resnet18"), load(spec("resnet18"))))


@pytest.mark.parametrize(
    ("model", "arguments"),
    [("mlp", {"hidden": 32, "layers": layers}) for layers in (1, 2, 3, 4)] + [("gpt", SMALL["gpt"])],
    ids=str,
)
def test_the_share_of_multiplications_is_that_of_the_divided_layers(model: str, arguments: dict[str, int]) -> None:
    of = spec(model, arguments)
    dataset = load(of)
    module = build(of, dataset)
    divided = {name for pair in pairs_of(module) for name in (pair.first, pair.second)}
    linear = {name: each.weight.numel() for name, each in module.named_modules() if isinstance(each, nn.Linear)}
    part, whole = sum(count for name, count in linear.items() if name in divided), sum(linear.values())
    if model == "gpt":  # scores and values of attention, and the head with the embedding's weights
        width, context = arguments["width"], arguments["context"]
        part += 2 * context * width * arguments["layers"]
        whole = part + dataset.classes * width
    assert divided_share(model, of.sizes(), dataset.shape, dataset.classes) == pytest.approx(part / whole)

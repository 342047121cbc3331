"""Models: shapes, sizes, the same parameters on every rank, and that they learn."""

from typing import Any

import pytest
import torch

from ringscope.contracts.training import MODEL_ARGUMENTS, TrainingSpec
from ringscope.train.data import Dataset, load
from ringscope.train.models import build, loss_sum, parameter_count

SMALL: dict[str, dict[str, int]] = {
    "mlp": {"hidden": 32, "layers": 2},
    "cnn": {"channels": 8, "hidden": 16},
    "resnet18": {"width": 8},
    "gpt": {"layers": 1, "heads": 2, "width": 32, "context": 16},
}
DATA: dict[str, Any] = {"name": "synthetic", "samples": 256}


def spec(model: str, arguments: dict[str, int] | None = None, seed: int = 0, dataset: Any = DATA) -> TrainingSpec:
    return TrainingSpec.model_validate(
        {"model": model, "model_arguments": arguments or SMALL[model], "seed": seed, "dataset": dataset}
    )


def pictures(channels: int, size: int) -> Dataset:
    """The shape alone."""
    nothing: Any = None
    return Dataset("none", nothing, nothing, 10, (channels, size, size))


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_every_model_gives_a_number_for_each_class(model: str) -> None:
    dataset = load(spec(model))
    inputs, targets = dataset.validation.batch(torch.arange(5))
    outputs = build(spec(model), dataset)(inputs)
    assert outputs.shape == (*targets.shape, dataset.classes)
    assert outputs.isfinite().all()


@pytest.mark.parametrize("model", ["mlp", "cnn", "resnet18"])
def test_models_of_pictures_read_digits_too(model: str) -> None:
    of_digits = spec(model, dataset={"name": "digits"})
    dataset = load(of_digits)
    assert build(of_digits, dataset)(dataset.training.batch(torch.arange(3))[0]).shape == (3, 10)


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_the_seed_decides_the_first_parameters(model: str) -> None:
    dataset = load(spec(model))
    state = torch.random.get_rng_state()
    first, again, other = (build(spec(model, seed=seed), dataset).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_parameters_are_as_many_as_the_layers_have() -> None:
    mlp = build(spec("mlp", {"hidden": 256, "layers": 2}), pictures(1, 8))
    assert parameter_count(mlp) == (64 * 256 + 256) + (256 * 256 + 256) + (256 * 10 + 10)
    cnn = build(spec("cnn", {"channels": 64, "hidden": 64}), pictures(3, 32))
    assert parameter_count(cnn) == 924_106  # what Keras says of the lecture's model: 1792 + 921664 + 650
    resnet = build(spec("resnet18", {"width": 64}), pictures(3, 32))
    assert parameter_count(resnet) == 11_173_962  # as with BatchNorm in its form for CIFAR
    gpt = build(spec("gpt", {"layers": 2, "heads": 4, "width": 128, "context": 128}), load(spec("gpt")))
    block = 12 * 128**2 + 13 * 128
    assert parameter_count(gpt) == 256 * 128 + 128 * 128 + 2 * block + 2 * 128  # the head is the tokens' embedding


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_every_model_learns(model: str) -> None:
    job = spec(model)
    dataset = load(job)
    inputs, targets = dataset.training.batch(torch.arange(64))
    network = build(job, dataset)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2 if model == "gpt" else 3e-3)
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        loss = loss_sum(network(inputs), targets) / len(targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]


@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_the_losses_of_parts_are_the_loss_of_the_batch(model: str) -> None:
    """No model mixes the samples of a batch, so unequal parts still give the mean gradient."""
    job = spec(model)
    dataset = load(job)
    network = build(job, dataset)
    inputs, targets = dataset.training.batch(torch.arange(10))
    whole = loss_sum(network(inputs), targets)
    parts = sum(loss_sum(network(inputs[part]), targets[part]) for part in (slice(0, 3), slice(3, 4), slice(4, 10)))
    assert torch.allclose(whole, parts, rtol=1e-5)
    assert not list(network.buffers()), "state that no gradient sums would differ between replicas"


def test_a_loss_is_the_mean_over_a_samples_tokens() -> None:
    outputs, targets = torch.randn(4, 6, 256), torch.randint(256, (4, 6))
    each = torch.nn.functional.cross_entropy(outputs.transpose(1, 2), targets, reduction="none").mean(1)
    assert torch.allclose(loss_sum(outputs, targets), each.sum())
    assert loss_sum(outputs[:0], targets[:0]) == 0


def test_gpt_sees_no_token_before_its_time() -> None:
    job = spec("gpt")
    dataset = load(job)
    network = build(job, dataset)
    tokens = dataset.training.batch(torch.arange(1))[0]
    changed = tokens.clone()
    changed[0, 9] = (changed[0, 9] + 1) % 256
    before, after = network(tokens), network(changed)
    assert torch.allclose(before[0, :9], after[0, :9], atol=1e-6)
    assert not torch.allclose(before[0, 9], after[0, 9], atol=1e-3)

"""Compression: less is sent, what is lost is kept, all ranks end with the same bits, and training still converges."""

import math
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples
from tests.train.virtual_ranks import VirtualRank, on_ranks

from ringscope.contracts.training import TrainingSpec
from ringscope.train.compression import Compressor, Shapes, compression
from ringscope.train.compression.fp16 import Fp16
from ringscope.train.compression.powersgd import PowerSgd
from ringscope.train.compression.top_k import TopK
from ringscope.train.data import load
from ringscope.train.models import build, loss_sum
from ringscope.train.sampler import Sampler

Maker = Callable[[], Compressor]
WAYS: dict[str, Maker] = {"fp16": Fp16, "top_k": lambda: TopK(10.0), "powersgd": lambda: PowerSgd(2, seed=0)}
LOSSY = {name: WAYS[name] for name in ("top_k", "powersgd")}


def gradients(ranks: int, elements: int, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(elements, generator=generator) for _ in range(ranks)]


def reduced(make: Maker, mine: list[torch.Tensor], shapes: Shapes = ()) -> list[tuple[torch.Tensor, int, int]]:
    """Return each rank's sum, the bytes that it reports, and the bytes that it handed over."""

    def program(comm: VirtualRank) -> tuple[torch.Tensor, int, int]:
        gradient = mine[comm.rank].clone()
        told = make().reduce(0, gradient, comm, shapes)
        return gradient, told, comm.sent_bytes

    return on_ranks(len(mine), program)


@pytest.mark.parametrize("elements", [1, 7, 1000, 4097])
@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("way", WAYS)
def test_all_ranks_get_the_same_bits_and_tell_their_bytes(way: str, ranks: int, elements: int) -> None:
    results = reduced(WAYS[way], gradients(ranks, elements))
    for gradient, told, handed_over in results:
        assert torch.equal(gradient, results[0][0]) and gradient.isfinite().all()
        assert told == handed_over
        assert told < 4 * elements or elements <= 7


@pytest.mark.parametrize(
    ("way", "told"), [("fp16", 2 * 10_000 + 4), ("top_k", 8 * 1000), ("powersgd", 4 * (2 * 100 + 2 * 100))]
)
def test_bytes_are_those_of_the_papers(way: str, told: int) -> None:
    assert [found for _, found, _ in reduced(WAYS[way], gradients(2, 10_000))] == [told, told]


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_sent_that_would_be_more_than_the_gradient(way: str) -> None:
    mine = gradients(2, 4)
    (gradient, told, _), _ = reduced(lambda: TopK(60.0) if way == "top_k" else WAYS[way](), mine)
    assert told <= 16
    assert torch.allclose(gradient, mine[0] + mine[1], rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("way", LOSSY)
def test_what_is_lost_is_kept(way: str) -> None:
    """The arrived sums and the residuals that the ranks keep add up to all gradients over all steps."""
    ranks, elements, steps = 3, 900, 6

    def program(comm: VirtualRank) -> tuple[torch.Tensor, torch.Tensor]:
        compressor, arrived = LOSSY[way](), torch.zeros(elements)
        for step in range(steps):
            gradient = gradients(ranks, elements, seed=step)[comm.rank]
            compressor.reduce(0, gradient, comm)
            arrived += gradient
        state = compressor.state_dict()
        return arrived, state.get("0", state.get("residual.0"))

    results = on_ranks(ranks, program)
    given = sum(sum(gradients(ranks, elements, seed=step)) for step in range(steps))
    kept = sum(kept for _, kept in results)
    assert kept.norm() > 1
    assert torch.allclose(results[0][0] + kept, given, atol=1e-4)


@pytest.mark.parametrize("way", LOSSY)
def test_buckets_keep_apart(way: str) -> None:
    def program(comm: VirtualRank) -> list[torch.Tensor]:
        both, alone = LOSSY[way](), LOSSY[way]()
        found = []
        for step in range(3):
            first, second = (gradients(2, size, seed=step)[comm.rank] for size in (500, 700))
            both.reduce(0, first, comm)
            both.reduce(1, second, comm)
            only = gradients(2, 500, seed=step)[comm.rank]
            alone.reduce(0, only, comm)
            found += [first, only]
        return found

    found = on_ranks(2, program)[0]
    assert all(torch.equal(found[i], found[i + 1]) for i in range(0, len(found), 2))


@pytest.mark.parametrize("way", LOSSY)
def test_what_is_kept_can_go_through_a_checkpoint(way: str) -> None:
    def program(comm: VirtualRank) -> list[torch.Tensor]:
        went_on, resumed = LOSSY[way](), LOSSY[way]()
        went_on.reduce(0, gradients(2, 600)[comm.rank], comm)
        resumed.load_state_dict({name: tensor.clone() for name, tensor in went_on.state_dict().items()})
        found = []
        for compressor in (went_on, resumed):
            found.append(gradients(2, 600, seed=1)[comm.rank])
            compressor.reduce(0, found[-1], comm)
        return found

    went_on, resumed = on_ranks(2, program)[0]
    assert torch.equal(went_on, resumed)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("way", WAYS)
def test_a_gradient_that_is_no_number_is_seen_by_all_and_spoils_nothing(way: str, bad: float) -> None:
    def program(comm: VirtualRank) -> tuple[bool, torch.Tensor]:
        compressor = WAYS[way]()
        for step in range(2):
            compressor.reduce(0, gradients(2, 600, seed=step)[comm.rank], comm)
            if step == 0:
                spoiled = gradients(2, 600, seed=9)[comm.rank]
                spoiled[17] = bad if comm.rank == 1 else 0.0
                before = {name: tensor.clone() for name, tensor in compressor.state_dict().items()}
                with np.errstate(all="ignore"):
                    compressor.reduce(0, spoiled, comm)
                after = compressor.state_dict()
                assert before.keys() == after.keys() and all(torch.equal(before[name], after[name]) for name in after)
        last = gradients(2, 600, seed=3)[comm.rank]
        compressor.reduce(0, last, comm)
        return bool(spoiled.isfinite().all()), last

    for is_finite, last in on_ranks(2, program):
        assert not is_finite and last.isfinite().all()


@pytest.mark.parametrize("way", WAYS)
def test_a_gradient_of_zeros_is_no_trap(way: str) -> None:
    def program(comm: VirtualRank) -> torch.Tensor:
        compressor, arrived = WAYS[way](), torch.zeros(900)
        compressor.reduce(0, torch.zeros(900), comm)
        for _ in range(60):
            gradient = torch.ones(900)
            compressor.reduce(0, gradient, comm)
            arrived += gradient
        return arrived

    assert torch.allclose(on_ranks(2, program)[0], torch.full((900,), 120.0), rtol=0.2)


@examples(40)
@given(st.integers(2, 5), st.floats(-130, 127), st.integers(0, 2**16))
def test_float16_never_overflows_nor_vanishes(ranks: int, log2_size: float, seed: int) -> None:
    """Gradients of any size that is a float32, though float16 ends at 65504 and at 6e-8."""
    mine = [gradient.clamp(-1, 1) * 2.0**log2_size / ranks for gradient in gradients(ranks, 64, seed)]
    exact = sum(gradient.double() for gradient in mine)
    largest = max(float(gradient.abs().max()) for gradient in mine)
    found = reduced(Fp16, mine)[0][0]
    assert found.isfinite().all()
    assert (found.double() - exact).abs().max() <= largest * ranks**2 * 2.0**-10 + 1e-44


def test_float16_would_overflow_without_its_scale() -> None:
    mine = [torch.full((8,), 60_000.0)] * 4
    assert torch.allclose(reduced(Fp16, mine)[0][0], torch.full((8,), 240_000.0), rtol=1e-3)


@pytest.mark.parametrize("way", [*WAYS, "none"])
def test_a_convex_problem_is_solved(way: str) -> None:
    """Least squares whose rows lie on three ranks: the distance to the solution falls to a thousandth."""
    generator = torch.Generator().manual_seed(1)
    matrix = torch.randn(3, 120, 80, generator=generator)
    solution = torch.randn(80, generator=generator)

    def program(comm: VirtualRank) -> float:
        compressor = WAYS[way]() if way != "none" else None
        mine, guess = matrix[comm.rank], torch.zeros(80)
        for _ in range(400):
            gradient = mine.T @ (mine @ (guess - solution)) / 360
            if compressor is None:
                comm.all_reduce(gradient.numpy())
            else:
                compressor.reduce(0, gradient, comm)
            guess -= 0.1 * gradient
        return float((guess - solution).norm() / solution.norm())

    assert max(on_ranks(3, program)) < 1e-3


def trained_on_digits(way: str, options: dict[str, Any], epochs: int) -> float:
    """Share of held-out digits told right after training on two ranks, one bucket for all parameters."""
    job = {"compression": way, "model": "mlp", "model_arguments": {"hidden": 64}}
    spec = TrainingSpec.model_validate(job | options)
    data = load(spec)
    sampler = Sampler(len(data.training), spec.global_batch_size, spec.seed)
    first_network = build(spec, data)  # once, since threads share PyTorch's random numbers
    shapes = [tuple(parameter.shape) for parameter in first_network.parameters()]

    def program(comm: VirtualRank) -> tuple[float, torch.Tensor]:
        network, compressor = deepcopy(first_network), compression(spec, comm.size)
        parameters = list(network.parameters())
        optimizer = torch.optim.SGD(parameters, lr=spec.learning_rate, momentum=spec.momentum)
        for epoch in range(epochs):
            for index in range(sampler.steps_per_epoch):
                batch = torch.from_numpy(sampler.part(sampler.batch(epoch, index), [32, 32], comm.rank))
                inputs, targets = data.training.batch(batch)
                optimizer.zero_grad()
                (loss_sum(network(inputs), targets) / 64).backward()
                flat = torch.cat([parameter.grad.view(-1) for parameter in parameters])
                assert compressor is not None
                compressor.reduce(0, flat, comm, shapes)
                parts = flat.split([parameter.numel() for parameter in parameters])
                for parameter, part in zip(parameters, parts, strict=True):
                    parameter.grad.copy_(part.view_as(parameter))
                optimizer.step()
        inputs, targets = data.validation.batch(torch.arange(len(data.validation)))
        with torch.no_grad():
            accuracy = float((network(inputs).argmax(1) == targets).float().mean())
        return accuracy, torch.nn.utils.parameters_to_vector(parameters).detach()

    (accuracy, first), (_, second) = on_ranks(2, program)
    assert torch.equal(first, second)
    return accuracy


@pytest.mark.parametrize(
    ("way", "options"),
    [("fp16", {}), ("top_k", {"top_k_percent": 5.0}), ("powersgd", {"powersgd_rank": 2})],
)
def test_digits_are_learned(way: str, options: dict[str, Any]) -> None:
    assert trained_on_digits(way, options, epochs=6) > 0.93


def test_powersgd_compresses_each_parameter_by_itself_and_sends_vectors_whole() -> None:
    shapes = [(40, 3, 4, 4), (40,), (50, 60), (2, 2)]
    sizes = [math.prod(shape) for shape in shapes]
    mine = gradients(2, sum(sizes))
    low_rank = torch.outer(*gradients(2, 60, seed=5))[:50]
    for gradient in mine:
        gradient.split(sizes)[2].copy_(low_rank.flatten())
    (found, told, _), _ = reduced(lambda: PowerSgd(2, 0), mine, shapes)
    exact = mine[0] + mine[1]
    parts = zip(found.split(sizes), exact.split(sizes), strict=True)
    convolution, *exactly = (torch.allclose(part, wanted, atol=1e-4) for part, wanted in parts)
    assert not convolution and all(exactly)
    assert told == 4 * (2 * (40 + 48) + 40 + 2 * (50 + 60) + 4)


def test_the_job_says_which() -> None:
    of = {
        way: compression(TrainingSpec.model_validate({"compression": way}), 2)
        for way in ("none", "fp16", "top_k", "powersgd")
    }
    assert of["none"] is None
    assert [type(of[way]) for way in ("fp16", "top_k", "powersgd")] == [Fp16, TopK, PowerSgd]
    assert compression(TrainingSpec(compression="top_k"), 1) is None

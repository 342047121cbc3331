"""One step of one replica: precision, clipping, and what a step that overflowed does."""

import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.contracts.training import TrainingSpec
from ringscope.train.optimizer import build_optimizer
from ringscope.train.replica import Replica
from ringscope.train.sums.gradient_sum import norm_of
from ringscope.train.sums.reducer import Reducer


def summed_error(outputs, targets):
    return (outputs.float() - targets).square().sum()


@pytest.fixture
def build():
    reducers = []

    def build(fault="", **changes):
        torch.manual_seed(1)
        module = torch.nn.Linear(3, 2, bias=False)
        spec = TrainingSpec.model_validate({"momentum": 0.0, "learning_rate": 0.5} | changes)
        reducer = Reducer(LonelyCommunicator(), module, "ring", overlap=False)
        reducers.append(reducer)
        optimizer = build_optimizer(spec, module)
        return Replica(spec, module, reducer, optimizer, summed_error, torch.device("cpu"), fault)

    yield build
    for reducer in reducers:
        reducer.close()


def samples(scale=1.0):
    return torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]]) * scale, torch.zeros(2, 2)


def expected_gradient(module, inputs, targets, global_samples):
    copy = torch.nn.Linear(3, 2, bias=False)
    copy.load_state_dict(module.state_dict())
    (summed_error(copy(inputs), targets) / global_samples).backward()
    return copy.weight.grad


def test_the_gradient_is_the_mean_over_the_samples_of_all_ranks(build):
    replica = build()
    inputs, targets = samples()
    before = replica.module.weight.detach().clone()
    gradient = expected_gradient(replica.module, inputs, targets, 5)
    result = replica.step(iter([(inputs[:1], targets[:1]), (inputs[1:], targets[1:])]), 2, 5)
    assert torch.allclose(replica.module.weight, before - 0.5 * gradient)
    assert result.loss_sum == pytest.approx(float(summed_error(inputs @ before.T, targets)))


def test_a_long_gradient_is_cut_to_the_norm_and_a_short_one_stays(build):
    for clip_norm, factor in ((0.25, 0.25), (1e6, None)):
        replica = build(clip_norm=clip_norm)
        inputs, targets = samples()
        before = replica.module.weight.detach().clone()
        gradient = expected_gradient(replica.module, inputs, targets, 2)
        replica.step(iter([(inputs, targets)]), 1, 2)
        if factor is not None:
            gradient = gradient * factor / gradient.norm()
        assert torch.allclose(replica.module.weight, before - 0.5 * gradient, atol=1e-6)


def test_float16_gives_the_gradient_of_float32_within_its_precision(build):
    replica = build(precision="float16")
    replica.scale.value = 256.0
    inputs, targets = samples()
    before = replica.module.weight.detach().clone()
    gradient = expected_gradient(replica.module, inputs, targets, 2)
    replica.step(iter([(inputs, targets)]), 1, 2)
    assert torch.allclose(replica.module.weight, before - 0.5 * gradient, rtol=1e-2, atol=1e-2)
    assert replica.scale.good_steps == 1


def test_a_step_that_overflows_is_left_out_and_halves_the_scale(build):
    replica = build(precision="float16")
    before = replica.module.weight.detach().clone()
    replica.step(iter([samples(6e4)]), 1, 2)
    assert torch.equal(replica.module.weight, before)
    assert (replica.scale.value, replica.scale.good_steps) == (2.0**15, 0)
    replica.step(iter([samples()]), 1, 2)
    assert not torch.equal(replica.module.weight, before)


def test_the_norm_is_over_all_gradients():
    assert float(norm_of([torch.tensor([3.0]), torch.tensor([0.0, 4.0])])) == 5.0


def test_a_slow_rank_computes_everything_twice_and_gets_the_same_result(build):
    weights, passes = [], []
    for fault in ("", "slow"):
        replica = build(fault)
        called = []

        def watch(module, inputs, outputs, called=called):
            called.append("forward")
            outputs.register_hook(lambda _: called.append("backward"))

        replica.module.register_forward_hook(watch)
        replica.step(iter([samples()]), 1, 2)
        weights.append(replica.module.weight.detach().clone())
        passes.append(called)
    assert torch.equal(*weights)
    assert passes == [["forward", "backward"], ["forward", "backward"] * 2]

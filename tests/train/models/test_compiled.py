"""torch.compile of a job's model: the same losses, and one sentence where it cannot work."""

import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.models import compiled
from ringscope.train.optimizer import build_optimizer
from ringscope.train.replica import Replica
from ringscope.train.sums.reducer import Reducer

CPU = torch.device("cpu")


def squared_error(outputs, targets):
    return (outputs - targets).square().sum()


class Small(torch.nn.Module):
    """A model without a length, as most are."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))

    def forward(self, inputs):
        return self.layers(inputs)


def losses(steps=4, **options):
    """The losses of a small model's steps, with one part of another size."""
    torch.manual_seed(0)
    module = Small()
    inputs, targets = torch.randn(12, 6), torch.randn(12, 2)
    spec = TrainingSpec.model_validate({"learning_rate": 0.02} | options)
    reducer = Reducer(LonelyCommunicator(), module, "ring")
    replica = Replica(spec, module, reducer, build_optimizer(spec, module), squared_error, CPU)
    found = []
    for _ in range(steps):
        parts = [(inputs[:5], targets[:5]), (inputs[5:], targets[5:])]
        found.append(replica.step(iter(parts), len(parts), len(inputs)).loss_sum)
    reducer.close()
    return found


@pytest.mark.long  # the compiler takes ten seconds
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # PyTorch's own
def test_the_losses_are_those_of_the_model_as_it_is_up_to_rounding():
    assert losses(compile=True) == pytest.approx(losses(), rel=1e-5)


def test_forward_and_backward_go_through_the_compiled_model(monkeypatch):
    calls = []

    class Compiled:
        def __init__(self, module):
            self.module = module

        def __call__(self, inputs):
            calls.append(len(inputs))
            return self.module(inputs)

        def __len__(self):  # as PyTorch's own
            return len(self.module)

    monkeypatch.setattr(compiled, "_missing", lambda device: None)
    monkeypatch.setattr(torch, "compile", Compiled)
    assert losses(compile=True) == losses()
    assert calls == [5, 7] * 4


def test_a_node_without_a_compiler_refuses_it_in_one_sentence(monkeypatch):
    from torch._inductor import cpp_builder

    def missing():
        raise RuntimeError("No working C++ compiler found")

    monkeypatch.setattr(cpp_builder, "get_cpp_compiler", missing)
    with pytest.raises(EngineError) as found:
        losses(compile=True)
    expected = "compile: there is no C++ compiler on this node, which torch.compile needs; install g++, or leave "
    assert str(found.value) == f"{expected}compile out."


def test_a_model_that_cannot_be_compiled_is_refused_in_one_sentence():
    from torch._dynamo.exc import TorchDynamoException

    sentence = r"^compile: torch.compile cannot compile this model \(bad op\); leave compile out.$"
    with pytest.raises(EngineError, match=sentence), compiled.errors_as_sentences():
        raise TorchDynamoException("bad op.\n\nmore lines")


@pytest.mark.parametrize("strategy", ["pipeline", "tensor", "torch_fsdp", "tf_mirrored"])
def test_a_strategy_that_does_not_call_a_whole_model_refuses_it(strategy):
    with pytest.raises(ValueError, match="does not use it; leave compile out or choose local_sgd or mirrored"):
        TrainingSpec.model_validate({"strategy": strategy, "compile": True})

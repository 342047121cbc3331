"""A script's own model and samples, trained by a strategy on ranks that are threads."""

import threading

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Steps
from ringscope.engine.errors import EngineError
from ringscope.train.fitting import fit, material_of, spec_of

_SEED = threading.Lock()  # PyTorch's generator is shared by all threads
OPTIONS = {"all_reduce": "ring", "epochs": 2, "batch_size": 16, "learning_rate": 0.1, "momentum": 0.0}
LOSS = torch.nn.CrossEntropyLoss()


class Communicator(VirtualCommunicator):
    nodes = ((0, 1),)
    local_size = 2


def model(seed=0):
    with _SEED:
        torch.manual_seed(seed)
        return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))


def samples(count=60):
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, 4, generator=generator)
    return inputs, inputs[:, :3].argmax(dim=1)


def fitted(ranks, strategy="mirrored", data=None, **options):
    """Return each rank's result and its records; each rank builds a model of its own, and rank 0's is used."""
    records = [[] for _ in range(ranks)]

    def program(comm):
        module, given = model(seed=comm.rank), data or samples()
        spec = spec_of(strategy, OPTIONS | options, module, given)
        return fit(comm, spec, material_of(module, given, LOSS), records[comm.rank].append, module)

    return on_ranks(ranks, program, Communicator), records


def parameters(found):
    return torch.cat([parameter.detach().reshape(-1) for parameter in found.model.parameters()])


@pytest.mark.parametrize(("strategy", "options"), [("mirrored", {}), ("local_sgd", {"sync_every": 1})])
def test_two_ranks_learn_what_one_process_learns(strategy, options):
    [alone], _ = fitted(1)
    (first, second), records = fitted(2, strategy, **options)
    assert torch.equal(parameters(first), parameters(second))
    assert torch.allclose(parameters(first), parameters(alone), atol=1e-6)
    assert first.history == second.history
    losses = first.history["training_loss"]
    assert len(losses) == 2 and losses[1] < losses[0]
    assert first.history["validation_accuracy"][1] is not None
    assert all(parameter.grad is None for parameter in first.model.parameters())
    steps = [step for told in records[1] if isinstance(told, Steps) for step in told.start_ns]
    assert len(steps) == 6  # 48 samples are left to train with: 3 steps of 16 in an epoch


def test_a_model_may_be_trained_again():
    module, (inputs, targets) = model(), samples()

    def program(comm):
        spec = spec_of("mirrored", OPTIONS, module, (inputs, targets))
        material = material_of(module, (inputs, targets), LOSS)
        return [fit(comm, spec, material, lambda record: None, module).history["training_loss"] for _ in range(2)]

    [(first, second)] = on_ranks(1, program, Communicator)
    assert second[0] < first[0]


def test_named_models_and_samples_are_trained_too():
    options = {"samples": 64, "max_steps": 2, "batch_size": 16, "all_reduce": "ring"}
    spec = spec_of("mirrored", options, "mlp", "synthetic")
    material = material_of("mlp", "synthetic", None)
    [found] = on_ranks(1, lambda comm: fit(comm, spec, material, lambda record: None), Communicator)
    assert len(found.history["training_loss"]) == 1


class Pairs(torch.utils.data.Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        if index == 7:
            raise KeyError("picture")
        return torch.zeros(4), 1


@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        (3, {}, "data: an int does not fit; pass a map-style or iterable dataset, or a pair of them for training and"),
        ((torch.zeros(5, 4), torch.zeros(4)), {}, "data: there are 5 inputs and 4 targets; give equally many."),
        ((torch.zeros(40, 5), torch.zeros(40).long()), {}, "model: Sequential does not take samples of shape (5,)"),
        (Pairs(), {"batch_size": 8}, "data: reading samples of this script failed: "),
        (
            None,
            {"batch_size": 1},
            "global_batch_size: 1 samples cannot be split over 2 ranks with 1 batches each; raise",
        ),
        (
            None,
            {"strategy": "parameter_server", "servers": 2, "all_reduce": "auto"},
            "servers: 2 of 2 ranks as servers",
        ),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(data, options, sentence):
    strategy = options.get("strategy", "mirrored")
    with pytest.raises(EngineError) as found:
        fitted(2, strategy, data, **{name: value for name, value in options.items() if name != "strategy"})
    assert str(found.value).startswith(sentence), found.value


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"colour": 1}, "colour: there is no such field; remove it or correct its name."),
        ({"epochs": 0}, "epochs: 0 is too small; give 1 or more."),
        ({"servers": 2}, "servers: mirrored does not use it; leave servers out or choose parameter_server or tf_"),
        ({"model": "mlp"}, "model: this is no option; pass model and data to fit, and choose the strategy's class."),
    ],
)
def test_an_option_that_does_not_fit_is_refused_in_one_sentence(options, sentence):
    with pytest.raises(EngineError) as found:
        spec_of("mirrored", options)
    assert str(found.value).startswith(sentence)


def test_a_module_needs_a_loss_and_a_model_must_be_one():
    with pytest.raises(EngineError, match=r"^model: a dict does not fit; pass a torch.nn.Module, or the name of a mod"):
        material_of({}, samples(), None)
    with pytest.raises(EngineError, match="loss: mlp has its own; leave loss out"):
        material_of("mlp", "digits", LOSS)
    module = model()
    material = material_of(module, samples(), None)
    spec = spec_of("mirrored", OPTIONS, module, samples())
    with pytest.raises(EngineError, match=r"^loss: Sequential has no method loss\(outputs, targets\); pass loss, such"):
        material.model(spec, material.dataset(spec))
    with pytest.raises(EngineError, match="tensor divides pairs of linear layers"):
        spec_of("tensor", OPTIONS, module, samples())

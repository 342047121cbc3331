"""Models in files of the user's own: what is refused, in one sentence each, and what trains."""

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Lock
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Epoch
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train import data, models
from ringscope.train.checkpoints import NoCheckpoints
from ringscope.train.evaluation import evaluate
from ringscope.train.optimizer import build_optimizer
from ringscope.train.replica import Replica
from ringscope.train.sums.reducer import Reducer
from ringscope.train.trainer import Trainer

Write = Callable[[str, str], Path]
HEAD = "import torch\nfrom torch import nn\n"
NET = HEAD + "class Net(nn.Linear):\n    def __init__(self): super().__init__(64, 10)\n"
EXAMPLES = Path(__file__).parents[3] / "examples"


def spec(**fields: Any) -> TrainingSpec:
    return TrainingSpec.model_validate({"model": {"file": "net.py"}, "dataset": {"name": "digits"}} | fields)


def built(wanted: TrainingSpec) -> torch.nn.Module:
    return models.build(wanted, data.load(wanted))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, r"training\.model\.file: .* has no net\.py; put it there on every node\."),
        ("import nothing_here", r"file: net\.py cannot be imported: line 1: ModuleNotFoundError: No module named"),
        ("def build(:", r"file: net\.py cannot be imported: line 1: SyntaxError"),
        ("def make(): ...", r"model\.build: net\.py has no function build; define it, or name one of make\."),
        ("build = 3", r"build: build of net\.py is an int; name a function\."),
        ("def build(): return {}", r"build of net\.py returned a dict; return a torch\.nn\.Module with a method loss"),
        ("def build(): pass", r"returned None; return a torch\.nn\.Module"),
        ("def build(x): ...", r"model_arguments: build .* is called with the arguments none, but is defined as \(x\)"),
        ("def build():\n    raise KeyError('x')", r"build: build of net\.py failed: line 2: KeyError: 'x'\.$"),
        (NET + "def build(): return Net()", r"the Net of build of net\.py has no loss; return a torch\.nn\.Module"),
        (NET + "def build(): return Net(), 3", r"the loss of build of net\.py is an int"),
        (NET + "def build(): return nn.ReLU(), nn.MSELoss()", r"the ReLU of build of net\.py has no parameters to tr"),
        (
            NET + "def build(): return Net(), nn.NLLLoss()",
            r"training\.model: Net does not take samples of shape \(1, 8, 8",
        ),
        (
            HEAD
            + "def build():\n    return nn.Sequential(nn.Flatten(), nn.Linear(64, 10)), lambda found, wanted: found",
            r"the loss of Sequential is a Tensor of shape \(2, 10\); return one number",
        ),
        (
            HEAD + "def build():\n    return nn.Sequential(nn.Flatten(), nn.Linear(64, 3)), nn.MSELoss()",
            r"the loss of Sequential failed for two samples: ",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_file_that_does_not_fit_is_refused_in_one_sentence(write: Write, text: str | None, sentence: str) -> None:
    write("other.py" if text is None else "net.py", text or "")
    with pytest.raises(EngineError, match=sentence) as refused:
        built(spec())
    assert "\n" not in str(refused.value)


def test_a_built_model_has_its_arguments_and_its_first_parameters_from_the_seed(write: Write) -> None:
    write(
        "net.py",
        HEAD + "def make(hidden=4):\n    layers = nn.Flatten(), nn.Linear(64, hidden), nn.Linear(hidden, 10)\n"
        "    return nn.Sequential(*layers), nn.CrossEntropyLoss()\n",
    )
    wanted = spec(model={"file": "net.py", "build": "make"}, model_arguments={"hidden": 8})
    first, second = built(wanted), built(wanted)
    assert models.parameter_count(first) == 65 * 8 + 9 * 10
    assert all(map(torch.equal, first.parameters(), second.parameters()))
    assert [layer.name for layer in models.layers_of(first)] == ["1", "2"]
    inputs, targets = data.load(wanted).training.batch(torch.arange(6))
    whole = models.loss_of(first)(first(inputs), targets)
    assert whole.item() == pytest.approx(
        torch.nn.functional.cross_entropy(first(inputs), targets, reduction="sum").item()
    )
    assert models.loss_of(first)(first(inputs[:0]), targets[:0]) == 0


@pytest.mark.parametrize(
    ("method", "accuracy"),
    [("", "found"), ("    def accuracy(self, outputs, targets): return 0.25\n", 0.25), ("    #\n", None)],
)
def test_the_accuracy_is_the_models_or_that_of_classes_or_none(write: Write, method: str, accuracy: Any) -> None:
    loss = (
        "nn.functional.mse_loss(found[:, 0, 0], wanted.float())"
        if accuracy is None
        else ("nn.functional.cross_entropy(found, wanted)")
    )
    shape = ".view(-1, 1, 10)" if accuracy is None else ""
    write(
        "net.py",
        HEAD + "class Net(nn.Linear):\n    def __init__(self): super().__init__(64, 10)\n"
        f"    def forward(self, pictures): return super().forward(pictures.flatten(1)){shape}\n"
        f"    def loss(self, found, wanted): return {loss}\n{method}def build(): return Net()\n",
    )
    module = built(spec())
    split = data.load(spec()).validation
    found = evaluate(module, split, 0, 1, lambda sums: None, 100)
    if accuracy == "found":
        inputs, targets = split.batch(torch.arange(len(split)))
        accuracy = float((module(inputs).argmax(1) == targets).float().mean())
    assert found.accuracy == (None if accuracy is None else pytest.approx(accuracy))


SAYS = "    def forward(self, x): return super().forward(x.flatten(1))\n"
BUILD = "def build(): return Net(), nn.CrossEntropyLoss()\n"


def test_the_layers_of_a_model_are_those_that_it_says(write: Write) -> None:
    write("net.py", NET + SAYS + "    def layers(self): return [nn.Flatten(), nn.Linear(64, 10)]\n" + BUILD)
    assert [len(layer.parameters) for layer in models.layers_of(built(spec()))] == [2]


@pytest.mark.parametrize("attribute", ["", "        self.layers = nn.ModuleList()\n"])
def test_the_layers_of_a_model_that_says_none_are_refused(write: Write, attribute: str) -> None:
    net = NET.replace("(64, 10)\n", f"(64, 10)\n{attribute}").replace(
        "def __init__(self): ", "def __init__(self):\n        "
    )
    write("net.py", net + SAYS + BUILD)
    with pytest.raises(EngineError, match=r"Net does not say what they are; build a torch\.nn\.Sequential, or add"):
        models.layers_of(built(spec()))


def trained(ranks: int, tmp_path: Path, **fields: Any) -> list[tuple[Epoch, dict[str, torch.Tensor]]]:
    """Train the examples' model and data on ranks that are threads; return the last epoch and the model of each."""
    for name in ("my_model.py", "my_data.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    wanted = spec(
        model={"file": "my_model.py", "build": "make"},
        dataset={"file": "my_data.py"} | fields,
        max_steps=10,
        global_batch_size=96,
    )

    # Threads share PyTorch's generator: a rank that loads or draws samples would change what another one builds.
    lock, all_built = Lock(), Barrier(ranks)

    def program(comm: Any) -> tuple[Epoch, dict[str, torch.Tensor]]:
        records: list[Any] = []
        with lock:
            dataset = data.load(wanted)
            module = models.build(wanted, dataset)
        all_built.wait()
        sums = Reducer(comm, module, "ring", 25 << 20, overlap=False)
        replica = Replica(
            wanted, module, sums, build_optimizer(wanted, module), models.loss_of(module), torch.device("cpu")
        )
        Trainer(comm, wanted, dataset, replica, sums, NoCheckpoints(), records.append).run()
        epochs = [record for record in records if isinstance(record, Epoch)]
        return SimpleNamespace(epoch=epochs[-1:] or None), module.state_dict()

    return on_ranks(ranks, program, VirtualCommunicator)


def test_the_examples_train_and_the_running_means_of_all_ranks_are_equal(write: Write, tmp_path: Path) -> None:
    (first, mine), (_, other) = trained(2, tmp_path)
    assert first.epoch[0].validation_accuracy > 0.3  # chance: 0.1
    assert all(torch.equal(mine[name], other[name]) for name in mine) and "features.1.running_mean" in mine

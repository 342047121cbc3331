"""Datasets in files of the user's own: map-style and iterable, read by the rank or by processes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train import data, models

Write = Callable[[str, str], Path]
MAP = """
class Numbers:
    classes = ("even", "odd")
    def __init__(self, count): self.count = count
    def __len__(self): return self.count
    def __getitem__(self, place): return torch.tensor([float(place)]), place % 2
"""
STREAM = """
class Stream:
    def __init__(self, count): self.count = count
    def __iter__(self): return ((torch.tensor([float(place)]), place % 2) for place in range(self.count))
"""


def loaded(**fields: Any) -> data.Dataset:
    return data.load(TrainingSpec.model_validate({"dataset": {"file": "numbers_data.py"} | fields}))


def values(samples: data.Samples, *indices: int) -> list[float]:
    inputs, targets = samples.batch(torch.tensor(indices))
    assert targets.tolist() == [int(value) % 2 for value in inputs[:, 0]]
    return [float(value) for value in inputs[:, 0]]


@pytest.fixture
def numbers(write: Write) -> Callable[[str], None]:
    # pytest imports no file of this name, so a module of an earlier test is another file
    return lambda text: write("numbers_data.py", "import torch\n" + MAP + STREAM + text) and None


def test_a_part_of_one_dataset_is_held_out_by_the_seed(numbers: Callable[[str], None]) -> None:
    numbers("def load(): return Numbers(50)")
    dataset = loaded(validation_percent=20)
    parts = [values(part, *range(len(part))) for part in (dataset.training, dataset.validation)]
    assert [len(part) for part in parts] == [40, 10] and sorted(parts[0] + parts[1]) == list(map(float, range(50)))
    assert (dataset.classes, dataset.shape, dataset.is_ordered) == (2, (1,), False)
    assert dataset.fingerprint() == loaded().fingerprint() != loaded(validation_percent=10).fingerprint()


def test_an_iterable_dataset_is_read_in_its_order_and_again_in_the_next_epoch(numbers: Callable[[str], None]) -> None:
    numbers("def load(): return Stream(40), Numbers(10)")
    dataset = loaded()
    assert dataset.is_ordered and len(dataset.training) == 40 and len(dataset.validation) == 10
    assert values(dataset.training, 2, 3) == [2, 3] and values(dataset.training, 8, 9) == [8, 9]
    assert values(dataset.training, 0, 1) == [0, 1]
    short = loaded(samples=100)
    with pytest.raises(
        EngineError, match=r"samples: the dataset of load .* ends before sample 100 of 100; give as many"
    ):
        values(short.training, 98, 99)


@pytest.mark.parametrize("error", ["TypeError", "NotImplementedError"])
def test_the_samples_of_a_dataset_that_knows_no_length_are_counted(numbers: Callable[[str], None], error: str) -> None:
    """PyTorch's iterable datasets raise the one or the other where they have no length."""
    numbers(
        f"class Endless(Stream):\n    def __len__(self): raise {error}\n\ndef load(): return Endless(7), Numbers(10)"
    )
    assert len(loaded().training) == 7


@pytest.mark.parametrize("kind", ["Numbers", "Stream"])
def test_processes_read_the_same_samples_ahead(numbers: Callable[[str], None], kind: str) -> None:
    numbers(f"def load(): return {kind}(32), Numbers(8)")
    plain, dataset = loaded(), loaded(workers=1, prefetch=2)
    steps = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [4, 5, 6, 7], [12, 13, 14, 15]]  # one is asked for again
    left = iter(steps)
    dataset.training.follow(lambda: map(torch.tensor, left))
    assert [values(dataset.training, *step) for step in steps] == [values(plain.training, *step) for step in steps]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "def load(): return 3",
            r"load of numbers_data\.py returned an int; return a map-style or iterable dataset, or",
        ),
        (
            "def load(): return Stream(9)",
            r"returned one iterable dataset, of which no part can be held out; return a pai",
        ),
        ("def load(): return Numbers(9), 3", r"returned a pair with an int; return a map-style or iterable"),
        (
            "def load(): return torch.utils.data.DataLoader(Numbers(9), 3)",
            r"returned a DataLoader; return a map-style or iterable dataset",
        ),
        ("def load(): return Numbers(1)", r"has 1 samples; give at least 2"),
        (
            "def load(): return [1.0, 2.0, 3.0]",
            r"a batch of the samples of load .* is a Tensor; a sample must be a pair",
        ),
        ("def load(): return [{'x': 1}, {'x': 2}]", r"is a dict; a sample must be a pair \(input, target\)"),
        ("def load(): return Numbers(None)", r"returned a Numbers; return a map-style"),
        (
            "class Bad(Numbers):\n    def __len__(self): return 1 // 0\n\ndef load(): return Bad(9)",
            r"load: the length of what load of numbers_data\.py returned cannot be told: line \d+: ZeroDivisionError",
        ),
        (
            "class Bad(Stream):\n    def __len__(self): return -1\n\ndef load(): return Bad(9), Numbers(9)",
            r"cannot be told: ValueError: __len__\(\) should return >= 0",
        ),
        (
            "class Bad:\n    def __iter__(self): return open('none')\n\ndef load(): return Bad(), Numbers(9)",
            r"reading samples of load of numbers_data\.py failed: line \d+: FileNotFoundError",
        ),
        (
            "def load(path): return Numbers(9)",
            r"path: load .* is called with the arguments none, but is defined as \(pat",
        ),
        (
            "class Bad(Numbers):\n    def __getitem__(self, place): return {}['x']\n\ndef load(): return Bad(9)",
            r"load: reading samples of load of numbers_data\.py failed: line \d+: KeyError: 'x'\.",
        ),
    ],
)
def test_what_is_no_dataset_is_refused_in_one_sentence(
    numbers: Callable[[str], None], text: str, sentence: str
) -> None:
    numbers(text)
    with pytest.raises(EngineError, match=sentence) as refused:
        loaded()
    assert "\n" not in str(refused.value)


def test_the_error_of_a_process_is_one_sentence(numbers: Callable[[str], None]) -> None:
    numbers(
        "class Bad(Numbers):\n"
        "    def __getitem__(self, place): return super().__getitem__(place if place < 9 else 1/0)\n"
        "def load(): return Bad(20), Numbers(8)\n"
    )
    training = loaded(workers=1).training
    training.follow(lambda: iter([torch.tensor([8]), torch.tensor([9])]))
    assert values(training, 8) == [8]
    with pytest.raises(EngineError, match=r"reading samples of load .* failed: ZeroDivisionError: division by zero\.$"):
        values(training, 9)


def test_a_named_model_needs_the_number_of_classes(numbers: Callable[[str], None]) -> None:
    numbers("def load(path): return [(torch.zeros(1), 1)] * int(path)\n")
    with pytest.raises(EngineError, match=r"mlp needs the number of classes; give the dataset an attribute classes"):
        models.build(TrainingSpec(), loaded(path="30"))

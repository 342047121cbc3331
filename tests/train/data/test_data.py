"""Datasets: what is in them, what is held out, and what is said where files are missing or broken."""

import os
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.train import cifar10_files

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.data import Dataset, load
from ringscope.train.data.cifar10 import FILES


def training(
    model: str = "mlp", seed: int = 0, arguments: dict[str, int] | None = None, **dataset: Any
) -> TrainingSpec:
    return TrainingSpec.model_validate(
        {"model": model, "seed": seed, "dataset": dataset, "model_arguments": arguments or {}}
    )


def of_text(folder: Path, context: int = 8, percent: int = 20) -> TrainingSpec:
    return training("gpt", arguments={"context": context}, name="text", path=str(folder), validation_percent=percent)


def everything(dataset: Dataset) -> tuple[torch.Tensor, torch.Tensor]:
    return dataset.training.batch(torch.arange(len(dataset.training)))


def test_digits_are_real_and_each_class_is_held_out_in_part() -> None:
    dataset = load(training(name="digits"))
    assert (len(dataset.training), len(dataset.validation)) == (1437, 360)
    assert (dataset.classes, dataset.shape) == (10, (1, 8, 8))
    for split, whole in ((dataset.training, 1437), (dataset.validation, 360)):
        shares = np.bincount(split.targets.numpy(), minlength=10) / whole
        assert shares.min() > 0.09 and shares.max() < 0.11
    pictures = torch.cat([dataset.training.inputs, dataset.validation.inputs])
    assert pictures.max() == 16 and len(pictures.unique(dim=0)) == 1797


def test_pictures_are_float32_with_mean_0_and_deviation_1() -> None:
    inputs, targets = everything(load(training(name="digits")))
    assert (inputs.dtype, targets.dtype, inputs.shape[1:]) == (torch.float32, torch.int64, (1, 8, 8))
    assert abs(inputs.mean()) < 1e-5 and abs(inputs.std() - 1) < 1e-4


def test_a_batch_is_the_samples_that_were_asked_for() -> None:
    split = load(training(name="digits")).training
    inputs, targets = split.batch(torch.tensor([5, 3]))
    alone, target = split.batch(torch.tensor([3]))
    assert torch.equal(inputs[1:], alone) and targets[1] == target


@pytest.mark.parametrize("percent", [1, 50, 90])
def test_as_much_is_held_out_as_the_job_says(percent: int) -> None:
    for spec in (
        training(name="digits", validation_percent=percent),
        training(name="synthetic", samples=1000, validation_percent=percent),
    ):
        dataset = load(spec)
        whole = len(dataset.training) + len(dataset.validation)
        assert len(dataset.validation) == pytest.approx(whole * percent / 100, abs=1)


@pytest.mark.parametrize(
    "of",
    [{"name": "digits"}, {"name": "synthetic", "samples": 500}, {"model": "gpt", "name": "synthetic", "samples": 64}],
)
def test_the_same_seed_gives_the_same_samples(of: dict[str, Any]) -> None:
    first, again, other = (load(training(**of, seed=seed)) for seed in (1, 1, 2))
    assert first.fingerprint() == again.fingerprint() != other.fingerprint()
    assert torch.equal(everything(first)[0], everything(again)[0])


def test_synthetic_pictures_have_the_shape_of_cifar10() -> None:
    dataset = load(training(name="synthetic", samples=500))
    assert (dataset.shape, dataset.classes) == ((3, 32, 32), 10)
    assert (len(dataset.training), len(dataset.validation)) == (400, 100)
    assert set(dataset.training.targets.tolist()) == set(range(10))


def test_synthetic_tokens_follow_a_rule_nine_times_of_ten() -> None:
    dataset = load(training("gpt", arguments={"context": 32}, name="synthetic", samples=800))
    inputs, targets = everything(dataset)
    assert inputs.shape == targets.shape == (640, 32) and inputs.dtype == targets.dtype == torch.int64
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    rule = {}
    for before in range(256):
        rule[before] = int(targets[inputs == before].mode().values)
    told = torch.tensor([rule[int(token)] for token in inputs.flatten()])
    assert (told == targets.flatten()).float().mean() == pytest.approx(0.9, abs=0.02)
    assert sorted(rule.values()) == list(range(256))


def test_text_is_every_byte_in_windows_with_the_tail_held_out(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_bytes(content[500:700])
    (tmp_path / "a.txt").write_bytes(content[:500])
    (tmp_path / "sub" / "a.txt").write_bytes(content[700:])
    dataset = load(of_text(tmp_path, context=100))
    assert (dataset.shape, dataset.classes) == ((100,), 256)
    for split, part in ((dataset.training, content[:1024]), (dataset.validation, content[1024:])):
        inputs, targets = split.batch(torch.arange(len(split)))
        assert len(split) == (len(part) - 1) // 100
        assert bytes(inputs.flatten().tolist()) == part[: len(split) * 100]
        assert bytes(targets.flatten().tolist()) == part[1 : len(split) * 100 + 1]


def test_text_that_is_missing_or_too_short_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"training\.dataset\.path: .*/nowhere is not a folder"):
        load(of_text(tmp_path / "nowhere"))
    with pytest.raises(EngineError, match=r"training\.dataset\.path: there is no file in .*; put text files there"):
        load(of_text(tmp_path))
    (tmp_path / "a").write_bytes(b"12345678")
    with pytest.raises(EngineError, match="have 8 bytes, too few for a context of 8 with 20 % held out") as found:
        load(of_text(tmp_path))
    enough = int(re.search(r"give about (\d+)", str(found.value))[1])
    (tmp_path / "a").write_bytes(b"x" * enough)
    assert len(load(of_text(tmp_path)).validation) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_text_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    (tmp_path / "a").chmod(0)
    with pytest.raises(EngineError, match=r"cannot read .*/a: Permission denied"):
        load(of_text(tmp_path))


@pytest.fixture
def cifar10(tmp_path: Path) -> Path:
    cifar10_files.write(tmp_path)
    return tmp_path


def of_cifar10(folder: Path) -> TrainingSpec:
    return training("cnn", name="cifar10", path=str(folder))


def test_cifar10_is_read_as_python_2_wrote_it(cifar10: Path) -> None:
    dataset = load(of_cifar10(cifar10))
    assert (dataset.classes, dataset.shape) == (10, (3, 32, 32))
    assert (len(dataset.training), len(dataset.validation)) == (100, 20)
    first = pickle.loads((cifar10 / "data_batch_1").read_bytes(), encoding="bytes")
    third = pickle.loads((cifar10 / "data_batch_3").read_bytes(), encoding="bytes")
    assert b"numpy.core.multiarray" in (cifar10 / "data_batch_1").read_bytes()
    assert torch.equal(dataset.training.inputs[0].flatten(), torch.from_numpy(first[b"data"][0]))
    assert torch.equal(dataset.training.inputs[47].flatten(), torch.from_numpy(third[b"data"][7]))
    assert dataset.training.targets[47] == 7
    inputs, _ = everything(dataset)
    assert abs(inputs.mean()) < 1e-5 and abs(inputs.std() - 1) < 1e-4


def test_keys_may_be_strings(cifar10: Path) -> None:
    before = load(of_cifar10(cifar10)).fingerprint()
    for name in FILES:
        content = pickle.loads((cifar10 / name).read_bytes(), encoding="bytes")
        (cifar10 / name).write_bytes(cifar10_files.pickled({key.decode(): value for key, value in content.items()}))
    assert load(of_cifar10(cifar10)).fingerprint() == before


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_cifar10_is_read_as_python_3_pickles_it_again(cifar10: Path, protocol: int) -> None:
    before = load(of_cifar10(cifar10)).fingerprint()
    for name in FILES:
        content = pickle.loads((cifar10 / name).read_bytes(), encoding="bytes")
        if "data" in name or "test" in name:
            content[b"labels"] = [np.int64(label) for label in content[b"labels"]]
            content[b"data"] = np.asfortranarray(content[b"data"])
            content[b"batch_label"] = b""
        (cifar10 / name).write_bytes(pickle.dumps(content, protocol))
    assert load(of_cifar10(cifar10)).fingerprint() == before


def test_files_that_are_missing_are_named(cifar10: Path) -> None:
    (cifar10 / "data_batch_4").unlink()
    (cifar10 / "batches.meta").unlink()
    with pytest.raises(EngineError, match=rf"path: data_batch_4, batches\.meta not found in {cifar10}; unpack"):
        load(of_cifar10(cifar10))


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch evil",)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (pickle.dumps(Evil()), "it names posix.system, which never occurs in these files"),
        (b"c_codecs\nencode\n(Vabc\nVrot13\ntR.", "it encodes text as 'rot13', which never occurs in these files"),
        (b"", "Ran out of input"),
        (b"no pickle at all", "invalid load key"),
        (cifar10_files.pickled([1, 2]), "has no attribute 'items'"),
        (cifar10_files.pickled({b"labels": [1]}), "it has no data"),
        (cifar10_files.pickled({b"labels": [1], b"data": np.zeros((1, 30), np.uint8)}), "instead of uint8 of shape"),
        (cifar10_files.pickled({b"labels": [1], b"data": np.zeros((2, 3072), np.uint8)}), "2 pictures have labels"),
        (cifar10_files.pickled({b"labels": [-1], b"data": np.zeros((1, 3072), np.uint8)}), "must be numbers from 0"),
        (cifar10_files.pickled({b"labels": [10], b"data": np.zeros((1, 3072), np.uint8)}), "it has label 10"),
    ],
)
def test_a_file_that_is_something_else_is_refused(
    cifar10: Path, content: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cifar10)
    (cifar10 / "data_batch_2").write_bytes(content)
    with pytest.raises(EngineError, match=rf"data_batch_2 is not a file of CIFAR-10's .*{re.escape(why)}.*; unpack"):
        load(of_cifar10(cifar10))
    assert not (cifar10 / "evil").exists()

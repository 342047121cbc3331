"""Timed runs of a search evaluate few held-out samples, and runs to the target all of them."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ringscope.contracts.training import DatasetSpec, TrainingSpec
from ringscope.train import data
from ringscope.train.evaluation import evaluate
from ringscope.train.search import job

SPEC = TrainingSpec(dataset=DatasetSpec(name="synthetic", samples=100, validation_percent=30))
RANKS = 4


def dataset_of(monkeypatch: pytest.MonkeyPatch, spec: TrainingSpec) -> data.Dataset:
    """Train once as a search does, with an assembly that only loads the samples."""
    found: list[data.Dataset] = []

    def assemble(comm: Any, spec: TrainingSpec, emit: Any, *, material: Any, learned: Any) -> Any:
        found.append(material.dataset(spec))
        return SimpleNamespace(run=lambda: None, close=lambda: None)

    monkeypatch.setattr(job, "assemble", assemble)
    comm: Any = SimpleNamespace(size=RANKS)
    equality: Any = SimpleNamespace(note=lambda trained: None)
    job.train_once(comm, spec, lambda record: None, equality)
    return found[0]


def test_a_timed_run_evaluates_one_sample_a_rank_and_a_run_to_the_target_all(monkeypatch: pytest.MonkeyPatch) -> None:
    timed = dataset_of(monkeypatch, SPEC.model_copy(update={"max_steps": 15}))
    to_target = dataset_of(monkeypatch, SPEC)
    assert (len(timed.validation), len(to_target.validation)) == (RANKS, 30)
    assert len(timed.training) == len(to_target.training) == 70
    assert timed.fingerprint() == to_target.fingerprint()  # ranks that read different files are still found


def test_each_rank_evaluates_its_own_of_the_few(monkeypatch: pytest.MonkeyPatch) -> None:
    few = dataset_of(monkeypatch, SPEC.model_copy(update={"max_steps": 15})).validation
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(10))
    model(few.batch(torch.arange(1))[0])
    counts: list[float] = []
    for rank in range(RANKS):
        evaluate(model, few, rank, RANKS, lambda sums: counts.append(sums[1]))
    assert counts == [1] * RANKS


def test_fewer_held_out_samples_than_ranks_are_all_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = DatasetSpec(name="synthetic", samples=16, validation_percent=20)
    timed = dataset_of(monkeypatch, SPEC.model_copy(update={"max_steps": 15, "dataset": dataset}))
    assert len(timed.validation) == 3

"""Pipelines of virtual ranks beside one process that trains the whole model."""

from pathlib import Path
from typing import Any

import pytest
import torch
from tests.train.pipeline.virtual_pipeline import PipelineCommunicator, assembled, spec_of, trained
from tests.train.single_process import alone, losses_of
from tests.train.virtual_ranks import on_ranks

from ringscope.contracts.record import Steps
from ringscope.contracts.training.record import Diverged, Epoch, PipelineStep
from ringscope.engine.errors import DivergedError

MLP: dict[str, Any] = {"model": "mlp", "model_arguments": {"hidden": 12, "layers": 4}}
GPT: dict[str, Any] = {"model": "gpt", "model_arguments": {"layers": 2, "heads": 2, "width": 16, "context": 8}}
RESNET: dict[str, Any] = {"model": "resnet18", "model_arguments": {"width": 4}}


@pytest.mark.parametrize(
    ("ranks", "options"),
    [
        (2, MLP),
        (2, MLP | {"schedule": "gpipe", "optimizer": "adam", "learning_rate": 1e-3}),
        (2, MLP | {"schedule": "interleaved", "clip_norm": 0.1}),
        (3, MLP | {"stages": 3, "micro_batches": 5, "clip_norm": 0.1}),
        (4, MLP | {"micro_batches": 3}),
        (4, GPT | {"schedule": "interleaved", "micro_batches": 2, "clip_norm": 0.5}),
        (4, GPT | {"stages": 4, "optimizer": "adamw", "learning_rate": 1e-3}),
        (2, RESNET),
        (3, {"model": "cnn", "stages": 3, "model_arguments": {"channels": 4, "hidden": 8}}),
    ],
    ids=lambda value: value if isinstance(value, int) else " ".join(map(str, value.values())),
)
def test_its_losses_and_parameters_are_those_of_one_process_to_rounding(ranks: int, options: dict[str, Any]) -> None:
    spec = spec_of(**options)
    module, losses = alone(spec)
    found = trained(ranks, spec)
    last = [losses_of(records) for rank, (_, records) in enumerate(found) if rank % spec.stages == spec.stages - 1]
    means = [sum(each) / len(last) for each in zip(*last, strict=True)]
    assert means == pytest.approx(losses, rel=1e-5)
    for staged, _ in found:
        for mine, theirs in zip(staged.parameters(), module.parameters(), strict=True):
            assert torch.allclose(mine, theirs, rtol=1e-4, atol=2e-6)


def test_only_the_last_stages_count_samples_and_each_sample_once() -> None:
    spec = spec_of(**MLP, micro_batches=3, epochs=1, max_steps=None)
    found = trained(4, spec)
    steps = [[record for record in records if isinstance(record, Steps)] for _, records in found]
    assert [sum(sum(each.samples or ()) for each in records) for records in steps] == [0, 60, 0, 60]
    assert steps[0][0].loss == steps[1][0].loss != steps[2][0].loss == steps[3][0].loss
    (epoch,) = (record for record in found[0][1] if isinstance(record, Epoch))
    assert epoch.samples == 120 and epoch.step == 5
    assert epoch.training_loss == pytest.approx(sum(alone(spec.model_copy(update={"max_steps": 5}))[1]) / 5, rel=1e-5)


def test_a_step_tells_what_each_stage_did() -> None:
    spec = spec_of(**MLP, micro_batches=6)
    found = trained(2, spec)
    steps = [next(record for record in records if isinstance(record, PipelineStep)) for _, records in found]
    assert [(each.stage, each.replica, each.peak_activations) for each in steps] == [(0, 0, 2), (1, 0, 1)]
    for each in steps:
        assert [each.kind.count(kind) for kind in ("forward", "backward", "send", "wait")] == [6, 6, 6, 6]
        assert each.start_us == sorted(each.start_us)
        assert all(end >= start for start, end in zip(each.start_us, each.end_us, strict=True))


@pytest.mark.parametrize("schedule", ["gpipe", "1f1b", "interleaved"])
def test_the_activations_that_a_stage_keeps_are_bounded_by_its_schedule(schedule: str) -> None:
    spec = spec_of(**MLP, micro_batches=8, schedule=schedule)
    peaks = [
        next(record.peak_activations for record in records if isinstance(record, PipelineStep))
        for _, records in trained(2, spec)
    ]
    assert peaks == {"gpipe": [8, 8], "1f1b": [2, 1], "interleaved": [5, 3]}[schedule]


def test_bfloat16_trains_as_one_process_does() -> None:
    spec = spec_of(**GPT, precision="bfloat16", micro_batches=2)
    staged = losses_of(trained(2, spec)[1][1])
    assert staged == pytest.approx(alone(spec)[1], rel=1e-2)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_a_checkpoint_goes_on_with_another_number_of_stages(optimizer: str, tmp_path: Path) -> None:
    options = GPT | {"optimizer": optimizer, "learning_rate": 1e-3, "micro_batches": 2}
    trained(2, spec_of(**options, max_steps=3), tmp_path)
    (tmp_path / "0").rename(tmp_path / "2")  # the newest copy is on one node only
    found = trained(3, spec_of(**options, stages=3), tmp_path)
    module, losses = alone(spec_of(**options))
    assert losses_of(found[2][1]) == pytest.approx(losses[3:], rel=1e-5)
    for mine, theirs in zip(found[0][0].parameters(), module.parameters(), strict=True):
        assert torch.allclose(mine, theirs, rtol=1e-4, atol=2e-6)


def test_a_gradient_that_is_not_finite_stops_every_stage_and_names_layer_and_rank() -> None:
    def program(comm: Any) -> tuple[str, list[Any]]:
        records: list[Any] = []
        trainer = assembled(comm, spec_of(**MLP), records.append)
        with torch.no_grad():
            list(trainer.module.parameters())[-2].fill_(float("inf"))  # of the last layer
        with pytest.raises(DivergedError) as stopped:
            trainer.run()
        return str(stopped.value), records

    found = on_ranks(2, program, PipelineCommunicator)
    assert all("of rank 1 was" in sentence and "layer 9 was the first" in sentence for sentence, _ in found)
    told = [[record for record in records if isinstance(record, Diverged)] for _, records in found]
    assert not told[0] and told[1][0].layer == "9" and told[1][0].rank == 1

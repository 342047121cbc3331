"""The size that a specification states equals that of the real model and dataset."""

from typing import Any

import pytest
from tests.train.models.test_models import SMALL

from ringscope.contracts.training import MODEL_ARGUMENTS, TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.train.data import load
from ringscope.train.models import build, parameter_count

DIGITS: dict[str, Any] = {"name": "digits", "validation_percent": 33}
SYNTHETIC: dict[str, Any] = {"name": "synthetic", "samples": 300, "validation_percent": 7}


def of(model: str, arguments: dict[str, int], dataset: dict[str, Any], **more: Any) -> TrainingSpec:
    return TrainingSpec.model_validate({"model": model, "model_arguments": arguments, "dataset": dataset} | more)


@pytest.mark.parametrize("dataset", [DIGITS, SYNTHETIC], ids=lambda dataset: dataset["name"])
@pytest.mark.parametrize("model", MODEL_ARGUMENTS)
def test_parameters_and_steps_are_counted_as_they_are(model: str, dataset: dict[str, Any]) -> None:
    if (model, dataset["name"]) == ("gpt", "digits"):
        pytest.skip("gpt reads no pictures")
    for arguments in (SMALL[model], {}):
        spec = of(model, arguments, dataset, global_batch_size=10)
        real = load(spec)
        assert training_size.parameter_count(spec) == parameter_count(build(spec, real))
        assert training_size.steps_per_epoch(spec) == len(real.training) // 10


def test_steps_end_at_the_limit_and_a_text_is_as_long_as_its_files() -> None:
    assert training_size.steps_total(of("mlp", {}, {"name": "digits"}, epochs=2)) == 2 * (1437 // 64)
    assert training_size.steps_total(of("mlp", {}, {"name": "digits"}, epochs=2, max_steps=30)) == 30
    by_label = {"strategy": "local_sgd", "split": "by_label"}
    assert training_size.steps_total(of("mlp", {}, {"name": "digits"}, **by_label)) is None
    text = {"name": "text", "path": "/data"}
    assert training_size.steps_total(of("gpt", {}, text)) is None
    assert training_size.steps_total(of("gpt", {}, text, max_steps=7)) == 7

"""Specification of a job that searches the fastest strategy for a model on its ranks. Pure."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.training import DatasetSpec, Optimizer, TrainingSpec
from ringscope.contracts.training.fields import Model, Precision

ALL = "all"
# Fields of training that every candidate has in common, beside the model and the dataset.
COMMON = (
    "model",
    "model_arguments",
    "dataset",
    "global_batch_size",
    "optimizer",
    "learning_rate",
    "momentum",
    "precision",
    "seed",
)


class StrategySearchSpec(SpecModel):
    """A search of the strategy that trains a model fastest on the job's ranks, by short runs in turns."""

    model: Model = "mlp"
    model_arguments: dict[str, int] = Field(default_factory=dict, description="Sizes of the model, as in training.")
    dataset: DatasetSpec = DatasetSpec()
    strategies: list[Annotated[str, Field(min_length=1, max_length=64)]] = Field(
        [ALL], min_length=1, max_length=64, description="Candidates, or strategies with all of their candidates; all."
    )
    target_accuracy: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Accuracy on the held-out samples to which the candidates that are left train at last, in the "
        "second half of the budget; null: only their speed is compared.",
    )
    budget_seconds: int = Field(300, ge=1, le=7 * 86_400, description="How long the search may take.")
    global_batch_size: int = Field(64, ge=1, le=1 << 20, description="Samples in a step, over all ranks.")
    optimizer: Optimizer = "sgd"
    learning_rate: float = Field(0.05, gt=0, le=100)
    momentum: float = Field(0.9, ge=0, lt=1, description="Momentum of sgd.")
    precision: Precision = "float32"
    seed: int = Field(0, ge=0, lt=1 << 32, description="Seed of the first parameters and of the order of samples.")

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = self.strategies
        if len(names) > len(set(names)):
            twice = next(name for name in names if names.count(name) > 1)
            raise at(("strategies",), f"{twice} is listed twice; name it once.", names)
        return self

    @model_validator(mode="after")
    def _model_and_dataset_can_be_trained(self) -> Self:
        """The errors are those of a training job with the same fields; their places are the same, too."""
        self.training()
        return self

    @model_validator(mode="after")
    def _accuracy_can_be_seen(self) -> Self:
        if self.target_accuracy is not None and not self.dataset.validation_percent:
            sentence = "no samples are held out to measure it; set dataset.validation_percent, or leave it out."
            raise at(("target_accuracy",), sentence, self.target_accuracy)
        return self

    @property
    def own_files(self) -> dict[str, str]:
        """Return the user's own Python files that it reads, by the dotted path of their field in the job."""
        files = self.training().own_files
        return {field.replace("training.", "strategy_search.", 1): file for field, file in files.items()}

    def training(self, **options: Any) -> TrainingSpec:
        """Return the training of a candidate with these options; ValidationError if they do not suit the model."""
        common = self.model_dump(include=set(COMMON))
        return TrainingSpec.model_validate({"strategy": "torch_ddp"} | common | options)

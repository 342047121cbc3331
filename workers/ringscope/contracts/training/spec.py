"""Specification of a training job: a model, a dataset, and how the ranks share the work of each step. Pure."""

from typing import Self

from pydantic import model_validator

from ringscope.contracts.spec_model import at
from ringscope.contracts.training import combinations
from ringscope.contracts.training.dataset import LABELS, SEQUENCES
from ringscope.contracts.training.fields import MAX_MODEL_ARGUMENT, MODEL_ARGUMENTS, TrainingFields
from ringscope.contracts.training.own import OwnModel
from ringscope.contracts.training.strategies import (
    LOCAL_SGD,
    MIRRORED,
    PARAMETER_SERVERS,
    PIPELINE,
    SHARDED,
    TENSOR,
    WITHOUT_CHECKPOINTS,
)
from ringscope.contracts.training.tensor import undivided


class TrainingSpec(TrainingFields):
    """Data-parallel training: every replica of the model processes its part of every global batch.

    A replica is one rank, with pipeline one rank for each stage, and with tensor all ranks.
    """

    @property
    def uses_all_reduce(self) -> bool:
        """Return whether our engine makes all-reduces, or their halves: in each step, or now and then."""
        return self.strategy in MIRRORED | LOCAL_SGD | SHARDED | TENSOR

    @property
    def keeps_checkpoints(self) -> bool:
        """Return whether another job can resume where this one stopped."""
        return self.strategy not in WITHOUT_CHECKPOINTS

    def summing_ranks(self, ranks: int) -> int:
        """Return the number of ranks over which each sum of a step goes."""
        return ranks // self.stages if self.strategy in PIPELINE else ranks

    @property
    def parts(self) -> int:
        """Return the number of parts of a replica's batch whose gradients are accumulated."""
        return self.micro_batches if self.strategy in PIPELINE else self.accumulation_steps

    def sizes(self) -> dict[str, int]:
        """Return the model's arguments, with its defaults for missing ones; an own model has defaults of its own."""
        return ({} if isinstance(self.model, OwnModel) else MODEL_ARGUMENTS[self.model]) | self.model_arguments

    @property
    def own_files(self) -> dict[str, str]:
        """Return the user's own Python files that it reads, by the dotted path of their field in the job."""
        files = {"training.dataset.file": self.dataset.file or ""}
        if isinstance(self.model, OwnModel):
            files = {"training.model.file": self.model.file} | files
        return {field: file for field, file in files.items() if file}

    @property
    def context(self) -> int:
        """Return the number of tokens of a sample of a text."""
        return self.sizes().get("context", MODEL_ARGUMENTS["gpt"]["context"])

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        if self.strategy == "tpu":
            raise at(
                ("strategy",),
                "no node of Ringscope has a TPU; choose mirrored or multi_worker_mirrored.",
                self.strategy,
            )
        return self

    @model_validator(mode="after")
    def _model_takes_the_arguments(self) -> Self:
        known = None if isinstance(self.model, OwnModel) else MODEL_ARGUMENTS[self.model]
        for name, value in self.model_arguments.items():
            if known is not None and name not in known:
                raise at(("model_arguments", name), f"{self.model} has no {name}; it takes {', '.join(known)}.", value)
            if not 1 <= value <= MAX_MODEL_ARGUMENT:
                raise at(("model_arguments", name), f"give 1 to {MAX_MODEL_ARGUMENT}.", value)
        sizes = self.sizes()
        if self.model == "gpt" and sizes["width"] % sizes["heads"]:
            raise at(
                ("model_arguments", "heads"),
                f"a width of {sizes['width']} cannot be split into {sizes['heads']} heads; choose a divisor of width.",
                sizes["heads"],
            )
        return self

    @model_validator(mode="after")
    def _model_reads_the_dataset(self) -> Self:
        if isinstance(self.model, OwnModel) or self.dataset.name == "own":
            return self
        if (self.model == "gpt") != (self.dataset.name in SEQUENCES) and self.dataset.name != "synthetic":
            other = "text or synthetic" if self.model == "gpt" else "digits, cifar10 or synthetic"
            raise at(
                ("dataset", "name"), f"{self.model} cannot read {self.dataset.name}; choose {other}.", self.dataset.name
            )
        return self

    @model_validator(mode="after")
    def _options_belong_to_the_strategy(self) -> Self:
        combinations.check(self)
        return self

    def check_ranks(self, ranks: int) -> tuple[str, str] | None:
        """Return the field that does not fit this number of ranks, and why; None if all fit."""
        workers = ranks - (self.servers if self.strategy in PARAMETER_SERVERS else 0)
        if self.strategy == "tf_parameter_server":
            workers -= 1  # rank 0 hands out the work
            if workers < 1:
                return (
                    "servers",
                    f"{self.servers} of {ranks} ranks as servers, and one that hands out the work, leave no worker; "
                    "lower servers or raise ranks.",
                )
        if workers < 1:
            return (
                "servers",
                f"{self.servers} of {ranks} ranks as servers leave no worker; lower servers or raise ranks.",
            )
        if self.split == "by_label" and ranks > LABELS:
            return "split", f"{self.dataset.name} has {LABELS} labels for {ranks} ranks; choose shared or fewer ranks."
        if self.strategy in PIPELINE and ranks % self.stages:
            return "stages", f"{ranks} ranks are no multiple of {self.stages} stages; change one of them."
        if self.strategy in TENSOR and (found := undivided(str(self.model), self.sizes(), ranks)):
            name, size = found
            return (
                "model_arguments",
                f"{name} is {size}, which {ranks} ranks cannot divide equally; choose a multiple of the ranks, or "
                "other ranks.",
            )
        replicas = 1 if self.strategy in TENSOR else self.summing_ranks(workers)
        if self.global_batch_size < replicas * self.parts:
            if self.strategy in TENSOR:
                return (
                    "global_batch_size",
                    f"{self.global_batch_size} samples cannot be split into {self.parts} batches; raise it.",
                )
            what = "replicas" if self.strategy in PIPELINE else "ranks"
            return (
                "global_batch_size",
                f"{self.global_batch_size} samples cannot be split over {replicas} {what} with "
                f"{self.parts} batches each; raise it.",
            )
        return None

"""Specification of a job's samples. Pure."""

from typing import Literal, Self

from pydantic import Field, model_validator

from ringscope.contracts.spec_model import SpecModel, at

DatasetName = Literal["digits", "cifar10", "text", "synthetic"]
SEQUENCES = frozenset({"text"})  # datasets of tokens; the others are pictures
LABELS = 10  # every dataset of pictures has as many


class DatasetSpec(SpecModel):
    """Source of the samples. Nothing is downloaded."""

    name: DatasetName = "digits"
    path: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="Folder on every node: for cifar10 the unpacked python version, for text the files.",
    )
    samples: int | None = Field(
        None, ge=16, le=1 << 24, description="Number of samples that synthetic generates; null: 8192."
    )
    validation_percent: int = Field(
        20,
        ge=1,
        le=90,
        description="Part of the samples that is held out, for datasets without a test set of their own.",
    )

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if self.name in ("cifar10", "text") and self.path is None:
            raise at(("path",), f"{self.name} is read from a folder on every node; name it.", None)
        if self.name in ("digits", "synthetic") and self.path is not None:
            raise at(("path",), f"{self.name} is not read from a folder; leave path out.", self.path)
        if self.name != "synthetic" and self.samples is not None:
            raise at(("samples",), f"{self.name} has a fixed number of samples; leave samples out.", self.samples)
        return self

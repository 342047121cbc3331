"""Specification of a job's samples. Pure."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.training.own import FunctionName, OwnFile

DatasetName = Literal["digits", "cifar10", "text", "synthetic", "own"]
SEQUENCES = frozenset({"text"})  # datasets of tokens; the others are pictures
LABELS = 10  # every dataset of pictures has as many


class DatasetSpec(SpecModel):
    """Source of the samples. Nothing is downloaded."""

    name: DatasetName = "digits"
    file: OwnFile | None = Field(None, description="Python file of an own dataset, below the agents' scripts folder.")
    load: FunctionName = Field(
        "load",
        description="Function in the file that returns the dataset, or a pair for training and validation; path is its "
        "argument, if there is one.",
    )
    workers: int = Field(
        0, ge=0, le=64, description="Processes of each rank that read an own dataset; 0: the rank reads it itself."
    )
    prefetch: int = Field(2, ge=1, le=64, description="Batches that each of these processes reads ahead.")
    path: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="Folder on every node: for cifar10 the unpacked python version, for text the files.",
    )
    samples: int | None = Field(
        None,
        ge=16,
        le=1 << 24,
        description="Number of samples that synthetic generates, null: 8192; or samples of an epoch of an own iterable "
        "dataset, null: they are counted.",
    )
    validation_percent: int = Field(
        20,
        ge=1,
        le=90,
        description="Part of the samples that is held out, for datasets without a test set of their own.",
    )

    @model_validator(mode="before")
    @classmethod
    def _a_file_is_an_own_dataset(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("file") is not None and "name" not in data:
            return {"name": "own"} | data
        return data

    @property
    def label(self) -> str:
        """Return the name of the dataset, or its file and function."""
        return self.name if self.file is None else f"{self.file}:{self.load}"

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if self.name == "own" and self.file is None:
            raise at(("file",), "own is read by a function in a Python file; name the file.", None)
        if self.name != "own":
            self._refuse_what_only_an_own_one_has()
        if self.name in ("cifar10", "text") and self.path is None:
            raise at(("path",), f"{self.name} is read from a folder on every node; name it.", None)
        if self.name in ("digits", "synthetic") and self.path is not None:
            raise at(("path",), f"{self.name} is not read from a folder; leave path out.", self.path)
        if self.name not in ("synthetic", "own") and self.samples is not None:
            raise at(("samples",), f"{self.name} has a fixed number of samples; leave samples out.", self.samples)
        return self

    def _refuse_what_only_an_own_one_has(self) -> None:
        for name in ("file", "load", "workers", "prefetch"):
            if (value := getattr(self, name)) != type(self).model_fields[name].default:
                raise at((name,), f"{self.name} is not read by a Python file; leave {name} out.", value)

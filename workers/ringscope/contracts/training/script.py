"""Specification of a job that runs a script. Pure."""

from typing import Self

from pydantic import Field, model_validator

from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.words.devices import Device


class ScriptSpec(SpecModel):
    """A Python file of the node's own, run by every rank."""

    file: str = Field(
        min_length=1, max_length=4096, description="Path below the folder given to the agents with --scripts."
    )
    arguments: tuple[str, ...] = Field((), max_length=1000)
    device: Device = "auto"

    @model_validator(mode="after")
    def _stays_below(self) -> Self:
        parts = self.file.split("/")
        if self.file.startswith("/") or ".." in parts or not self.file.endswith(".py"):
            raise at(
                ("file",), "name a .py file by its path below the agents' folder of scripts, without `..`.", self.file
            )
        return self

"""Specification of a job that runs a script. Pure."""

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from ringscope.contracts.columns import is_null
from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.training.own import OwnFile
from ringscope.contracts.words.devices import Device


def _stays_below(folder: str) -> str:
    if folder.startswith("/") or ".." in folder.split("/"):
        raise ValueError("name a folder by its path below the agents' folder of scripts, without `..`.")
    return folder


OwnFolder = Annotated[str, Field(min_length=1, max_length=4096), AfterValidator(_stays_below)]


class ScriptSpec(SpecModel):
    """A Python file of the node's own, run by every rank."""

    file: OwnFile
    arguments: tuple[str, ...] = Field((), max_length=1000)
    as_module: bool = Field(
        False,
        exclude_if=lambda value: not value,
        description="Run it as `python -m` does: pkg/train.py is the module pkg.train, and pkg/__main__.py is pkg. Its "
        "imports begin in the folder given to the agents with --scripts.",
    )
    folder: OwnFolder | None = Field(
        None,
        exclude_if=is_null,
        description="The working folder of the ranks, below the folder given to the agents with --scripts. null: the "
        "folder of the file, and of a module that whole folder.",
    )
    device: Device = "auto"
    no_watch: bool = Field(
        False,
        exclude_if=lambda value: not value,
        description="Report no steps and collectives for the script. false: the steps of a script that uses PyTorch "
        "and does not report them itself are seen from outside.",
    )

    @property
    def module(self) -> str:
        """Return the dotted name of the file as a module."""
        return self.file.removesuffix(".py").removesuffix("/__main__").replace("/", ".")

    @property
    def command(self) -> str:
        """Return how Python would run it, without its arguments."""
        return f"-m {self.module}" if self.as_module else self.file

    @model_validator(mode="after")
    def _is_importable(self) -> "ScriptSpec":
        if self.as_module and not all(part.isidentifier() for part in self.module.split(".")):
            sentence = f"{self.file} is no module, because {self.module} is no dotted name; leave as_module out."
            raise at(("file",), sentence, self.file)
        return self

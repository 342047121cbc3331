"""Specification of a model in a file of the user's own, and how the path of such a file is checked. Pure."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ringscope.contracts.spec_model import SpecModel


def _stays_below(file: str) -> str:
    if file.startswith("/") or ".." in file.split("/") or not file.endswith(".py"):
        raise ValueError("name a .py file by its path below the agents' folder of scripts, without `..`.")
    return file


def _is_a_name(name: str) -> str:
    if not name.isidentifier():
        raise ValueError(f"{name} is not the name of a function; name one that the file defines.")
    return name


# A Python file on every node, below the folder that the agents were given with --scripts.
OwnFile = Annotated[
    str,
    Field(min_length=1, max_length=4096, description="Path below the folder given to the agents with --scripts."),
    AfterValidator(_stays_below),
]
FunctionName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_is_a_name)]


class OwnModel(SpecModel):
    """A model that a function in a Python file of the node's own builds."""

    file: OwnFile
    build: FunctionName = Field(
        "build",
        description="Function that returns the torch.nn.Module, which has a method loss, or the module and its loss; "
        "it is called with model_arguments.",
    )

    def __str__(self) -> str:
        return f"{self.file}:{self.build}"

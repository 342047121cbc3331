"""Specification of a job that runs a script. Pure."""

from pydantic import Field

from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.training.own import OwnFile
from ringscope.contracts.words.devices import Device


class ScriptSpec(SpecModel):
    """A Python file of the node's own, run by every rank."""

    file: OwnFile
    arguments: tuple[str, ...] = Field((), max_length=1000)
    device: Device = "auto"

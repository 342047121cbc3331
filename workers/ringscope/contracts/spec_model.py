"""What all specifications have in common: how they are parsed, and how a finding gets its place. Pure."""

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError


class SpecModel(BaseModel):
    """Base of every specification: frozen, and an unknown field is an error instead of a silent default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def at(location: tuple[str | int, ...], sentence: str, value: object) -> Exception:
    """An error of a whole model that belongs to one of its fields (pydantic has no direct way to say so)."""
    error = PydanticCustomError("field_sentence", "{sentence}", {"sentence": sentence})
    return ValidationError.from_exception_data("spec", [InitErrorDetails(type=error, loc=location, input=value)])

"""Base of all specifications: how they are parsed, and how a finding gets the path of its field. Pure."""

from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic_core import InitErrorDetails, PydanticCustomError


class SpecModel(BaseModel):
    """Base of every specification: frozen, and an unknown field is an error instead of a silent default.

    Numbers and booleans must have that type in JSON: by default pydantic accepts true and "2" as numbers, and "yes" and
    1 as true.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_of_its_own_type(cls, value: Any, info: ValidationInfo) -> Any:
        fault = _fault_of_others(cls, info.field_name or "")
        is_wrong = isinstance(value, (str, int, float) if fault == "bool_type" else (str, bool))
        if fault and is_wrong and not (fault == "bool_type" and isinstance(value, bool)):
            raise PydanticCustomError(fault, "this value is of another type")
        return value


@cache
def _fault_of_others(model: type[BaseModel], field: str) -> Literal["", "int_type", "float_type", "bool_type"]:
    """Return how pydantic names a value of another type; empty where more than one kind of JSON value is right."""
    annotation = model.model_fields[field].annotation
    types = {*(get_args(annotation) if isinstance(annotation, UnionType) else (annotation,))} - {NoneType}
    if types == {bool}:
        return "bool_type"
    if types == {int}:
        return "int_type"
    return "float_type" if types and types <= {int, float} else ""


def at(location: tuple[str | int, ...], sentence: str, value: object) -> Exception:
    """An error of a whole model that belongs to one of its fields (pydantic has no direct way to say so)."""
    error = PydanticCustomError("field_sentence", "{sentence}", {"sentence": sentence})
    return ValidationError.from_exception_data("spec", [InitErrorDetails(type=error, loc=location, input=value)])

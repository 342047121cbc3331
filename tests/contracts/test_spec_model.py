"""A value of the wrong type is refused in one sentence, whatever the field, and never converted."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from ringscope.contracts.findings import field_errors
from ringscope.contracts.job import JobSpec

# What a job must say for a part of it to be looked at.
PARTS: dict[str, dict[str, Any]] = {
    "benchmark": {"transport": "simulated", "topology": {"shape": "2"}},
    "training": {},
    "script": {"file": "train.py"},
    "imported": {"tool": "nccl-tests", "file": "run.log", "sha256": "0", "line": 1, "rows": 1},
}
OTHERS: dict[type, tuple[Any, ...]] = {
    int: (True, "2", 2.5, [], {}),
    float: (True, "2", [], {}),
    bool: (1, "yes", [], {}),
    str: (True, 2, [], {}),
}


def scalars(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield every field of a model, and of its models, that takes a scalar, with values of wrong types."""
    for name, field in model.model_fields.items():
        several = isinstance(field.annotation, UnionType)
        types = {*(get_args(field.annotation) if several else (field.annotation,))} - {NoneType}
        inner = [each for each in types if isinstance(each, type) and issubclass(each, BaseModel)]
        if inner:
            yield from scalars(inner[0], (*path, name))
        elif types <= set(OTHERS):
            taken = float if float in types else min(types, key=list(OTHERS).index)
            yield (*path, name), [value for value in OTHERS[taken] if type(value) not in types]


FIELDS = dict(scalars(JobSpec))


def job_with(path: tuple[str, ...], value: object) -> dict[str, Any]:
    kind = path[0] if path[0] in PARTS else "benchmark"
    body: dict[str, Any] = {"kind": kind, kind: dict(PARTS[kind])}
    place = body
    for part in path[:-1]:
        place[part] = dict(place.get(part, {}))
        place = place[part]
    place[path[-1]] = value
    return body


@pytest.mark.parametrize("path", FIELDS, ids=".".join)
def test_a_value_of_another_type_is_one_sentence_that_names_the_field(path: tuple[str, ...]) -> None:
    for value in FIELDS[path]:
        with pytest.raises(ValidationError) as refused:
            JobSpec.model_validate(job_with(path, value))
        [found] = field_errors(refused.value)
        assert found.pointer == "/" + "/".join(path)
        assert found.detail.startswith(f"{'.'.join(path)}: give "), found.detail


def test_many_fields_were_tried() -> None:
    assert len(FIELDS) > 60
    assert {("placement", "ranks"), ("benchmark", "check"), ("benchmark", "topology", "shape")} <= set(FIELDS)


def test_json_has_one_kind_of_number() -> None:
    assert JobSpec.model_validate({"placement": {"ranks": 4.0}}).ranks == 4

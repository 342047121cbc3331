"""The tables of docs/training.md, from ringscope.contracts.training: `python scripts/training_page.py` puts them there.

``<!-- table NAME -->`` … ``<!-- end -->``; what stands outside of them is written by hand.
"""

import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.training import DatasetSpec, TrainingSpec

PAGE = Path(__file__).parents[1] / "docs" / "training.md"
TABLES: dict[str, type[SpecModel]] = {"training": TrainingSpec, "dataset": DatasetSpec}
_MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_BOUNDS = ((Ge, "ge", "from"), (Gt, "gt", "above"), (Le, "le", "to"), (Lt, "lt", "below"))


def fill() -> None:
    """Write the tables as they are now."""
    PAGE.write_text(filled(PAGE.read_text()))


def filled(page: str) -> str:
    """The page with its tables; KeyError for a marker without a table."""
    return _MARKED.sub(lambda found: f"{found[1]}{table(TABLES[found[2]])}\n{found[3]}", page)


def table(spec: type[SpecModel]) -> str:
    """Return one line for each field."""
    lines = ["| field | default | takes | |", "|---|---|---|---|"]
    return "\n".join([*lines, *(_line(name, field) for name, field in spec.model_fields.items())])


def _line(name: str, field: FieldInfo) -> str:
    default = _default(field.get_default(call_default_factory=True))
    return f"| `{name}` | {default} | {_takes(field)} | {field.description or ''} |"


def _default(value: Any) -> str:
    if isinstance(value, SpecModel):
        return "as below"
    if value is None:
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != {} else "the model's"


def _takes(field: FieldInfo) -> str:
    """The names that a field takes, or the bounds of its number."""
    for kind in (field.annotation, *get_args(field.annotation)):
        if get_origin(kind) is Literal:
            return " ".join(f"`{name}`" for name in get_args(kind))
    return " ".join(
        f"{word} {getattr(found, attribute)}"
        for kind, attribute, word in _BOUNDS
        for found in field.metadata
        if isinstance(found, kind)
    )


if __name__ == "__main__":
    fill()

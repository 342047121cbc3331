"""docs/training.md says what the code takes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import MODEL_ARGUMENTS, STRATEGIES, Compression, DatasetName, TrainingSpec

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "training.md").read_text()
ROWS = re.findall(r"^\| (.*?) \|(.*)$", TEXT, re.MULTILINE)


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    """The script that fills the page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        import training_page

        yield training_page


def row(name: str) -> str:
    """The line of a table that begins with the name, alone or among others."""
    (found,) = [rest for first, rest in ROWS if f"`{name}`" in first.split(", ")]
    return found


def test_the_tables_are_up_to_date(page: Any) -> None:
    assert page.filled(TEXT) == TEXT, "run `python scripts/training_page.py`"
    for name in TrainingSpec.model_fields:
        assert f"\n| `{name}` |" in TEXT


def test_a_table_that_differs_is_noticed(page: Any) -> None:
    changed = TEXT.replace("| `global_batch_size` | `64` |", "| `global_batch_size` | `65` |")
    assert changed != TEXT == page.filled(changed)


@pytest.mark.parametrize("name", [*STRATEGIES, *get_args(DatasetName), *get_args(Compression)])
def test_every_name_is_explained(name: str) -> None:
    assert row(name)


def test_models_have_their_arguments_and_defaults() -> None:
    for model, arguments in MODEL_ARGUMENTS.items():
        assert dict(re.findall(r"`(\w+)` \((\d+)\)", row(model))) == {k: str(v) for k, v in arguments.items()}


def test_the_jobs_on_the_page_are_jobs() -> None:
    blocks = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    for block in blocks:
        JobSpec.model_validate(json.loads(block))


def test_the_example_is_the_one_that_is_tested() -> None:
    (name, shown) = re.findall(r"<!-- example (\S+) -->\n```python\n(.*?)```", TEXT, re.DOTALL)[0]
    example = (ROOT / "examples" / name).read_text()
    assert example.partition('"""\n\n')[2] == shown
    assert len(shown.splitlines()) <= 25

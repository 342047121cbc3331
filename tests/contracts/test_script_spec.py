"""The specification of a script."""

import pytest
from pydantic import ValidationError

from ringscope.contracts.findings import field_errors
from ringscope.contracts.training import ScriptSpec


def test_a_module_is_named_as_python_names_it() -> None:
    assert ScriptSpec(file="pkg/train.py", as_module=True).command == "-m pkg.train"
    assert ScriptSpec(file="pkg/__main__.py", as_module=True).command == "-m pkg"
    assert ScriptSpec(file="pkg/train.py").command == "pkg/train.py"


def test_agents_of_earlier_versions_get_no_field_that_they_would_refuse() -> None:
    assert set(ScriptSpec(file="a.py").model_dump(mode="json")) == {"file", "arguments", "device"}


@pytest.mark.parametrize(
    ("fields", "pointer", "words"),
    [
        ({"file": "my-train.py", "as_module": True}, "/file", "is no dotted name; leave as_module out"),
        ({"file": "a.py", "folder": "../x"}, "/folder", "without `..`"),
        ({"file": "a.py", "folder": "/x"}, "/folder", "name a folder by its path below"),
    ],
)
def test_a_bad_script_names_the_field_and_the_remedy(fields: dict[str, object], pointer: str, words: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        ScriptSpec.model_validate(fields)
    (found,) = field_errors(refusal.value)
    assert found.pointer == pointer
    assert words in found.detail

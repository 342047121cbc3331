"""Models and datasets in files, as the command line writes them."""

import pytest

from ringscope.cli.job_body import own_function


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("my_model.py:make", {"file": "my_model.py", "build": "make"}),
        ("a/my_model.py", {"file": "a/my_model.py"}),
        ("mlp", None),
        ("", None),
    ],
)
def test_a_file_has_a_function_or_the_default(word: str, expected: dict[str, str] | None) -> None:
    assert own_function(word, "build") == expected

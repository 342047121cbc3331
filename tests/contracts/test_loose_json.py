"""JSON with common mistakes is read, and text that is no JSON gets an error in our words."""

import math

import pytest

from ringscope.contracts.loose_json import read_json


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ('{"a": [1, 2,], "b": {"c": 3,\n},\n}', {"a": [1, 2], "b": {"c": 3}}),
        ('{"a": inf, "b": -inf, "c": Infinity}', {"a": math.inf, "b": -math.inf, "c": math.inf}),
        ('{"a, ]": "inf, }", "b": "say \\"nan,]\\"",}', {"a, ]": "inf, }", "b": 'say "nan,]"'}),
        ("[]", []),
    ],
)
def test_what_other_tools_write_is_read(text: str, document: object) -> None:
    assert read_json(text) == document


def test_a_number_that_is_none_is_none() -> None:
    assert math.isnan(read_json('{"a": -nan}')["a"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is empty; give a file with JSON."),
        ('{"a": 1\n "b"}', "it is not valid JSON at line 2, column 2; correct it there."),
        ("{'a': 1}", "it is not valid JSON at line 1, column 2; correct it there."),
        ("[" * 100_000, "it is nested too deeply; no file of ours is."),
    ],
)
def test_what_is_none_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^it is") as told:
        read_json(text)
    assert str(told.value) == sentence

"""A finding says what is wrong with a field in one sentence, with the field's name and a remedy."""

from typing import Annotated, Any

import annotated_types
import pytest
from pydantic import BaseModel, Field, ValidationError

from ringscope.contracts.findings import field_errors


class Form(BaseModel):
    """A field of each kind that has a limit."""

    name: str = Field("a", min_length=1, max_length=3)
    word: Annotated[str, annotated_types.Len(1, 3)] = "a"
    days: float = Field(1, gt=0)
    names: list[str] = Field(["a"], min_length=1, max_length=2)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"name": ""}, "name: the text is too short; give 1 character or more."),
        ({"word": ""}, "word: the text is too short; give 1 character or more."),
        ({"name": "abcd"}, "name: the text is too long; give 3 characters or fewer."),
        ({"word": "abcd"}, "word: the text is too long; give 3 characters or fewer."),
        ({"days": -3}, "days: -3 is too small; give more than 0."),
        ({"names": []}, "names: the list is empty; name at least 1."),
        ({"names": ["a", "b", "c"]}, "names: there are too many entries; give 2 or fewer."),
    ],
)
def test_a_limit_is_told_in_words_with_what_would_do(body: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Form.model_validate(body)
    assert [found.detail for found in field_errors(refusal.value)] == [sentence]

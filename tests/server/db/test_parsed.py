"""Models are made once for equal JSON, and again for any other."""

from collections.abc import Mapping
from typing import Any

from ringscope_server.db.parsed import Parsed


class Counting:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        self.times += 1
        return dict(fields)


def test_the_same_fields_are_parsed_once() -> None:
    parsed, parse = Parsed[dict[str, Any]](most=2), Counting()
    first = parsed.get(1, {"a": [1, 2]}, parse)
    assert parsed.get(1, {"a": [1, 2]}, parse) is first
    assert parse.times == 1


def test_a_row_that_changed_is_parsed_again_and_another_row_too() -> None:
    parsed, parse = Parsed[dict[str, Any]](most=2), Counting()
    parsed.get(1, {"a": 1}, parse)
    assert parsed.get(1, {"a": 2}, parse) == {"a": 2}
    assert parsed.get(2, {"a": 2}, parse) == {"a": 2}
    assert parse.times == 3


def test_what_was_asked_for_longest_ago_is_forgotten() -> None:
    parsed, parse = Parsed[dict[str, Any]](most=2), Counting()
    for row_id in (1, 2, 1, 3):  # 2 goes: 1 was asked for since
        parsed.get(row_id, {}, parse)
    parse.times = 0
    parsed.get(1, {}, parse)
    parsed.get(3, {}, parse)
    assert parse.times == 0
    parsed.get(2, {}, parse)
    assert parse.times == 1

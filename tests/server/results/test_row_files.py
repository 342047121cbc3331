"""Rows as lines of text."""

import json
import math

from ringscope_server.results.row_files import header, lines


def test_what_is_no_number_is_null_in_json_and_empty_where_nothing_is() -> None:
    columns, rows = ("a", "b"), [[math.nan, None], [-1.5, 'say "hi"\n']]
    assert [json.loads(line) for line in lines("ndjson", columns, rows).splitlines()] == [
        {"a": None, "b": None},
        {"a": -1.5, "b": 'say "hi"\n'},
    ]
    assert header("csv", columns) + lines("csv", columns, rows) == 'a,b\r\nnan,\r\n-1.5,"say ""hi""\n"\r\n'


def test_a_text_is_no_formula_and_a_number_stays_one() -> None:
    assert lines("csv", ("a", "b"), [["=1+1", -1]]) == "'=1+1,-1\r\n"

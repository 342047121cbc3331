"""What a body may hold, before anybody parses it; test_bad_input.py asks a server."""

import json
import time

import pytest

from ringscope_server.http.json_text import MOST_NESTED, findings


def nested(depth: int, inner: str = "1") -> bytes:
    return ('{"a": [' * (depth // 2) + inner + "]}" * (depth // 2)).encode()


def test_depth_is_counted_whatever_the_stack() -> None:
    assert findings(nested(MOST_NESTED)) == []
    for depth in (MOST_NESTED + 2, 1000, 100_000):
        (error,) = findings(nested(depth))
        assert (error.pointer, error.detail) == ("", "The request body is nested too deeply; make it flatter.")


@pytest.mark.parametrize("text", ["[" * 1000, '"' + "[{" * 1000, "\\", "\\" + '"[' * 500, "\u00e9" + "{" * 900])
def test_brackets_in_text_nest_nothing(text: str) -> None:
    body = json.dumps({"name": text, "list": [[]] * 300, text: 1}).encode()
    assert findings(body) == []


@pytest.mark.long
def test_what_never_ends_is_looked_at_once() -> None:
    started = time.process_time()
    for body in (b'["' + b'\\"' * 500_000 + b"[" * 300, b"[]" * 300 + b'"' + b"\\" * 1_000_001, b'"[' * 300_001):
        findings(body)
    assert time.process_time() - started < 20, "grows with the square of the length"

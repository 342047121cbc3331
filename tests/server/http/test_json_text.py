"""A body's text is checked before it is parsed; test_bad_input.py sends such bodies to a server."""

import json
import time

import pytest
from tests.server.conftest import Server

from ringscope_server.http.middleware.json_text import MOST_NESTED, findings


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


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{'name': 1}", "at character 2: a name in double quotes is missing"),
        ('{"name": "a",}', "comma"),
        ("// c\n{}", "at character 1: a value is missing; leave out comments"),
        ('{"name" "a"}', "at character 9: a colon is missing"),
        ('{"name": 01}', "at character 11: a comma or a closing bracket is missing"),
        ('{"name": "a', "at character 10: a text has no closing quote"),
        ('{"name": "a\tb"}', "at character 12: a text holds a line break, a tab"),
        ('{"name": "\\x"}', "at character 11: a backslash begins no escape"),
        ("{} {}", "at character 4: more follows"),
    ],
)
async def test_what_is_not_quite_json_is_told_in_plain_words(server: Server, body: str, sentence: str) -> None:
    for path in ("/api/v1/jobs", "/api/v1/plan"):
        answer = await server.admin.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        detail = answer.json()["detail"]
        assert detail.startswith("The request body is not valid JSON ") and sentence in detail, detail
        assert not any(words in detail for words in ("Expecting", "Invalid", "Unterminated", "Extra")), detail


async def test_a_body_that_is_no_object_is_told_so(server: Server) -> None:
    for body, shown in (("null", "null"), ('"x"', "'x'"), ("[]", "[]")):
        answer = await server.admin.post("/api/v1/jobs", content=body, headers={"Content-Type": "application/json"})
        sentence = f"the request body: give an object with fields by name, such as {{}}; got {shown}."
        assert (answer.status_code, answer.json()["detail"]) == (422, sentence)

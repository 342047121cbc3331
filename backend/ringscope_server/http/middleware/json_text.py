"""JSON that parses but cannot be stored: NUL and lone surrogates in text, NaN and Infinity, depth. Pure.

PostgreSQL refuses NUL in text and JSON, UTF-8 has no lone surrogates, and JSON itself has no NaN. A search for the few
bytes that these need clears nearly every body; only the others are parsed here.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ringscope.contracts.findings import FieldError, dotted, pointer

UNKEPT = re.compile("[\0\ud800-\udfff]")
REPLACEMENT = "\ufffd"
# Whether a deeper document parses depends on the depth of Python's stack at that moment.
MOST_NESTED = 200
_STRUCTURE = re.compile(rb'[\[\]{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
Location = tuple[str | int, ...]


class _NoNumber(float):
    """A number that JSON does not have, as json.loads returns it."""


def findings(body: bytes) -> list[FieldError]:
    """Return the first value in a body that cannot be stored, with its field; None for text that is not JSON."""
    if _is_nested_too_deeply(body):
        return [FieldError(pointer="", detail="The request body is nested too deeply; make it flatter.")]
    if not _is_text(body):
        return [FieldError(pointer="", detail="The request body is not UTF-8; send it as UTF-8.")]
    if not _is_suspect(body) and b"NaN" not in body and b"Infinity" not in body:
        return []
    try:
        parsed = json.loads(body, parse_constant=_NoNumber)
        return [error for error in [next(_walk(parsed, ()), None)] if error]
    except ValueError:
        return []  # the next parser reports what is wrong


def mended(body: bytes) -> bytes:
    """Return the body with a replacement character for each one that cannot be stored; unchanged if it is not JSON."""
    if not _is_suspect(body):
        return body
    try:
        return json.dumps(_mend(json.loads(body))).encode()
    except (ValueError, RecursionError):
        return body


def _is_text(body: bytes) -> bool:
    try:
        # Parsed as by json.loads, lone surrogates included: those get a better sentence.
        body.decode(json.detect_encoding(body), "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _is_nested_too_deeply(body: bytes) -> bool:
    if body.count(b"[") + body.count(b"{") <= MOST_NESTED:
        return False
    depth = 0
    for token in _STRUCTURE.finditer(body):
        byte = body[token.start()]
        if byte in b"[{":
            depth += 1
            if depth > MOST_NESTED:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


def _is_suspect(body: bytes) -> bool:
    # An escape; a surrogate that was encoded as if it were a character; UTF-16 or UTF-32, which json.loads also reads.
    return b"\\u" in body or b"\xed" in body or b"\0" in body


def _walk(value: Any, location: Location) -> Iterator[FieldError]:
    match value:
        case str() if UNKEPT.search(value):
            yield _error(location, "holds a NUL character or half of a surrogate pair; leave it out.")
        case _NoNumber():
            yield _error(location, "NaN and Infinity are no numbers in JSON; give a finite one.")
        case dict():
            for key, inner in value.items():
                if UNKEPT.search(key):
                    yield _error(location, "the name of a field holds a NUL character or half of a surrogate pair.")
                yield from _walk(inner, (*location, key))
        case list():
            for index, inner in enumerate(value):
                yield from _walk(inner, (*location, index))


def _error(location: Location, sentence: str) -> FieldError:
    return FieldError(pointer=pointer(location), detail=f"{dotted(location)}: {sentence}")


def _mend(value: Any) -> Any:
    match value:
        case str():
            return UNKEPT.sub(REPLACEMENT, value)
        case dict():
            return {_mend(key): _mend(inner) for key, inner in value.items()}
        case list():
            return [_mend(inner) for inner in value]
    return value

"""JSON that is cut, that has inf as a number, or that stands behind other text: whatever is complete is read. Pure."""

import re
from dataclasses import dataclass
from typing import Any

from ringscope.contracts.words.units import is_whole_number
from ringscope.imports.cells import json_cell
from ringscope.imports.model import Cell

_TOKEN = re.compile(r'\s*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}\[\],:"]+))', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "false": False, "null": None}
_MOST_DEPTH = 40


class _CutError(Exception):
    """The text ends, or is no JSON from here on."""


@dataclass
class Document:
    """One value of the text; ``line`` is where it begins, ``is_whole`` whether it also ends."""

    value: Any
    line: int
    is_whole: bool


class Cut(dict[str, Any]):
    """An object that was not closed: its members are complete, but some may be missing."""


def documents(text: str) -> list[Document]:
    """Return every object or array that begins a line, in the order of the text; numbers are Cells."""
    found = []
    place = 0
    while (start := _next(text, place)) is not None:
        reader = _Scanner(text, start)
        value, is_whole = reader.read()
        if isinstance(value, (dict, list)) and value:
            found.append(Document(value, text.count("\n", 0, start) + 1, is_whole))
        place = max(reader.place, start + 1)
    return found


def _next(text: str, place: int) -> int | None:
    """Return where the next line begins with an object or array of objects."""
    found = _START.search(text, place)
    return None if found is None else found.start(1)


_START = re.compile(r'^[ \t]{0,40}(\{(?=\s*")|\[(?=\s*\{))', re.MULTILINE)


class _Scanner:
    """Reads one value; objects and arrays that are cut keep what was complete."""

    def __init__(self, text: str, place: int) -> None:
        self._text = text
        self.place = place

    def read(self) -> tuple[Any, bool]:
        """Return the value, and whether it is complete."""
        kind, token = self._token()
        value, is_whole = self._value(kind, token, 0)
        return value, is_whole

    def _token(self) -> tuple[int, str]:
        found = _TOKEN.match(self._text, self.place)
        if found is None:
            raise _CutError
        if found.lastindex == 3 and found.end() == len(self._text):
            raise _CutError  # a number or a word that the end may have cut
        self.place = found.end()
        assert found.lastindex is not None
        return found.lastindex, found[found.lastindex]

    def _value(self, kind: int, token: str, depth: int) -> tuple[Any, bool]:
        if kind == 2:
            return _string(token), True
        if kind == 3:
            if token in _WORDS:
                return _WORDS[token], True
            cell = json_cell(token.removeprefix("-"))
            if cell is None:
                raise _CutError
            return Cell(-cell.value, cell.half) if token.startswith("-") else cell, True
        if depth >= _MOST_DEPTH:
            raise _CutError
        if token == "{":
            return self._object(depth + 1)
        if token == "[":
            return self._array(depth + 1)
        raise _CutError

    def _object(self, depth: int) -> tuple[dict[str, Any], bool]:
        members = Cut()
        try:
            while True:
                kind, token = self._token()
                if token == "}" and kind == 1:
                    return dict(members), True
                if token == "," and kind == 1:
                    continue
                if kind != 2 or self._token() != (1, ":"):
                    return members, False
                value, is_whole = self._value(*self._token(), depth)
                members[_string(token)] = value
                if not is_whole:
                    return members, False
        except _CutError:
            return members, False

    def _array(self, depth: int) -> tuple[list[Any], bool]:
        items: list[Any] = []
        try:
            while True:
                kind, token = self._token()
                if token == "]" and kind == 1:
                    return items, True
                if token == "," and kind == 1:
                    continue
                value, is_whole = self._value(kind, token, depth)
                items.append(value)
                if not is_whole:
                    return items, False
        except _CutError:
            return items, False


def _string(token: str) -> str:
    body = token[1:-1]
    return _ESCAPE.sub(_unescaped, body) if "\\" in body else body


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _NAMED.get(found[2], found[2])


def number(value: Any) -> float | None:
    """Return a number, also of a string such as "0"; None for anything else."""
    if isinstance(value, str):
        value = json_cell(value.strip().removeprefix("-")) if value.strip() not in ("N/A", "") else None
    return value.value if isinstance(value, Cell) else None


def whole(value: Any) -> int | None:
    """Return a whole number, also of a padded string such as "    -1"; None for anything else."""
    if isinstance(value, str) and len(value) < 40:
        text = value.strip()
        return int(text) if is_whole_number(text.removeprefix("-")) else None
    return int(value.value) if isinstance(value, Cell) and abs(value.value) < 2**63 else None


def cell(value: Any) -> Cell | None:
    """Return a number as it is, or that of a string; None for anything else."""
    if isinstance(value, str):
        return json_cell(value.strip())
    return value if isinstance(value, Cell) and value.value >= 0 else None


def text_of(value: Any) -> str | None:
    """Return a string of a reasonable length; None for anything else."""
    return value if isinstance(value, str) and len(value) <= 300 else None

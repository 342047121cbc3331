"""A reader of pickles that have plain data only: numbers, texts, lists, tuples and dictionaries. Pure.

A pickle is a program, and one with a global can run any code. So every opcode is checked before anything is loaded;
those that import, call or build objects are refused, and so are those that take memory without need.
"""

import io
import pickle
import re
from typing import Any, NoReturn

# Opcodes of a fixed length: constants, containers, the stack, and the memo with at most two million places.
_FIXED = re.compile(
    rb"(?:[N\x88\x89})\](aesut\x85\x86\x87\x940]|\x80[\x02-\x05]|\x95.{8}|K.|M..|J.{4}|G.{8}|[qh].|[rj]..[\x00-\x1f]\x00)+",
    re.DOTALL,
)
_TEXTS = {b"X": 4, b"\x8c": 1, b"\x8d": 8, b"T": 4, b"U": 1, b"B": 4, b"C": 1, b"\x8a": 1}
_STOP = b"."


class NotPlainError(ValueError):
    """The pickle is cut or has something other than plain data; the message says where."""


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        """Refuse every global."""
        raise NotPlainError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> NoReturn:
        """Refuse every reference to an object outside of the file."""
        raise NotPlainError("it refers to objects outside of the file")


def is_pickle(content: bytes) -> bool:
    """Return whether the content begins as a pickle of protocol 2 or later."""
    return content[:1] == b"\x80" and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")


def load(content: bytes) -> Any:
    """Return the data of a pickle; NotPlainError if it is cut or has anything but plain data."""
    _check(content)
    try:
        file = io.BufferedReader(io.BytesIO(content), 1 << 20)  # reading ahead takes half the time
        return _PlainUnpickler(file, encoding="utf-8", errors="replace").load()
    except NotPlainError:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise NotPlainError(f"it is broken ({type(error).__name__})") from None


def _check(content: bytes) -> None:
    """Go through the opcodes; NotPlainError at the first that is not of plain data."""
    place = 0
    while place < len(content):
        if found := _FIXED.match(content, place):
            place = found.end()
            continue
        opcode = content[place : place + 1]
        if opcode == _STOP:
            return
        width = _TEXTS.get(opcode)
        if width is None:
            raise NotPlainError(f"opcode {opcode!r} at byte {place} is not one of plain data")
        place += 1 + width + int.from_bytes(content[place + 1 : place + 1 + width], "little")
    raise NotPlainError(f"it ends at byte {len(content)} before its data does")

"""Arguments that a script passes itself; their errors are like those of what a function of a file returns."""

import sys
from pathlib import Path
from typing import Protocol

from ringscope.engine.errors import EngineError


class Source(Protocol):
    """Origin of a model or a dataset, for sentences: its ``str`` names it, and ``path`` is the user's file."""

    name_field: str
    path: Path

    def is_not(self, what: str, expected: str) -> EngineError:
        """Return the error that ``what`` came instead of what was expected."""

    def content(self) -> bytes:
        """Return what must be equal on all nodes."""


class Given:
    """An argument of a call in the running script."""

    def __init__(self, argument: str) -> None:
        self.name_field = argument
        self.path = Path(getattr(sys.modules["__main__"], "__file__", None) or sys.argv[0]).resolve()

    def __str__(self) -> str:
        return "this script"

    def is_not(self, what: str, expected: str) -> EngineError:
        """Return the error that the argument is ``what`` instead of what was expected."""
        return EngineError(f"{self.name_field}: {what} does not fit; pass {expected}.")

    def content(self) -> bytes:
        """Return the script; nothing where there is none, as in a notebook."""
        return self.path.read_bytes() if self.path.is_file() else b""

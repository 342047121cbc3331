"""A function in a Python file below the agent's folder of scripts; one sentence says what is wrong with it."""

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ringscope.contracts.rank_process import SCRIPTS_VARIABLE
from ringscope.engine.errors import EngineError


class OwnFunction:
    """A function that a training job names by its file, such as ``build`` of my_model.py."""

    def __init__(self, field: str, file: str, name_field: str, name: str) -> None:
        """Import the file. ``field`` and ``name_field`` are the dotted paths of file and name in the job.

        EngineError with a sentence if the file is missing, cannot be imported, or has no such function.
        """
        self.file, self.name, self.name_field = file, name, name_field
        self.path = below(field, file, os.environ.get(SCRIPTS_VARIABLE))
        try:
            module = _module(self.path)
        except (Exception, SystemExit) as error:
            raise EngineError(f"{field}: {file} cannot be imported: {place_of(error, self.path)}.") from None
        found = getattr(module, name, None)
        if found is None:
            raise EngineError(f"{name_field}: {file} has no function {name}; {_others(module)}.")
        if not callable(found):
            raise EngineError(f"{name_field}: {name} of {file} is {a(found)}; name a function.")
        self._run: Callable[..., Any] = found

    def __str__(self) -> str:
        return f"{self.name} of {self.file}"

    def is_not(self, what: str, expected: str) -> EngineError:
        """Return the error that it returned ``what`` instead of what was expected."""
        return EngineError(f"{self.name_field}: {self} returned {what}; return {expected}.")

    def content(self) -> bytes:
        """Return the bytes of the file, which are equal on all nodes."""
        return self.path.read_bytes()

    def accepts(self, *names: str) -> bool:
        """Return whether it can be called with these arguments by name."""
        try:
            inspect.signature(self._run).bind(**dict.fromkeys(names))
        except TypeError:
            return False
        return True

    def call(self, field: str, arguments: Mapping[str, object]) -> Any:
        """Return its result; EngineError names ``field`` if it does not take the arguments, and its own field if it
        fails.
        """
        if not self.accepts(*arguments):
            given = ", ".join(arguments) or "none"
            takes = str(inspect.signature(self._run)).partition(" ->")[0]
            raise EngineError(f"{field}: {self} is called with the arguments {given}, but is defined as {takes}.")
        try:
            return self._run(**arguments)
        except EngineError:
            raise
        except (Exception, SystemExit) as error:
            raise EngineError(f"{self.name_field}: {self} failed: {place_of(error, self.path)}.") from None


def below(field: str, file: str, folder: str | None) -> Path:
    """Return the path of a file in the node's folder of scripts; EngineError if it is missing, or outside of it."""
    kind, _, _ = field.rpartition(".")
    if not folder:
        raise EngineError(f"{kind}: this node runs no scripts; start its agent with --scripts FOLDER.")
    root = Path(folder).resolve()
    path = (root / file).resolve()
    if not path.is_relative_to(root):
        raise EngineError(f"{field}: {file} leads out of the node's folder of scripts; name a file inside.")
    if not path.is_file():
        raise EngineError(f"{field}: {root} has no {file}; put it there on every node.")
    return path


def a(found: object) -> str:
    """Return the type of a value with its article, for a sentence."""
    name = "None" if found is None else type(found).__name__
    return name if found is None else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def first_line(error: BaseException) -> str:
    """Return an error's type and the first line of its message, without a full stop.

    Of an error in a process of a DataLoader it is the last line, because its message is that process's traceback.
    """
    lines = str(error).strip().splitlines() or [""]
    if "DataLoader worker process" in lines[0]:
        return lines[-1].rstrip(".")
    text = lines[0].rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException, path: Path) -> str:
    """Return what went wrong, with the line of the user's file in which it happened."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename) == path:
        lines = [error.lineno]
    return f"line {lines[-1]}: {first_line(error)}" if lines and lines[-1] else first_line(error)


def _others(module: ModuleType) -> str:
    """Return the remedy for a missing function."""
    there = [name for name, found in vars(module).items() if inspect.isfunction(found) and not name.startswith("_")]
    own = [name for name in there if getattr(module, name).__module__ == module.__name__]
    return f"define it, or name one of {', '.join(own)}" if own else "define it"


@cache
def _module(path: Path) -> ModuleType:
    """Import a file once; it finds the files beside it."""
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    name = path.stem
    if name in sys.modules:  # a module of the same name, such as a library's
        name = f"{name}_{abs(hash(path)):x}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # its name ends with .py
    module = module_from_spec(spec)
    sys.modules[name] = module  # the processes of a DataLoader find its classes there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

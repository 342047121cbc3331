"""What every command shares: bad input as one sentence, and consoles that also work without a terminal."""

import re
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ringscope.choice.tuning_file import DEFAULT_DATA_DIR as DEFAULT_DATA_DIR

_PIPE_COLUMNS = 240
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and ends of lines

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_CANCELLED = 3
EXIT_INTERRUPTED = 130

DataDir = Annotated[
    Path,
    typer.Option(envvar="RINGSCOPE_DATA_DIR", help="SQLite file, tokens, spools and logs lie here."),
]


def say(text: str = "") -> None:
    """One line on stdout, at once also through a pipe."""
    typer.echo(visible(text))


def complain(text: str) -> None:
    """One line on stderr."""
    typer.echo(visible(text), err=True)


def pour(text: str) -> None:
    """A piece of a file on stdout: as it is, but a terminal is shown control characters instead of obeying them."""
    sys.stdout.write(visible(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text)


def visible(text: str) -> str:
    r"""The text with its control characters as people write them, such as \x1b: names and logs command no terminal."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def command_name() -> str:
    """What to type for this command line: its name where PATH finds it, else the path it was started by."""
    found = shutil.which("ringscope")
    started = sys.argv[0]
    return "ringscope" if found and Path(found).resolve() == Path(started).resolve() else started


def stderr_console() -> Console:
    """A Rich console on stderr, for progress: stdout stays clean for results."""
    return Console(stderr=True, highlight=False, markup=False)


def stdout_console() -> Console:
    """A Rich console on stdout, for tables; through a pipe lines are long instead of folded."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)

"""Shared console helpers: errors are one sentence, and output also works without a terminal."""

import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ringscope.choice.tuning_file import DEFAULT_DATA_DIR as DEFAULT_DATA_DIR

_PIPE_COLUMNS = 240
# Controls (all but tabs and ends of lines), other ends of lines, marks that turn the direction of the text or are not
# seen, tags, and halves of a pair, which no encoding has.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff]"
)

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_CANCELLED = 3
EXIT_INTERRUPTED = 130
EXIT_READER_GONE = 141  # as a shell has it of a program that SIGPIPE ends

DataDir = Annotated[
    Path,
    typer.Option(envvar="RINGSCOPE_DATA_DIR", help="Directory of the SQLite file, tokens, spools and logs."),
]


def say(text: str = "") -> None:
    """One line on stdout, at once also through a pipe."""
    typer.echo(visible(text))


def complain(text: str) -> None:
    """One line on stderr."""
    typer.echo(visible(text), err=True)


def say_json(text: str) -> None:
    """JSON on stdout; what is not seen is escaped as JSON has it, so that it stays the same document."""
    typer.echo(_UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text))


def pour(text: str) -> None:
    """A piece of a file on stdout: as it is, but a terminal is shown control characters instead of obeying them."""
    sys.stdout.write(visible(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text)


def visible(text: str) -> str:
    r"""The text with what is not seen written out, such as \x1b or \u202e: names and logs command no terminal."""
    return _UNSEEN.sub(lambda found: _escaped(ord(found[0])), text)


def in_one_line(text: str) -> str:
    """Escape as ``visible`` does, and also line ends and tabs: for a table cell, or a name inside a sentence."""
    return visible(text).replace("\n", "\\x0a").replace("\t", "\\x09")


def make_writable() -> None:
    """Write what the terminal's encoding does not have as people write it, instead of ending with an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _escaped(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def command_name() -> str:
    """Return the command to type: its name if it is on the PATH, otherwise the path that started it."""
    found = shutil.which("ringscope")
    started = sys.argv[0]
    return "ringscope" if found and Path(found).resolve() == Path(started).resolve() else started


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """End as every other output does when the reader of a pipe is gone; Rich would end with 1."""
        self.quiet = True
        raise SystemExit(EXIT_READER_GONE)


def stderr_console() -> Console:
    """A Rich console on stderr, for progress: stdout stays clean for results."""
    return Console(stderr=True, highlight=False, markup=False)


def stdout_console() -> Console:
    """A Rich console on stdout, for tables; through a pipe lines are long instead of folded."""
    return _Output(highlight=False, markup=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)

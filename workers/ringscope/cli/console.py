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

from ringscope.choice.data_directory import DEFAULT_DATA_DIR as DEFAULT_DATA_DIR

_PIPE_COLUMNS = 240
# Control characters (except tabs and line ends), other line separators, invisible and bidirectional marks, tags, and
# unpaired surrogates, which no encoding supports.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff]"
)

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_CANCELLED = 3
EXIT_INTERRUPTED = 130
EXIT_READER_GONE = 141  # exit code that a shell shows for a program ended by SIGPIPE

DataDir = Annotated[
    Path,
    typer.Option(envvar="RINGSCOPE_DATA_DIR", help="Directory of the SQLite file, tokens, spools and logs."),
]


def say(text: str = "") -> None:
    """Print one line on stdout, without buffering also through a pipe."""
    typer.echo(visible(text))


def complain(text: str) -> None:
    """Print one line on stderr."""
    typer.echo(visible(text), err=True)


def say_json(text: str) -> None:
    """Print JSON on stdout; invisible characters are escaped as in JSON, so the document is equivalent."""
    typer.echo(_UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text))


def pour(text: str) -> None:
    """Print a piece of a file on stdout unchanged; on a terminal control characters are made visible instead of
    executed.
    """
    sys.stdout.write(visible(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text)


def visible(text: str) -> str:
    r"""Return the text with invisible characters escaped, such as \x1b or \u202e: names and logs must not control the
    terminal.
    """
    return _UNSEEN.sub(lambda found: _escaped(ord(found[0])), text)


def in_one_line(text: str) -> str:
    """Escape as ``visible`` does, and also line ends and tabs: for a table cell, or a name inside a sentence."""
    return visible(text).replace("\n", "\\x0a").replace("\t", "\\x09")


def make_writable() -> None:
    """Replace characters that the terminal's encoding does not have with readable ones, instead of raising an error."""
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
        """Exit like all other output when the reader of a pipe is gone; Rich would exit with 1."""
        self.quiet = True
        raise SystemExit(EXIT_READER_GONE)


def stderr_console() -> Console:
    """A Rich console on stderr, for progress: stdout stays clean for results."""
    return Console(stderr=True, highlight=False, markup=False)


def stdout_console() -> Console:
    """A Rich console on stdout, for tables; lines are not folded in a pipe."""
    return _Output(highlight=False, markup=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)

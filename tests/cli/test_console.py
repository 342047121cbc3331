"""The console writes no control characters, works in every encoding, and explains in a sentence why it cannot write."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ringscope.cli.console import in_one_line, say_json, visible

RINGSCOPE = str(Path(sys.executable).with_name("ringscope"))
UNSEEN = ["\x00", "\x1b", "\x7f", "\x85", "\x9b", "\u061c", "\u200b", "\u200f", "\u2028", "\u2029", "\u202e", "\u2066"]
UNSEEN += ["\u2069", "\ufeff", "\U000e0041", "\ud800"]
DEADLINE_SECONDS = 60


@pytest.mark.parametrize("sign", UNSEEN)
def test_what_is_not_seen_is_written_out(sign: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = ord(sign)
    escape = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65_536 else f"\\U{code:08x}"
    assert visible(f"a{sign}b") == f"a{escape}b"
    say_json(json.dumps({"name": f"a{sign}b"}, ensure_ascii=False) if code > 31 else json.dumps({"name": f"a{sign}b"}))
    told = capsys.readouterr().out
    assert sign not in told
    assert json.loads(told) == {"name": f"a{sign}b"}


@pytest.mark.parametrize("text", ["plain", "Grüße", "日本語", "é", "👍🏽", "tab\tand\nline"])
def test_what_is_seen_stays(text: str) -> None:
    assert visible(text) == text


def test_a_cell_has_one_line() -> None:
    assert in_one_line("a\n[1] b\tc") == "a\\x0a[1] b\\x09c"


def run(*arguments: str, stdout: int | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    streams = {"stdout": subprocess.PIPE if stdout is None else stdout, "stderr": subprocess.PIPE}
    variables = os.environ | environment
    return subprocess.run([RINGSCOPE, *arguments], env=variables, text=True, timeout=DEADLINE_SECONDS, **streams)


COMMANDS = [
    ("bench", "--transport", "simulated", "--ranks", "2", "-b", "8", "-e", "8"),
    ("plan", "--ranks", "4", "--bytes", "1MB", "--bandwidth", "1GB/s"),
    ("trace", "ring", "--ranks", "3"),
    ("--version",),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_full_disk_is_one_sentence(command: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(*command, stdout=full)
    finally:
        os.close(full)
    sentence = "The output cannot be written (No space left on device); make room, or write it elsewhere.\n"
    assert (done.returncode, done.stderr) == (1, sentence)


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_terminal_that_knows_ascii_alone_gets_all_of_it(command: tuple[str, ...]) -> None:
    done = run(*command, PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii() and done.stdout


@pytest.mark.parametrize("command", [("plan",), ("trace", "ring", "--ranks", "8")], ids=lambda command: command[0])
def test_a_reader_that_has_had_enough_is_no_failure_of_the_command(command: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run(*command, stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")

"""The commands that the pages show can be typed as they stand there: each line is one, and its options exist."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from ringscope.cli.main import build

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
BLOCKS = re.compile(r"^```(?:sh|bash|shell)\n(.*?)^```", re.M | re.S)
PROGRAMS = {
    *("ringscope", "make", "pip", "uv", "python", "pre-commit", "cp", "export"),
    *("cat", "curl", "docker", "kubectl", "prometheus", "promtool", "amtool", "srun", "ncclras"),
}
ASSIGNMENT = re.compile(r"\w+=")
INNER = re.compile(r"^\w+=\$\(([^)]*)\)")  # the command whose output is assigned


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command of a page, without what is set before the program and without a second program."""
    for block in BLOCKS.findall(page.read_text()):
        begun = ""
        for line in block.replace("\\\n", " ").splitlines():
            begun += INNER.sub(r"\1", line) + "\n"
            try:
                words = shlex.split(begun, comments=True)
            except ValueError:  # a quotation goes on in the next line
                continue
            begun, is_output = "", line.startswith(" ")
            while words and (ASSIGNMENT.match(words[0]) or words[0] == "sudo"):
                words = words[1:]
            if words and not is_output:
                yield list(takewhile(lambda word: word not in ("|", ">", "&&"), words))
        assert not begun, f"a quotation does not end: {begun}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_line_of_a_block_is_a_command(page: Path) -> None:
    for words in commands(page):
        assert words[0].removeprefix(".venv/bin/") in PROGRAMS, " ".join(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_of_a_shown_command_exists(page: Path) -> None:
    for words in commands(page):
        if words[0].removeprefix(".venv/bin/") == "ringscope":
            parse(words[1:])


@cache
def program() -> Any:
    """The whole command line."""
    return typer.main.get_command(build())


def parse(words: list[str]) -> None:
    """Read the words as the command line does, but run nothing."""
    command = program()
    context = click.Context(command, info_name="ringscope")
    while isinstance(command, click.Group):
        assert words and words[0] in command.list_commands(context), f"there is no command {' '.join(words)}"
        command, words = command.get_command(context, words[0]), words[1:]
        context = click.Context(command, parent=context, info_name=command.name)
    try:
        command.make_parser(context).parse_args(list(words))
    except click.UsageError as error:
        raise AssertionError(f"{context.command_path} {' '.join(words)}: {error.message}") from None

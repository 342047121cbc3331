"""The command line and the pages about it agree."""

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from ringscope.cli import commands
from ringscope.cli.main import SECTIONS, build

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text()
COMMAND: Any = typer.main.get_command(build())  # click's group of groups, which typer vendors without types
PASS_THROUGH = ("server", "agent")  # their options belong to the process that they become
SHOWN = re.compile(r"^(?:\$ |\w+=\$\()?(?:\.venv/bin/)?ringscope (.+?)\)?$", re.MULTILINE)


def names(group: Any, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from names(command, f"{name} ")
        else:
            yield before + name


def shown() -> Iterator[tuple[str, str]]:
    """Yield every command in a block of the README and of docs."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in re.findall(r"```(?:console|sh|)\n(.*?)```", page.read_text(), re.DOTALL):
            for line in SHOWN.findall(block):
                for command in re.split(r";\s+(?:\.venv/bin/)?ringscope | && (?:\.venv/bin/)?ringscope ", line):
                    yield page.name, command


def test_every_module_of_commands_is_loaded() -> None:
    folder = Path(commands.__file__).parent
    modules = {".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("[a-z]*.py")}
    loaded = {module for section in SECTIONS.values() for module in section}
    assert modules == loaded, "name the module and its commands in SECTIONS of cli/main.py"


@pytest.mark.parametrize("name", list(names(COMMAND)))
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"`ringscope {name}[ `]", PAGE), f"docs/cli.md says nothing of `ringscope {name}`"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`ringscope ([a-z][a-z -]*[a-z])", PAGE))))
def test_every_documented_command_exists(name: str) -> None:
    assert any(name == known or name.startswith(f"{known} ") for known in names(COMMAND))


@pytest.mark.parametrize(("page", "command"), list(shown()))
def test_commands_in_pages_have_these_options(page: str, command: str) -> None:
    words = shlex.split(command, comments=True)
    if ">" in words:
        words = words[: words.index(">")]
    group, context = COMMAND, COMMAND.make_context("ringscope", ["--help"], resilient_parsing=True)
    name, found, rest = group.resolve_command(context, words)
    if hasattr(found, "commands"):
        name, found, rest = found.resolve_command(context, rest)
    if name not in PASS_THROUGH:
        found.make_context(name, rest)  # raises UsageError for what there is not


def test_the_help_shows_every_section(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        COMMAND(["--help"])
    told = capsys.readouterr().out
    assert [line[:-1] for line in told.splitlines() if line.endswith(":") and line[0] != " "][1:] == list(SECTIONS)
    for name in COMMAND.commands:
        assert re.search(rf"^  {name} ", told, re.MULTILINE)


@pytest.mark.parametrize(("module", "expected"), [pair for modules in SECTIONS.values() for pair in modules.items()])
def test_a_command_loads_the_module_that_has_it(module: str, expected: list[str]) -> None:
    app = typer.Typer(callback=lambda: None)
    import_module(f"ringscope.cli.commands.{module}").register(app)
    assert set(typer.main.get_command(app).commands) == set(expected)
    for name in expected:
        assert set(typer.main.get_command(build(name)).commands) == set(expected)


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        COMMAND(["--version"])
    assert capsys.readouterr().out == f"ringscope {version('ringscope')}\n"


# They run something, take something away, or write a file for others (steps, the targets of Prometheus, a report).
WITHOUT_JSON = {
    *("up", "demo", "server", "agent", "slurm", "login", "run"),
    "remove-node",
    *("lab up", "lab degrade", "lab cut", "lab heal", "lab down"),
    *("schedule remove", "webhook remove", "token revoke"),
    *("steps", "targets", "report"),
}


def test_whatever_tells_what_the_api_shows_has_json() -> None:
    without = set()
    for name in names(COMMAND):
        found = COMMAND
        for word in name.split():
            found = found.commands[word]
        if not any("--json" in option.opts for option in found.params):
            without.add(name)
    assert without == WITHOUT_JSON

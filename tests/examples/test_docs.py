"""The commands in docs/engine.md print what the page shows."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ringscope.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"
BLOCKS = re.findall(r"```console\n\$ ringscope (.*)\n((?:.*\n)*?)```", PAGE.read_text())


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_the_page_shows_what_the_command_prints(command, shown):
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exit_code == 0, done.output
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.splitlines()


def test_the_page_shows_something():
    assert len(BLOCKS) >= 4


def test_files_that_the_page_names_exist():
    engine = PAGE.parents[1] / "workers" / "ringscope"
    named = set(re.findall(r"`(?:workers/ringscope/)?((?:\w+/)?\w+\.py)`", PAGE.read_text()))
    assert len(named) >= 8
    assert all((engine / name).exists() for name in named)

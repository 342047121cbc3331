"""The commands in docs/engine.md print what the page shows."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ringscope.cli.main import build

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"
BLOCKS = re.findall(r"```console\n\$ ringscope (.*)\n((?:.*\n)*?)```", PAGE.read_text())


def test_the_page_shows_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in the order of the page, as they read files of earlier ones. A line … stands for any lines."""
    monkeypatch.chdir(tmp_path)
    for command, shown in BLOCKS:
        done = CliRunner().invoke(build(), shlex.split(command))
        assert done.exit_code == 0, f"{command}: {done.output}"
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        assert matches(shown.splitlines(), printed), f"{command} prints:\n{done.stdout}"


def matches(shown: list[str], printed: list[str]) -> bool:
    """Return whether the parts between lines … follow each other in ``printed``; without such a line all are equal."""
    lines = ["…" if line == "…" else re.escape(line) for line in shown]
    pattern = "\n".join(lines).replace("…\n", "(?:.*\n)*?").replace("\n…", "(?:\n.*)*")
    return re.fullmatch(pattern, "\n".join(printed)) is not None


def test_the_readme_has_the_times_of_the_plan() -> None:
    (line,) = re.findall(r"ringscope (plan .*)", (PAGE.parents[1] / "README.md").read_text())
    command, _, comment = line.partition("#")
    done = CliRunner().invoke(build(), [*shlex.split(command), "--json"])
    times_s = [price["time_s"] for price in json.loads(done.stdout)["results"]]
    assert re.findall(r"([\d.]+) s\b", comment) == [f"{time_s:.3g}" for time_s in times_s]


def test_a_page_that_is_out_of_date_is_noticed() -> None:
    printed = ["a", "b", "c", "d"]
    assert matches(printed, printed)
    assert matches(["…", "b", "…", "d"], printed)
    assert matches(["a", "…"], printed)
    for shown in (["a", "b", "d"], ["…", "c", "b", "…"], ["a", "…", "c"], ["a.", "…"], []):
        assert not matches(shown, printed)


def test_the_page_shows_something():
    assert len(BLOCKS) >= 4


def test_files_that_the_page_names_exist():
    root = PAGE.parents[1]
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", PAGE.read_text()))
    assert len(named) >= 8
    bases = (root, root / "workers" / "ringscope", root / "workers" / "ringscope" / "engine")
    assert [name for name in named if not any((base / name).exists() for base in bases)] == []

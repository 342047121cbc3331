"""The lines that the page shows to copy, read as a terminal reads them: each asks for the very job that was shown."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.fake_api import Answer, FakeApi, job

from ringscope.contracts.job import JobSpec

LIB = Path(__file__).parents[2] / "frontend/src/lib"
# frontend/src/lib/command.test.ts holds the page to the same table.
EXAMPLES = json.loads((LIB / "commands.json").read_text())
# What stands below lists; the page adds the address of its server.
PAGE_COMMANDS = json.loads((LIB / "pageCommands.json").read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["spec"]["name"] or "no name"))
def test_a_copied_command_asks_for_the_same_job(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch, example: dict[str, Any]
) -> None:
    words = [api.url if word == "http://h:1" else word for word in shlex.split(example["command"])]
    monkeypatch.setenv("RINGSCOPE_URL", "http://127.0.0.1:9")  # of another server: the line names its own
    if words[0] == "echo":
        _, text, pipe, *words = words
        assert pipe == "|"
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
    api.answers["POST /jobs"] = Answer(job(), 201)
    done = api.run(*words[1:])
    assert (words[0], done.code, done.err) == ("ringscope", 0, "")
    assert JobSpec.model_validate(api.last.body) == JobSpec.model_validate(example["spec"])


@pytest.mark.parametrize("name", PAGE_COMMANDS)
def test_a_line_below_a_list_asks_the_server_that_shows_it(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("RINGSCOPE_URL", "http://127.0.0.1:9")
    api.run(*shlex.split(f"{PAGE_COMMANDS[name]} --url {api.url}")[1:])
    assert api.asked, "nothing came"

"""The lines that the page shows to copy, read as a terminal reads them: each asks for the very job that was shown."""

import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.cli.conftest import DEADLINE_SECONDS, Server
from tests.cli.fake_api import Answer, FakeApi, items, job

from ringscope.contracts.job import JobSpec

LIB = Path(__file__).parents[3] / "frontend/src/lib"
# frontend/src/lib/command.test.ts holds the page to the same table.
EXAMPLES = json.loads((LIB / "commands.json").read_text())
# What stands below lists; the page adds the address of its server.
NO_RUN = {"winner": None, "sentence": "No candidate has run yet.", "candidates": [], "runs": 0, "spent_seconds": 0.0}
NO_RUN |= {"budget_seconds": 300, "is_complete": False, "running": None}
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
    if example["spec"]["kind"] == "strategy_search":  # its command waits
        api.answers["GET /jobs/1"] = job(state="succeeded")
        api.answers["GET /jobs/1/search"] = NO_RUN
    done = api.run(*words[1:])
    assert (words[0], done.code, done.err) == ("ringscope", 0, "")
    (sent,) = [asked.body for asked in api.asked if asked.method == "POST"]
    assert JobSpec.model_validate(sent) == JobSpec.model_validate(example["spec"])


@pytest.mark.parametrize("name", PAGE_COMMANDS)
def test_a_line_below_a_list_asks_the_server_that_shows_it(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("RINGSCOPE_URL", "http://127.0.0.1:9")
    api.run(*shlex.split(f"{PAGE_COMMANDS[name]} --url {api.url}")[1:])
    assert api.asked, "nothing came"


def pasted(line: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell in which nothing is set."""
    bare = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        ["/bin/sh", "-c", line], env=bare, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
    )


def test_a_line_of_the_page_runs_in_a_bare_shell(server: Server, tmp_path: Path) -> None:
    headers = {"Authorization": f"Bearer {server.admin_token}"}
    program = httpx.get(f"{server.url}/api/v1/me", headers=headers).json()["command"]
    words = PAGE_COMMANDS["tokens"].removeprefix("ringscope")
    done = pasted(f"{program}{words} --url {shlex.quote(server.url)}", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "admin" in done.stdout


def test_what_why_says_to_do_next_runs_in_a_bare_shell(server: Server, tmp_path: Path) -> None:
    program = shlex.quote(str(Path(sys.executable).with_name("ringscope")))
    made = json.loads(server.run("submit", "--ranks", "1", "--hold", "--json").stdout)
    why = pasted(f"{program} why {made['id']} --data-dir {server.data_dir} --url {server.url}", tmp_path)
    found = re.search("Next: `(.*)` puts it into the queue", why.stdout)
    assert found is not None, why.stdout + why.stderr
    done = pasted(found[1], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.run("cancel", str(made["id"])).returncode == 0


def test_the_line_of_an_empty_list_has_the_lists_flags_and_nothing_of_the_environment(api: FakeApi) -> None:
    api.answers["GET /webhooks"] = items()
    assert "; `ringscope webhook add` makes one." in api.run("webhooks").out
    told = api.run("webhooks", "--data-dir", "/srv/my rs", "--url", f"{api.url}/").out
    assert f"`RINGSCOPE_DATA_DIR='/srv/my rs' RINGSCOPE_URL={api.url}/ ringscope webhook add`" in told

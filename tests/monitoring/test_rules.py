"""The alerts: each tested by promtool, with a runbook whose commands exist; and nothing asks for a misspelt metric."""

import re
import shlex
import shutil
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.monitoring.rules import FOLDER, ROOT, RULE_FILES, TEST_FILES, of_alert, promtool, read_alerts, read_looks

from ringscope.cli.main import build

ALERTS = read_alerts()
RUNBOOKS = ROOT / "docs" / "runbooks"
SEVERITIES = {"critical", "warning", "info"}
# monitoring.md names them; the last nine are the server's own findings, one for each kind.
PROMISED = {
    *("BusBandwidthLow", "BenchmarkRegressed", "StragglerRank", "LateRank", "RankHung", "RankDesync", "NodeDown"),
    *("NodeLost", "NodeNotScraped", "QueueStuck", "SchedulerStalled", "WrongResults", "JobFailures", "ServerDown"),
    *("RecordsDropped", "IngestSlow", "DiscoveryFailing", "ScrapeLimit", "DiagnosisBlamed"),
    *("GpuXid", "GpuMemoryError", "GpuRowRemapFailed", "GpuThrottled"),
    *("InsightStraggler", "InsightLateRank", "InsightSlowLink", "InsightHang", "InsightDesync"),
    *("InsightWrongResult", "InsightLowBandwidth", "InsightDiverged", "InsightMemoryGrowth"),
}

each_alert = pytest.mark.parametrize("name", ALERTS)
with_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing")


def test_the_alerts_are_those_that_were_promised() -> None:
    assert {f"Ringscope{name}" for name in PROMISED} == ALERTS.keys()


@with_promtool
def test_promtool_finds_nothing_wrong_with_the_rules(tmp_path: Path) -> None:
    done = promtool("check", "rules", *RULE_FILES)
    assert done.returncode == 0, done.stderr
    broken = tmp_path / "rules.yml"
    broken.write_text(RULE_FILES[0].read_text().replace("> 0", "> > 0"))
    assert promtool("check", "rules", broken).returncode != 0


@with_promtool
@pytest.mark.parametrize("path", TEST_FILES, ids=lambda path: path.stem)
def test_promtool_sees_what_the_test_file_expects(path: Path) -> None:
    done = promtool("test", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


@with_promtool
@pytest.mark.parametrize(
    ("alert", "was", "becomes"),
    [
        ("StragglerRank", "> 1.3\n", "> 1.28\n"),
        ("StragglerRank", ">= 3\n", ">= 2\n"),
        ("LateRank", "< 0.5\n", "< 0.52\n"),
        ("RankDesync", "> 20\n", "> 19\n"),
    ],
)
def test_a_limit_that_moves_is_noticed(tmp_path: Path, alert: str, was: str, becomes: str) -> None:
    shutil.copytree(FOLDER / "rules", tmp_path / "rules")
    tests = tmp_path / "tests" / "jobs.yml"
    tests.parent.mkdir()
    tests.write_text(of_alert(FOLDER / "tests" / "jobs.yml", f"Ringscope{alert}"))
    jobs = tmp_path / "rules" / "jobs.yml"
    text = jobs.read_text()
    assert was in text
    jobs.write_text(text.replace(was, becomes))
    done = promtool("test", "rules", tests)
    assert done.returncode != 0
    assert f"alertname: Ringscope{alert}" in done.stdout + done.stderr


@each_alert
def test_an_alert_is_seen_silent_then_firing_then_silent_again(name: str) -> None:
    groups: dict[str, list[bool]] = {}
    for look in sorted(read_looks(name), key=lambda look: look.seconds):
        groups.setdefault(look.group, []).append(bool(look.labels))
    courses = [
        tuple(fires for fires, after in pairwise([*course, None]) if fires != after) for course in groups.values()
    ]
    assert any(course == (False, True, False) for course in courses), courses
    assert any(group.startswith("idle: ") and not any(course) for group, course in groups.items())


@each_alert
def test_an_alert_says_what_it_means_and_where_to_read_on(name: str) -> None:
    alert = ALERTS[name]
    assert alert["labels"]["severity"] in SEVERITIES
    notes = alert["annotations"]
    assert notes.keys() == {"summary", "description", "runbook_url"}
    assert notes["summary"].endswith(".") and notes["description"].endswith(".")
    page = ROOT / notes["runbook_url"]
    assert page == RUNBOOKS / f"{name}.md"
    text = page.read_text()
    assert text.startswith(f"# {name}\n\nSeverity: {alert['labels']['severity']}. ")
    assert "\n## What to look at next\n" in text


@each_alert
def test_a_silence_of_the_runbook_matches_the_alert(name: str) -> None:
    (command,) = re.findall(r"```sh\namtool silence add (.*)\n```", (RUNBOOKS / f"{name}.md").read_text())
    wanted = [word.partition("=")[0] for word in shlex.split(command) if not word.startswith("--")]
    assert wanted[0] == "alertname"
    has_cluster = {"cluster"}  # given by the configuration to everything
    labels = [one.keys() | has_cluster for look in read_looks(name) for one in look.labels]
    assert any(set(wanted[1:]) <= one for one in labels)


def test_there_is_no_runbook_without_an_alert() -> None:
    assert {path.stem for path in RUNBOOKS.glob("Ringscope*.md")} == ALERTS.keys()


def test_commands_of_the_runbooks_exist() -> None:
    found = 0
    for page in RUNBOOKS.glob("Ringscope*.md"):
        for text in re.findall(r"`ringscope ([^`]*)`", page.read_text()):
            words = shlex.split(text)
            assert {word for word in words if word.startswith("-")} <= options_of(words), f"{page.stem}: {text}"
            found += 1
    assert found > 30


@cache
def program() -> Any:
    """`ringscope` with all of its commands."""
    return typer.main.get_command(build())


def options_of(words: list[str]) -> set[str]:
    """Return the options of the command that the words begin with."""
    command = program()
    for word in words:
        if not hasattr(command, "commands"):  # not a group
            break
        assert word in command.commands, words
        command = command.commands[word]
    return {option for one in command.params for option in one.opts}

"""Prometheus' rules and their tests, read as far as the tests look at them."""

import os
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "prometheus"
RULE_FILES = sorted((FOLDER / "rules").glob("*.yml"))
MEMORY = Path("/dev/shm")
FEW_COLLECTIONS = {"GOGC": "800"}  # of a Go program's garbage: a fifth of its time
TEST_FILES = sorted((FOLDER / "tests").glob("*.yml"))


@dataclass(frozen=True)
class Look:
    """One look at an alert in a group of a test file."""

    group: str
    seconds: float
    labels: tuple[dict[str, str], ...]


def read_rules() -> list[dict[str, Any]]:
    """Return the rules of all files."""
    return [rule for path in RULE_FILES for group in _yaml(path)["groups"] for rule in group["rules"]]


def read_alerts() -> dict[str, dict[str, Any]]:
    """Return the alerts by their names."""
    return {rule["alert"]: rule for rule in read_rules() if "alert" in rule}


def read_records() -> dict[str, str]:
    """The expressions of recorded series by their names."""
    return {rule["record"]: rule["expr"] for rule in read_rules() if "record" in rule}


def read_looks(alert: str) -> list[Look]:
    """Return what the test files expect of an alert, in the order of time in each group."""
    looks = []
    for path in TEST_FILES:
        for group in _yaml(path)["tests"]:
            for look in group["alert_rule_test"]:
                if look["alertname"] == alert:
                    fired = tuple(one["exp_labels"] for one in look.get("exp_alerts", ()))
                    looks.append(Look(f"{path.stem}: {group['name']}", _seconds(look["eval_time"]), fired))
    return looks


def promtool(*words: str | Path) -> subprocess.CompletedProcess[str]:
    # Its tests write series to disk only to read them again: in memory, where there is any to be had as a folder.
    temporary = {"TMPDIR": str(MEMORY)} if MEMORY.is_dir() else {}
    environment = os.environ | FEW_COLLECTIONS | temporary
    return subprocess.run(["promtool", *words], env=environment, capture_output=True, text=True, timeout=120)


def of_alert(test_file: Path, alert: str) -> str:
    """The test file with those of its groups alone that look at an alert."""
    content = _yaml(test_file)
    groups = [group for group in content["tests"] if alert in {look["alertname"] for look in group["alert_rule_test"]}]
    return yaml.safe_dump(content | {"tests": groups}, sort_keys=False)


@cache
def _yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def _seconds(text: str) -> float:
    return float(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]

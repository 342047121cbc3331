"""The workflow for GitHub: valid by the published schema, and its steps are targets of the Makefile."""

import importlib.resources
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from tests.deploy.recipes import ROOT

WORKFLOW: dict[str, Any] = yaml.load((ROOT / ".github" / "workflows" / "ci.yml").read_text(), yaml.BaseLoader)
SCHEMA = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "github-workflows.json"
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]


def complaints(workflow: dict[str, Any]) -> list[str]:
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [error.message for error in validator.iter_errors(workflow)]


def test_it_is_valid_by_the_published_schema() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    workflow["on"] = workflow.pop(True)  # YAML 1.1 reads the word as a boolean
    assert complaints(workflow) == []
    assert complaints(workflow | {"jobs": {"lint": {"runs_on": "x"}}}), "the schema would find a misspelt word"


@pytest.mark.long  # the reader is in a wheel that only the long tests have
def test_actionlint_accepts_it_and_would_find_a_fault(tmp_path: Path) -> None:
    text, spoilt = (ROOT / ".github" / "workflows" / "ci.yml").read_text(), tmp_path / "spoilt.yml"
    spoilt.write_text(text.replace("github.event_name", "github.event_nam"))
    for path, code in ((ROOT / ".github" / "workflows" / "ci.yml", 0), (spoilt, 1)):
        command = [Path(sys.executable).parent / "actionlint", "-no-color", path]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
    assert 'property "event_nam" is not defined' in done.stdout


@pytest.mark.parametrize("job", ["lint", "gate", "build"])
def test_its_steps_are_the_makefiles(job: str) -> None:
    commands = [step["run"] for step in JOBS[job]["steps"] if "run" in step]
    assert len(commands) == 1
    made = re.fullmatch(r"make ([a-z-]+)", commands[0])
    assert made and made[1] in TARGETS, commands


def test_a_job_names_jobs_that_exist_and_has_a_deadline() -> None:
    for name, job in JOBS.items():
        needs = job.get("needs", [])
        assert {*([needs] if isinstance(needs, str) else needs)} <= JOBS.keys(), name
        assert int(job["timeout-minutes"]) <= 90


def test_the_gate_runs_on_each_python_from_the_oldest_that_is_supported() -> None:
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert JOBS["gate"]["strategy"]["matrix"]["python"][0] == oldest
    assert JOBS["gate"]["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in range(11, 15)]


def test_the_gate_has_what_every_tier_but_the_gpus_needs() -> None:
    container = JOBS["gate"]["container"]  # of Debian, as root: scripts/system-packages and network namespaces
    assert container["image"] == "python:${{ matrix.python }}-bookworm"
    assert container["options"].split()[:2] == ["--privileged", "--shm-size"]


def test_only_a_tag_is_published_after_everything_else_and_without_a_token() -> None:
    publish = JOBS["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')" and publish["needs"] == "build"
    assert {*JOBS["build"]["needs"]} == {"lint", "gate"}
    assert publish["permissions"] == {"id-token": "write"} and "secrets." not in json.dumps(WORKFLOW)

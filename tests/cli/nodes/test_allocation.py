"""The batch script: what is asked for stands in it, and nothing secret."""

import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError

from ringscope.cli.batch.allocation import Allocation, batch_script
from ringscope_agent.settings import AgentSettings

SERVER, PYTHON = "http://ringscope.example:8000", "/opt/ringscope/bin/python"
EXAMPLE = Path(__file__).parents[3] / "deploy" / "slurm" / "ringscope.sbatch"


def script(**more: object) -> str:
    return batch_script(
        Allocation.model_validate({"nodes": 2, "time": "60", "server": SERVER, "python": PYTHON} | more)
    )


def directives(text: str) -> list[str]:
    return [line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH")]


def test_the_directives_are_what_was_asked_for() -> None:
    asked = {"nodes": 3, "time": "1-12:30", "partition": "gpu", "account": "lab", "name": "night"}
    found = set(directives(script(**asked, options=("--qos=low",))))
    assert {"--nodes=3", "--time=1-12:30", "--partition=gpu", "--account=lab", "--job-name=night"} <= found
    assert "--qos=low" in found
    assert not any(word.startswith(("--partition", "--account")) for word in directives(script()))


def test_nodes_are_taken_whole_unless_slots_are_named() -> None:
    assert "--exclusive" in directives(script())
    assert "--exclusive" not in directives(script(slots=4))
    assert "--cpus-per-task=4" in directives(script(slots=4))
    assert "export agent_slots=4\n" in script(slots=4)


def test_the_agents_options_are_exported_to_every_node() -> None:
    text = script(allow_env=("default", "NCCL_NET_PLUGIN"), nccl_ras="localhost:28028")
    assert "export RINGSCOPE_ALLOW_ENV=default,NCCL_NET_PLUGIN\n" in text
    assert "export RINGSCOPE_NCCL_RAS=localhost:28028\n" in text
    assert not any(name in script() for name in ("RINGSCOPE_ALLOW_ENV", "RINGSCOPE_NCCL_RAS"))
    with pytest.raises(ValidationError, match="'A-B' is no pattern of a name"):
        script(allow_env=("A-B",))
    with pytest.raises(ValidationError, match="'localhost' has no port"):
        script(nccl_ras="localhost")


def test_the_agent_takes_what_the_script_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RINGSCOPE_ALLOW_ENV", "A_*,NCCL_NET_PLUGIN")
    monkeypatch.setenv("RINGSCOPE_NCCL_RAS", "localhost:28028")
    settings = AgentSettings(server="http://a:1")
    assert (settings.allow_env, settings.nccl_ras) == (("A_*", "NCCL_NET_PLUGIN"), "localhost:28028")


def test_sbatch_finds_every_directive_before_the_first_command() -> None:
    lines = script(options=("--gres=gpu:8",)).splitlines()
    first_command = next(number for number, line in enumerate(lines) if line and not line.startswith("#"))
    assert all(number < first_command for number, line in enumerate(lines) if line.startswith("#SBATCH"))


def test_the_shell_reads_it_whatever_the_paths_are() -> None:
    text = script(python="/opt/my ring's/python", server="http://a:1,http://b:2")
    assert subprocess.run(("bash", "-n"), input=text, text=True, capture_output=True).stderr == ""
    shown = subprocess.run(
        ("bash", "-c", f"{text.partition('# When')[0]}\nprintf '%s' \"$agent_python\""),
        env={"RINGSCOPE_JOIN_TOKEN": "any"},
        text=True,
        capture_output=True,
    )
    assert shown.stdout == "/opt/my ring's/python"


def test_the_script_ends_at_once_without_a_token() -> None:
    done = subprocess.run(("bash",), input=script(), env={}, text=True, capture_output=True)
    assert done.returncode != 0
    assert "RINGSCOPE_JOIN_TOKEN: it lets the nodes join" in done.stderr


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nodes", 0),
        ("time", "soon"),
        ("time", "1:00; rm"),
        ("partition", "a b"),
        ("account", "a\n#SBATCH --uid=0"),
        ("name", ""),
        ("slots", 0),
        ("options", ("main",)),
        ("options", ("--a\nrm",)),
    ],
)
def test_what_slurm_or_the_shell_would_misread_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        script(**{field: value})
    assert refused.value.errors()[0]["loc"][0] == field


def test_the_example_is_what_the_command_writes() -> None:
    assert EXAMPLE.read_text() == script(time="1:00:00")

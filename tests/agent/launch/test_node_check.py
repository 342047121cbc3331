import importlib.util
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.agent.fake_nvml import fake_nvml

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment
from ringscope.contracts.rank_process import TOKEN_VARIABLE
from ringscope_agent import gpus
from ringscope_agent.launch.node_check import find_obstacle
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.process_group import HOME_VARIABLE
from ringscope_agent.settings import AgentSettings, SettingsError, read_settings

PROGRAMS = MpiPrograms(Path("mpiexec"), Path("hydra_pmi_proxy"))
WAIT = "import threading; print(1, flush=True); threading.Event().wait()"


@pytest.fixture
def settings(tmp_path: Path) -> AgentSettings:
    return AgentSettings(name="n1", slots=4, data_dir=tmp_path)


@pytest.fixture
def rank(settings: AgentSettings) -> Iterator[tuple[int, str]]:
    """Pid and token of a process of some attempt of this agent."""
    token = uuid.uuid4().hex
    marks = {TOKEN_VARIABLE: token, HOME_VARIABLE: str(settings.data_dir)}
    with subprocess.Popen([sys.executable, "-c", WAIT], env=os.environ | marks, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid, token
        process.kill()


def test_slots_programs_and_leftovers_stand_in_the_way(
    settings: AgentSettings, assignment: Callable[..., Assignment], rank: tuple[int, str]
) -> None:
    pid, token = rank
    assert find_obstacle(assignment(), settings, PROGRAMS, {5: 2}, {token}) == ""
    assert find_obstacle(assignment(), settings, "MPICH is missing.", {}, {token}) == "Node n1: MPICH is missing."
    assert find_obstacle(assignment(), settings, PROGRAMS, {5: 2, 3: 1}, {token}) == (
        "Node n1 has 1 of 4 slots free and 2 are asked for; attempts [3, 5] hold the others."
    )
    assert find_obstacle(assignment(), settings, PROGRAMS, {}, set()) == (
        f"Node n1 still runs processes of an earlier attempt: [{pid}]; end them by hand."
    )


def test_a_gpu_that_others_use_stands_in_the_way_of_a_job_on_gpus(
    settings: AgentSettings,
    assignment: Callable[..., Assignment],
    rank: tuple[int, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pid, token = rank
    job = assignment(device="cuda", algorithms=["ring"], transport="mpi")
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: [pid], 1: [os.getpid()]}))
    assert find_obstacle(job, settings, PROGRAMS, {}, {token}) == (
        f"The GPUs of node n1 are in use by others: process {os.getpid()} on GPU 1; end them, or drain the node."
    )
    on_cpu = assignment(device="cpu")
    assert find_obstacle(on_cpu, settings, PROGRAMS, {}, {token}) == ""
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: [pid], 1: []}))
    assert find_obstacle(job, settings, PROGRAMS, {}, {token}) == ""


def of(assignment: Callable[..., Assignment], **spec: object) -> Assignment:
    return assignment().model_copy(update={"spec": JobSpec.model_validate(spec)})


@pytest.mark.parametrize(
    ("strategy", "library", "remedy"),
    [
        ("mirrored", "torch", "install ringscope[train]"),
        ("tf_mirrored", "torch", "install ringscope[train]"),
        ("tf_mirrored", "tensorflow", "install ringscope[tensorflow]"),
    ],
)
def test_training_needs_its_library_which_is_looked_for_and_not_imported(
    settings: AgentSettings,
    assignment: Callable[..., Assignment],
    monkeypatch: pytest.MonkeyPatch,
    strategy: str,
    library: str,
    remedy: str,
) -> None:
    job = of(assignment, kind="training", training={"strategy": strategy, "device": "cpu"})
    installed = {"torch": object(), "tensorflow": object()}
    monkeypatch.setattr(importlib.util, "find_spec", installed.get)
    monkeypatch.delitem(sys.modules, library, raising=False)  # another test may have needed it
    assert find_obstacle(job, settings, PROGRAMS, {}, {job.token}) == ""
    assert library not in sys.modules
    del installed[library]
    assert find_obstacle(job, settings, PROGRAMS, {}, {job.token}) == (
        f"Node n1 has no {library}, which {strategy} needs; {remedy} there."
    )


def test_a_script_runs_only_where_a_folder_of_scripts_holds_it(
    settings: AgentSettings, assignment: Callable[..., Assignment], tmp_path: Path
) -> None:
    job = of(assignment, kind="script", script={"file": "mine/train.py", "device": "cpu"})
    assert find_obstacle(job, settings, PROGRAMS, {}, {job.token}) == (
        "Node n1 runs no scripts; start its agent with --scripts DIR."
    )
    scripts = tmp_path / "scripts"
    (scripts / "mine").mkdir(parents=True)
    settings = AgentSettings(name="n1", slots=4, data_dir=tmp_path, scripts=scripts)
    assert find_obstacle(job, settings, PROGRAMS, {}, {job.token}) == (
        f"Node n1 has no file mine/train.py in {scripts}; put it there."
    )
    (scripts / "mine" / "train.py").write_text("")
    assert find_obstacle(job, settings, PROGRAMS, {}, {job.token}) == ""


def test_the_own_model_of_a_training_job_must_be_in_the_folder_of_scripts(
    settings: AgentSettings, assignment: Callable[..., Assignment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)  # with or without the extra
    files = {"model": {"file": "net.py"}, "dataset": {"file": "samples.py"}, "device": "cpu"}
    job = of(assignment, kind="training", training=files)
    (tmp_path / "net.py").write_text("")
    settings = AgentSettings(name="n1", slots=4, data_dir=tmp_path, scripts=tmp_path)
    assert find_obstacle(job, settings, PROGRAMS, {}, {job.token}) == (
        f"Node n1 has no file samples.py in {tmp_path}; put it there."
    )


def test_a_folder_of_scripts_that_is_none_keeps_the_agent_from_starting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"scripts: .*missing is no folder; name the one that holds the scripts"):
        read_settings({"scripts": str(tmp_path / "missing")})


def test_a_variable_that_the_node_does_not_take_stands_in_the_way(
    settings: AgentSettings, assignment: Callable[..., Assignment]
) -> None:
    for name, taken in (("NCCL_ALGO", True), ("LD_PRELOAD", False)):
        asked = assignment()
        asked = asked.model_copy(update={"spec": asked.spec.model_copy(update={"env": {name: "1"}})})
        sentence = f"Node n1 does not take the variable {name}; start its agent with --allow-env {name}."
        assert find_obstacle(asked, settings, PROGRAMS, {}, set()) == ("" if taken else sentence)

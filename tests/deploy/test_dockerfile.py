"""deploy/docker/Dockerfile without an engine. tests/cluster/images/test_containers.py runs its commands."""

import re
import tomllib

import pytest
from tests.deploy.recipes import ROOT, TARGETS, commands_of, health_command, last, lineage, read_dockerfile

STAGES = read_dockerfile()
USER = "10001:10001"
# Gigabytes, so no test runs it. By hand it took 4 minutes beside other work (November 2026, CuPy 14.2); its NVRTC 12.9
# then compiled half and bfloat16 with its headers, where nothing else of CUDA was.
CUDA_COMMAND = '/opt/ringscope/bin/pip install "$(echo /wheels/ringscope-*.whl)[worker,cuda12]"'
# What the tests know how to run, or need not run.
WORDS = {
    *("RUN", "COPY", "ENV", "WORKDIR", "ENTRYPOINT", "CMD", "HEALTHCHECK"),
    *("USER", "VOLUME", "EXPOSE", "STOPSIGNAL"),
}


def test_only_instructions_that_the_tests_follow() -> None:
    assert {line.word for stage in STAGES.values() for line in stage.instructions} <= WORDS


def test_base_images_have_a_version() -> None:
    bases = {stage.base for stage in STAGES.values()} - STAGES.keys()
    assert all(re.fullmatch(r"\w+:\d+(\.\d+)*(-\w+)*", base) for base in bases), bases


def test_python_is_new_enough_and_the_same_in_every_stage() -> None:
    (python,) = {stage.base for stage in STAGES.values() if stage.base.startswith("python:")}
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    version, least = (tuple(map(int, re.findall(r"\d+", text)[:2])) for text in (python, required))
    assert version >= least


def test_what_cudas_image_runs_besides_was_run_by_hand() -> None:
    others = commands_of(STAGES, "worker") | commands_of(STAGES, "server")
    assert commands_of(STAGES, "worker-cuda") - others == {CUDA_COMMAND}, "run it by hand, and say so here"


@pytest.mark.parametrize("target", TARGETS)
def test_an_image_runs_its_role_without_root(target: str) -> None:
    assert last(STAGES, target, "ENTRYPOINT").words() == ["ringscope"]
    assert last(STAGES, target, "CMD").words() == ["server" if target == "server" else "agent"]
    assert last(STAGES, target, "USER").value == USER
    assert last(STAGES, target, "STOPSIGNAL").value == "SIGTERM"
    assert health_command(STAGES, target)[0] == "python"


@pytest.mark.parametrize("target", TARGETS)
def test_the_data_directory_is_a_volume_of_the_user(target: str) -> None:
    volume = last(STAGES, target, "VOLUME").value
    lines = [line for stage in lineage(STAGES, target) for line in stage.instructions]
    assert f"RINGSCOPE_DATA_DIR={volume}" in [line.value for line in lines if line.word == "ENV"]
    (made,) = (line.value for line in lines if line.word == "RUN" and line.value.endswith(volume))
    uid, gid = USER.split(":")
    assert f"--owner={uid} --group={gid}" in made


def test_what_is_copied_from_the_tree_is_there_and_sent_to_the_engine() -> None:
    sent = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
    for stage in STAGES.values():
        for line in stage.instructions:
            if line.word == "COPY" and not line.value.startswith("--from"):
                for source in line.value.split()[:-1]:
                    assert (ROOT / source).exists(), source
                    assert source.split("/")[0] in sent, source


def test_a_path_means_the_same_in_every_stage() -> None:
    copies = [line.value.split() for stage in STAGES.values() for line in stage.instructions if line.word == "COPY"]
    crossing = [words for words in copies if words[0].startswith("--from")]
    assert crossing
    for origin, source, target in crossing:
        assert origin.removeprefix("--from=") in STAGES
        assert source == target

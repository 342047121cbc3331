"""The real CuPy and NCCL, which need no GPU to be asked: the names that the engine uses, and the fake beside them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.fakes.fixture import FOLDER

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "workers" / "ringscope" / "engine"
WHEELS = ("cupy-cuda12x>=14", "nvidia-nccl-cu12>=2.30", "fastrlock", "cuda-pathfinder")
VARIABLE = "RINGSCOPE_TEST_GPU_WHEELS"  # a folder that has them already
# The fake's own, and what it takes more freely than CuPy does.
NOT_CUPYS = (
    "fake",
    "address_of",
    "note_",
    "forget_",
    "require_health",
    "current_stream",
    "is_grouped",
    "enqueue",
    "library",
)

pytestmark = pytest.mark.long  # it loads half a gigabyte


def told(*folders: Path, fake: bool = False) -> dict:
    path = os.pathsep.join(map(str, (*folders, ROOT / "workers")))
    environment = os.environ | {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-P", FOLDER / "real_wheels.py", ENGINE, *(["--fake"] if fake else [])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    if given := os.environ.get(VARIABLE):
        return told(Path(given))
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, *WHEELS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    if done.returncode:
        pytest.skip(f"the wheels cannot be had: {done.stderr[-300:]}")
    return told(folder)


def test_everything_that_the_engine_takes_from_cupy_is_there(real):
    assert real["used"] > 35
    assert real["missing"] == []


def test_the_fake_takes_as_many_arguments_as_cupy_does(real):
    compared = 0
    for name, wanted in told(FOLDER, fake=True)["signatures"].items():
        member = name.rpartition(".")[2]
        if member.startswith(NOT_CUPYS) or member == "cuda" or ".fake." in name:
            continue
        allowed = real["signatures"].get(name)
        if allowed is None or wanted is None:  # neither a signature nor a docstring with one
            continue
        least, most = allowed
        assert wanted[0] <= most and least <= wanted[1], f"{name}: the fake {wanted}, CuPy {allowed}"
        compared += 1
    assert compared > 25


def test_the_fakes_numbers_of_types_and_operations_are_nccls(real):
    numbers = told(FOLDER, fake=True)["numbers"]
    assert len(numbers) == 15
    assert {name: real["numbers"][name] for name in numbers} == numbers


def test_ctypes_finds_the_library_that_cupy_has_loaded_with_all_that_is_called(real):
    assert real["nccl"]["lacking"] == []


def test_nccl_works_up_to_the_join_which_fails_at_once(real):
    assert real["nccl"]["version"] >= 23000 and real["nccl"]["id"] == 128
    assert "unhandled cuda error" in real["nccl"]["join"]


def test_without_a_driver_one_sentence_says_so(real):
    assert real["no_driver"].startswith("device: cuda needs a GPU, but ") and real["no_driver"].endswith("device cpu.")

"""`ringscope run`: a script on several ranks without a server."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
print(os.environ["RANK"], os.environ["WORLD_SIZE"], os.getcwd(), *sys.argv[1:], os.environ.get("NCCL_ALGO"))
for line in range(50 if "--lines" in sys.argv else 0):
    print(os.environ["RANK"], line, "of", 50)
if "--fail" in sys.argv and os.environ["RANK"] == "1":
    raise ValueError("no luck")
"""


def ringscope_run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("ringscope")), "run", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "train.py").write_text(SCRIPT)
    return tmp_path


def test_a_script_runs_on_its_ranks_with_its_arguments_in_this_folder(folder: Path) -> None:
    done = ringscope_run(folder, "--ranks", "2", "--env", "NCCL_ALGO=Ring", "pkg/train.py", "--ranks", "9")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == [f"{rank} 2 {folder} --ranks 9 Ring" for rank in range(2)]


def test_lines_of_ranks_that_print_at_the_same_time_stay_whole(folder: Path) -> None:
    done = ringscope_run(folder, "--ranks", "2", "pkg/train.py", "--lines")
    printed = [line for line in done.stdout.splitlines() if "--lines" not in line]
    assert sorted(printed) == sorted(f"{rank} {line} of 50" for rank in range(2) for line in range(50))


@pytest.mark.long
def test_a_module_that_fails_is_told_with_its_rank(folder: Path) -> None:
    done = ringscope_run(folder, "--ranks", "2", "-m", "pkg.train", "--fail")
    assert done.returncode == 1
    assert "pkg/train.py failed: ValueError: no luck" in done.stderr
    assert "Traceback" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train.py"], "SCRIPT: there is no file train.py here; name a Python file."),
        (["-m", "pkg.missing"], "SCRIPT: this folder has no module pkg.missing; name one of its files or packages"),
    ],
)
def test_a_script_that_is_missing_is_told_in_a_sentence(folder: Path, words: list[str], sentence: str) -> None:
    done = ringscope_run(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr

"""scripts/step: what `make` says while it installs and builds."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STEP = Path(__file__).parents[2] / "scripts" / "step"


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([STEP, "Packages", *command], text=True, capture_output=True, env=os.environ | environment)


def test_a_step_is_one_line_with_its_duration() -> None:
    done = run("echo", "noise")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"Packages +\d+ s\n", done.stdout)


def test_a_step_that_fails_shows_its_output_and_keeps_its_code() -> None:
    done = run("sh", "-c", "echo no such package; exit 7")
    assert (done.returncode, done.stderr) == (7, "no such package\n")
    assert done.stdout.startswith("Packages ") and "failed after" in done.stdout


@contextmanager
def started(command: str) -> Iterator[subprocess.Popen[str]]:
    """A step that says what it does again and again."""
    environment = os.environ | {"STEP_SECONDS": "0"}
    step = [STEP, "Packages", "sh", "-c", command]
    with subprocess.Popen(step, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process
        assert process.stdout is not None
        process.stdout.read()


def test_a_long_step_says_what_it_does(tmp_path: Path) -> None:
    with started(f"echo Collecting numpy; while [ ! -e {tmp_path}/end ]; do sleep 0.05; done") as process:
        assert any(line.rstrip().endswith("so far: Collecting numpy") for line in process.stdout or ())
        (tmp_path / "end").touch()
    assert process.returncode == 0


def test_an_interrupted_step_ends_its_command() -> None:
    with started("echo $$; exec sleep 600") as process:
        child = next(int(words[-1]) for line in process.stdout or () if (words := line.split())[-1].isdigit())
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 130
    assert not Path(f"/proc/{child}").exists()

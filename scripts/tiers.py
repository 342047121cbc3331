"""The tiers of tests: what each runs, what it needs, and how long it may take.

`make test` is the gate: every promise once, in minutes. `make test-long` is what is long by nature: the tests marked
``long``, and the rest of the matrices that the gate takes a sample of (tests/conftest.py).
"""

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Tier:
    """Commands or folders of tests that run together; ``missing`` says why they cannot run here, or None.

    ``budget_seconds`` is what the gate's part should take on two cores: it is told, and nothing fails by it. A folder
    that lies in one of another tier is not that tier's.
    """

    name: str
    budget_seconds: int
    tools: tuple[tuple[str, ...], ...] = ()
    folders: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    is_alone: bool = False
    missing: Callable[[], str | None] = field(default=lambda: None)


def no_namespaces() -> str | None:
    """Why the hosts tier cannot run."""
    return "network namespaces need root" if os.geteuid() else _not_found("ip", "tc", "slurmctld", "munged")


def no_browser() -> str | None:
    """Why the web tier cannot run."""
    return _not_found("chromium")


def no_prometheus() -> str | None:
    """Why the monitoring tier cannot run."""
    return _not_found("prometheus", "promtool")


def no_gpu() -> str | None:
    """Why the GPU tier cannot run."""
    if shutil.which("nvidia-smi") is None or subprocess.run(("nvidia-smi", "-L"), capture_output=True).returncode:
        return "this machine has no NVIDIA GPU"
    return None if importlib.util.find_spec("cupy") else "CuPy is missing (pip install cupy-cuda12x)"


def _not_found(*commands: str) -> str | None:
    missing = [command for command in commands if shutil.which(command) is None]
    remedy = "on Debian: sudo scripts/system-packages"
    return f"{' and '.join(missing)} is missing ({remedy})" if missing else None


WORKERS = 2
# Tests of one process go to whichever worker is free, and have no second chance.
IN_PROCESS = (f"--numprocesses={WORKERS}", "--dist=worksteal", "--timeout=120")
# Real processes, links and browsers: a module's tests share what they started, and one that failed is tried again.
PROCESSES = (
    f"--numprocesses={WORKERS}",
    "--dist=loadfile",
    "--no-loadscope-reorder",
    "--timeout=300",
    "--reruns=2",
)
# Neighbours with the same options are one run of pytest.
TIERS = (
    Tier(
        "lint",
        60,
        tools=(
            ("mypy", "--no-error-summary"),
            ("scripts/ui", "lint"),
            ("scripts/ui", "test"),
            ("lint-imports", "--no-cache"),
            ("ruff", "check", "--quiet"),
            ("ruff", "format", "--check", "--quiet"),
        ),
    ),
    Tier(
        "fast",
        50,
        folders=("tests/engine", "tests/agent", "tests/cli", "tests/deploy", "tests/examples", "tests/gate"),
        options=IN_PROCESS,
    ),
    Tier("train", 15, folders=("tests/train",), options=IN_PROCESS),
    Tier("server", 100, folders=("tests/server",), options=IN_PROCESS),
    Tier(
        "hosts",
        40,
        folders=("tests/cluster/hosts", "tests/cluster/slurm"),  # network namespaces, and a real Slurm
        options=PROCESSES,
        missing=no_namespaces,
    ),
    Tier("monitoring", 30, folders=("tests/monitoring",), options=PROCESSES, missing=no_prometheus),
    Tier("cluster", 80, folders=("tests/cluster",), options=PROCESSES),
    # Playwright and pytest-asyncio both want the event loop of their process.
    Tier("web", 100, folders=("tests/web",), options=PROCESSES, is_alone=True, missing=no_browser),
    Tier("gpu", 60, folders=("tests/gpu",), options=("--timeout=300",), missing=no_gpu),
)

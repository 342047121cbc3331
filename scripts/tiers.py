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


@dataclass(frozen=True, eq=False)
class Way:
    """The options with which pytest runs tests, and further ones for the long tests.

    Two ways are two runs, also if their options are equal. If a way ``is_in_memory``, the gate's files are in /dev/shm,
    which none of its tests may cover.
    """

    options: tuple[str, ...]
    long_options: tuple[str, ...] = ("--timeout=1800",)
    is_in_memory: bool = False


@dataclass(frozen=True)
class Tier:
    """Commands or folders of tests that run together; ``missing`` says why they cannot run here, or None.

    ``long_tools`` are the commands that the long tests run in place of ``tools``.

    ``budget_seconds`` is what the gate's part should take, with two other runs beside it on two cores that do nothing
    else: it is told, and nothing fails by it. With three runs side by side, all of them fit into the gate's budget.
    Tiers that go the same way are one run of pytest. A folder that lies in one of another tier is not that tier's.
    The gate leaves out a tier that ``is_long_only``.
    """

    name: str
    budget_seconds: int
    tools: tuple[tuple[str, ...], ...] = ()
    long_tools: tuple[tuple[str, ...], ...] = ()
    folders: tuple[str, ...] = ()
    way: Way | None = None
    missing: Callable[[], str | None] = field(default=lambda: None)
    is_long_only: bool = False


def no_namespaces() -> str | None:
    """Why the hosts tier cannot run."""
    return "network namespaces need root" if os.geteuid() else _not_found("ip", "tc", "slurmctld", "munged")


def no_browser() -> str | None:
    """Why the web tier cannot run."""
    return None if shutil.which("chromium-headless-shell") else _not_found("chromium")


def no_prometheus() -> str | None:
    """Why the monitoring tier cannot run."""
    return _not_found("prometheus", "promtool")


def no_engine() -> str | None:
    """Why the images tier cannot run."""
    if os.geteuid():
        return "base images and namespaces need root"
    commands = "buildah", "podman", "debootstrap", "runc"
    return _not_found(*commands, remedy="on Debian: sudo scripts/system-packages images")


def no_gpu() -> str | None:
    """Why the GPU tier cannot run."""
    if shutil.which("nvidia-smi") is None or subprocess.run(("nvidia-smi", "-L"), capture_output=True).returncode:
        return "this machine has no NVIDIA GPU"
    return None if importlib.util.find_spec("cupy") else "CuPy is missing (pip install cupy-cuda12x)"


def _not_found(*commands: str, remedy: str = "on Debian: sudo scripts/system-packages") -> str | None:
    missing = [command for command in commands if shutil.which(command) is None]
    return f"{' and '.join(missing)} is missing ({remedy})" if missing else None


_LEAN = ("-p", "no:schemathesis")  # its plugin takes two seconds to load; only tests/server/http uses it
# Tests of one process have no second chance; the long ones go to whichever of two workers is free.
_LONG_IN_PROCESS = ("--timeout=1800", "--numprocesses=2", "--dist=worksteal")
FAST, PROGRAMS, TRAIN = (Way(("--timeout=120", *_LEAN), _LONG_IN_PROCESS) for _ in range(3))
SERVER = Way(("--timeout=120",), _LONG_IN_PROCESS, is_in_memory=True)
SCHEDULER = Way((*SERVER.options, *_LEAN), _LONG_IN_PROCESS, is_in_memory=True)
# Real processes and links: what failed is tried again. The long ones also measure, or bring the machine to its limits:
# each has it for itself.
PROCESSES = Way(("--timeout=300", "--reruns=2", *_LEAN))
# The same, and a run of its own: Playwright and pytest-asyncio both want the event loop of their process. A timeout
# ends it: after an exception inside of Playwright every further test would wait for ever.
BROWSERS = Way((*PROCESSES.options, "--timeout-method=thread"), is_in_memory=True)
IMAGES = Way(("--timeout=300", *_LEAN), ("--timeout=3600",))
TIERS = (
    Tier(
        "lint",
        60,
        tools=(
            ("mypy", "--no-error-summary"),
            ("scripts/ui", "lint:gate"),  # but for the rules of React's compiler, which take three times as long
            ("scripts/ui", "test"),
            ("lint-imports", "--no-cache"),
            ("ruff", "check", "--quiet"),
            ("ruff", "format", "--check", "--quiet"),
        ),
        long_tools=(("scripts/ui", "lint"),),
    ),
    Tier(
        "fast",
        170,
        folders=tuple(
            f"tests/{package}"
            for package in (
                *("contracts", "schedules", "cost", "choice", "diagnosis", "expected", "imports", "judging", "search"),
                *(
                    "explanations",
                    "hangs",
                    "preflight",
                    "nccl_inspector",
                    "nccl_log",
                    "nccl_ras",
                    "report",
                    "engine",
                    "bench",
                    "rank",
                    "deploy",
                    "examples",
                    "gate",
                ),
            )
        ),
        way=FAST,
    ),
    Tier("programs", 160, folders=("tests/agent", "tests/cli"), way=PROGRAMS),
    Tier("train", 110, folders=("tests/train",), way=TRAIN),
    Tier("server", 400, folders=("tests/server",), way=SERVER),  # but for the parts below
    Tier(
        "scheduler",
        230,
        folders=tuple(
            f"tests/server/{package}"
            for package in ("attempts", "scheduler", "placement", "nodes", "insights", "monitoring", "predictions")
        ),
        way=SCHEDULER,
    ),
    Tier(
        "hosts",
        60,
        folders=("tests/cluster/hosts", "tests/cluster/slurm"),  # network namespaces, and a real Slurm
        way=PROCESSES,
        missing=no_namespaces,
    ),
    Tier("monitoring", 40, folders=("tests/monitoring",), way=PROCESSES, missing=no_prometheus),
    Tier("cluster", 240, folders=("tests/cluster",), way=PROCESSES),
    Tier("web", 150, folders=("tests/web",), way=BROWSERS, missing=no_browser),
    # The images of containers, built and run: a quarter of an hour, most of it a build.
    Tier("images", 0, folders=("tests/images",), way=IMAGES, missing=no_engine, is_long_only=True),
    # The fast, server and cluster tiers of the gate on each Python that is supported.
    Tier("pythons", 0, long_tools=(("scripts/pythons",),), is_long_only=True),
    Tier("gpu", 60, folders=("tests/gpu",), way=Way(("--timeout=300", *_LEAN)), missing=no_gpu),
)

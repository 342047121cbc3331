"""`make test`: run every test tier that can run on this machine; say in a line each which cannot, and why.

    python scripts/test.py [TIER …]

With CI=true only the GPU tier may be skipped. The last line sums what pytest counted over all tiers.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
TIER_SECONDS = 1800


@dataclass
class Count:
    """Outcomes of tests, and for a tool without tests 1 passed or 1 failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True)
class Tier:
    """Commands that run together; ``missing`` says why they cannot run here, or None."""

    name: str
    tools: tuple[tuple[str, ...], ...] = ()
    folders: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
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


HOSTS = ("tests/cluster/hosts", "tests/cluster/slurm")  # clusters of network namespaces, and of Slurm
PARALLEL = ("--numprocesses=logical", "--maxprocesses=4")  # the other tiers start gangs and want the cores
TIERS = (
    Tier(
        "lint",
        tools=(
            ("ruff", "check", "--quiet"),
            ("ruff", "format", "--check", "--quiet"),
            ("mypy", "--no-error-summary"),
            ("lint-imports", "--no-cache"),
            ("scripts/ui", "lint"),
        ),
    ),
    Tier("frontend", tools=(("scripts/ui", "test"),)),
    Tier(
        "fast",
        folders=("tests/engine", "tests/agent", "tests/cli", "tests/deploy", "tests/examples"),
        options=PARALLEL,
    ),
    Tier("train", folders=("tests/train",)),
    Tier("server", folders=("tests/server",), options=PARALLEL),
    Tier("cluster", folders=("tests/cluster",), options=tuple(f"--ignore={folder}" for folder in HOSTS)),
    Tier("hosts", folders=HOSTS, missing=no_namespaces),
    Tier("web", folders=("tests/web",), missing=no_browser),
    Tier("monitoring", folders=("tests/monitoring",), missing=no_prometheus),
    Tier("gpu", folders=("tests/gpu",), missing=no_gpu),
)


def main(names: list[str]) -> int:
    """Run the named tiers, or all; 0 if nothing failed."""
    unknown = set(names) - {tier.name for tier in TIERS}
    if unknown:
        say(f"There is no tier {', '.join(sorted(unknown))}; choose of {', '.join(t.name for t in TIERS)}.")
        return 2
    if not names and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(("scripts/system-packages",), cwd=ROOT, check=False)
    strict = os.environ.get("CI") == "true"
    total = Count()
    report: list[str] = []
    for tier in TIERS:
        if names and tier.name not in names:
            continue
        line, count = run_tier(tier, strict)
        report.append(line)
        total = Count(total.passed + count.passed, total.failed + count.failed, total.skipped + count.skipped)
    say("", *report, str(total))
    return 1 if total.failed else 0


def run_tier(tier: Tier, strict: bool) -> tuple[str, Count]:
    """The tier's line of the report, and its counts."""
    reason = tier.missing() or _no_tests(tier)
    if reason is not None:
        if strict and tier.name != "gpu":
            return f"FAILED {tier.name}: {reason}, and with CI=true this tier must run", Count(failed=1)
        return f"SKIPPED {tier.name}: {reason}", Count(skipped=1)
    say(f"--- {tier.name}")
    start = time.monotonic()
    count = run_pytest(*tier.options, *tier.folders) if tier.folders else run_tools(tier.tools)
    verdict = "FAILED" if count.failed else "PASSED"
    return f"{verdict} {tier.name}: {count} in {time.monotonic() - start:.0f} s", count


def run_tools(tools: tuple[tuple[str, ...], ...]) -> Count:
    """Run each tool; its exit code is its outcome."""
    count = Count()
    for tool in tools:
        if _run(tool) == 0:
            count.passed += 1
        else:
            say(f"failed: {' '.join(tool)}")
            count.failed += 1
    return count


def run_pytest(*arguments: str) -> Count:
    """Run pytest and count from its JUnit file."""
    with tempfile.TemporaryDirectory() as scratch:
        junit = Path(scratch, "junit.xml")
        code = _run(("python", "-m", "pytest", "-q", f"--junitxml={junit}", *arguments))
        if not junit.exists():
            return Count(failed=1)
        suites = ElementTree.parse(junit).getroot().findall("testsuite")

    def sum_of(attribute: str) -> int:
        return sum(int(suite.get(attribute, 0)) for suite in suites)

    failed, skipped = sum_of("failures") + sum_of("errors"), sum_of("skipped")
    passed = sum_of("tests") - failed - skipped
    return Count(passed, max(failed, 1) if code else failed, skipped)


def say(*lines: str) -> None:
    """Print lines at once, so that they stay in order with what the tools print."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _run(command: tuple[str, ...]) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    # Tests start thousands of interpreters: each would compile the whole project again where no bytecode is kept.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PATH"] = f"{BIN}:{environment['PATH']}"
    try:
        return subprocess.run(command, cwd=ROOT, env=environment, timeout=TIER_SECONDS).returncode
    except subprocess.TimeoutExpired:
        say(f"{' '.join(command)} did not end within {TIER_SECONDS} s")
        return 1


def _not_found(*commands: str) -> str | None:
    missing = [command for command in commands if shutil.which(command) is None]
    remedy = "on Debian: sudo scripts/system-packages"
    return f"{' and '.join(missing)} is missing ({remedy})" if missing else None


def _no_tests(tier: Tier) -> str | None:
    has_tests = any(any(Path(ROOT, folder).glob("**/test_*.py")) for folder in tier.folders)
    return None if has_tests or not tier.folders else f"there are no tests in {', '.join(tier.folders)} yet"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

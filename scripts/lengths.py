"""Print how long the project's modules are. The lint shows it, and nothing fails by it."""

import subprocess
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("workers", "backend")
MEDIAN_LINES = 110
MOST_LINES = 350
_OTHERS = "/migrations/"


def lines_of(root: Path = ROOT) -> dict[str, int]:
    """The lines of each module, but of migrations, by its path."""
    names = subprocess.run(
        ("git", "ls-files", *(f"{package}/*.py" for package in PACKAGES)),
        cwd=root, check=True, stdout=subprocess.PIPE, text=True,
    ).stdout.split()  # fmt: skip
    paths = [name for name in names if _OTHERS not in name and (root / name).exists()]
    return {name: (root / name).read_text().count("\n") for name in paths}


def told(lines: dict[str, int]) -> list[str]:
    """The median beside its limit, and each file above the other one."""
    longest = max(lines, key=lambda name: lines[name])
    middle = f"Modules: {len(lines)}, median {median(lines.values()):.0f} lines (limit {MEDIAN_LINES})"
    above = sorted((name for name in lines if lines[name] > MOST_LINES), key=lambda name: -lines[name])
    return [
        f"{middle}, the longest {lines[longest]} (limit {MOST_LINES})",
        *(f"  {lines[name]} lines: {name}" for name in above),
    ]

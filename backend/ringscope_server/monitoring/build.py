"""The revision of the source from which this server was built."""

import json
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


@cache
def revision() -> str:
    """Return the commit that pip installed from, or the checkout's; empty for a wheel from elsewhere."""
    return _installed() or _checked_out(Path(__file__).parent)


def _installed() -> str:
    try:
        direct = distribution("ringscope").read_text("direct_url.json")
        return str(json.loads(direct or "{}").get("vcs_info", {}).get("commit_id", ""))
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""


def _checked_out(folder: Path) -> str:
    # Some other project's checkout may hold the virtual environment that this lies in.
    if "site-packages" in folder.parts:
        return ""
    try:
        git = ("git", "-C", str(folder), "rev-parse", "HEAD")
        done = subprocess.run(git, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

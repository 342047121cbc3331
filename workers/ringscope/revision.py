"""Find the commit of this checkout. It is read from Git's files, because ranks must start no process once MPI is up."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


@cache
def revision() -> str:
    """Return the commit that pip installed from, or the checkout's commit; empty for a wheel from elsewhere."""
    return _installed() or _checked_out(Path(__file__).parent)


def _installed() -> str:
    try:
        direct = distribution("ringscope").read_text("direct_url.json")
        return str(json.loads(direct or "{}").get("vcs_info", {}).get("commit_id", ""))
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""


def _checked_out(folder: Path) -> str:
    # The virtual environment of this package may be inside another project's checkout.
    if "site-packages" in folder.parts:
        return ""
    try:
        top = next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)
        return "" if top is None else _head(top / ".git")
    except (OSError, UnicodeDecodeError):
        return ""


def _head(git: Path) -> str:
    # In an additional worktree it names the folder with its own HEAD, which names the common folder.
    if git.is_file():
        git = git.parent / git.read_text().removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text().strip()
    if not head.startswith("ref: "):
        return head
    branch = head.removeprefix("ref: ")
    common = git / (git / "commondir").read_text().strip() if (git / "commondir").exists() else git
    if (common / branch).exists():
        return (common / branch).read_text().strip()
    packed = common / "packed-refs"
    lines = packed.read_text().splitlines() if packed.exists() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {branch}")), "")

"""The versions of agents that this server accepts: its own and the minor version before it. Pure."""

import re
from functools import cache

from ringscope.contracts.words.version import OLDEST_AGENT, __version__

_MINOR = re.compile(r"([0-9]+)\.([0-9]+)")


def refusal(version: str | None) -> str:
    """Return a sentence with both versions and the remedy if an agent of this version is too old; empty if it is not,
    or if it does not tell its version.
    """
    if not _is_older(version or "", OLDEST_AGENT):
        return ""
    return (
        f"The node has Ringscope {version}, but the server has {__version__} and accepts agents of {OLDEST_AGENT} and "
        f"later; install {__version__} on the node and start its agent again."
    )


@cache
def _is_older(version: str, oldest: str) -> bool:
    told, needed = _MINOR.match(version), _MINOR.match(oldest)
    if told is None or needed is None:
        return False
    return [int(part) for part in told.groups()] < [int(part) for part in needed.groups()]

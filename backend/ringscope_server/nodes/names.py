"""Nodes by name, in sentences. Pure."""

from collections.abc import Sequence

_NAMED = 3  # names in a list of many nodes


def listed(names: Sequence[str]) -> str:
    """Return the names as in: n1, n2, n3 and 29 more."""
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")

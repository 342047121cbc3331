"""JSON merge patch (RFC 7396). Pure."""

from typing import Any


def merge_patch(target: Any, patch: Any) -> Any:
    """The target as the patch wants it: objects are merged, null takes a member away, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged

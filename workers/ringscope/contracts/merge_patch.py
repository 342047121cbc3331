"""JSON merge patch (RFC 7396). Pure."""

from typing import Any


def merge_patch(target: Any, patch: Any) -> Any:
    """Apply the patch to the target: objects are merged, null removes a member, any other value replaces it."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged

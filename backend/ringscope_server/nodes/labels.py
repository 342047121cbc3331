"""Labels: those that the agent sets on its node, and those that people set instead."""

from collections.abc import Mapping

from ringscope_server.db.models import Node

RACK = "rack"


def effective(node: Node) -> dict[str, str]:
    """Return the labels that selectors see: the agent's, as changed by people."""
    return overridden(node.labels, node.label_overrides)


def overridden(told: Mapping[str, str], overrides: Mapping[str, str | None]) -> dict[str, str]:
    """Return an agent's labels as changed by people."""
    merged = {**told, **overrides}
    return {name: value for name, value in merged.items() if value is not None}


def merge(node: Node, changes: Mapping[str, str | None]) -> None:
    """Set labels and, with None, remove labels."""
    overrides = {**node.label_overrides, **changes}
    # What only people had said needs no null to be gone.
    node.label_overrides = {
        name: value for name, value in overrides.items() if value is not None or name in node.labels
    }

"""Labels: what the agent says of its node, and what people say instead."""

from collections.abc import Mapping

from ringscope_server.db.models import Node

RACK = "rack"


def effective(node: Node) -> dict[str, str]:
    """The labels that selectors see: the agent's, as people changed them."""
    return overridden(node.labels, node.label_overrides)


def overridden(told: Mapping[str, str], overrides: Mapping[str, str | None]) -> dict[str, str]:
    """An agent's labels as people changed them."""
    merged = {**told, **overrides}
    return {name: value for name, value in merged.items() if value is not None}


def merge(node: Node, changes: Mapping[str, str | None]) -> None:
    """Set labels and, with None, take labels away."""
    overrides = {**node.label_overrides, **changes}
    # What only people had said needs no null to be gone.
    node.label_overrides = {
        name: value for name, value in overrides.items() if value is not None or name in node.labels
    }

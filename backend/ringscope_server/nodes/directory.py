"""Agents that this server knows: their epochs in memory, so that a poll that changes nothing costs no query."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

TRUST_SECONDS = 60.0


@dataclass(frozen=True)
class Known:
    """A node, and the epoch under which its agent speaks, as last read from the table."""

    node_id: int
    epoch: int
    read_at: float


class Directory:
    """Names to nodes. An entry expires after a minute, because several servers may share the table.

    Until then, an agent that was fenced elsewhere can only learn here that nothing has changed. Its heartbeats, its
    reports and every list of assignments are checked against the table.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[str, Known] = {}

    def find(self, name: str, epoch: int) -> int | None:
        """Return the id of the node, or None if the table must be read."""
        known = self._known.get(name)
        if known is None or known.epoch != epoch or self._monotonic() - known.read_at > TRUST_SECONDS:
            return None
        return known.node_id

    def remember(self, name: str, node_id: int, epoch: int) -> None:
        """Store what the table says now. Epochs only grow, so an older one is a late answer."""
        known = self._known.get(name)
        if known is None or known.epoch <= epoch:
            self._known[name] = Known(node_id, epoch, self._monotonic())

    def forget(self, name: str) -> None:
        """Forget a node that was removed or is lost: its next poll must read the table."""
        self._known.pop(name, None)

    def forget_ids(self, node_ids: Collection[int]) -> None:
        """Forget nodes that another server changed."""
        self._known = {name: known for name, known in self._known.items() if known.node_id not in node_ids}

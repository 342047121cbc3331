"""Nodes: what people want of them, what they are, and what runs there."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ringscope.client.connection import Connection
from ringscope.client.views import nodes as views
from ringscope.client.views.events import Event
from ringscope.client.views.nodes import (
    BusySlots,
    Cluster,
    Link,
    LinkHistory,
    NodeGpus,
    NodeHistory,
    NodeRas,
    RackLink,
    RackLinks,
    Readings,
)


class Node(views.Node):
    """A node: what people want of it (desired) and what it is (observed)."""

    @property
    def is_up(self) -> bool:
        """Return whether it takes work; a degraded node does, with the slots it has left."""
        return self.observed in ("ready", "degraded")


class NodeRoutes(Connection):
    """/nodes, /links, /readings and /cluster."""

    def cluster(self) -> Cluster:
        """Nodes, slots and jobs, counted."""
        return Cluster.read(self._get("/cluster"))

    def busy_slots(self, hours: int = 24) -> BusySlots:
        """Return the mean number of busy slots in equal parts of the last hours."""
        return BusySlots.read(self._get("/cluster/slots", {"hours": hours}))

    def nodes(self) -> list[Node]:
        """All nodes, by name."""
        return [_node(item) for item in self._items("/nodes")]

    def links(self, until: datetime | None = None, between: Collection[str] = ()) -> list[Link]:
        """Return each pair of nodes with its newest measurement, or its newest one at that time.

        ``between`` leaves only the links between these nodes; a server of an earlier version does not do that.
        """
        query = {"until": until and until.isoformat(), "between": sorted(between)}
        return [Link.read(item) for item in self._items("/links", query)]

    def rack_links(self, job_id: int | None = None) -> list[RackLink]:
        """Return the links between each two racks in a few numbers: the newest ones, or those that a job measured."""
        return RackLinks.read(self._get("/links/racks", {"job": job_id})).items

    def link_history(self, first: str, second: str, rail: int | None = None) -> LinkHistory:
        """Return the newest measurements of the link between two nodes as wholes, or of a rail, newest first."""
        path = f"/links/{quote(first, safe='')}/{quote(second, safe='')}"
        return LinkHistory.read(self._get(path, {"rail": rail}))

    def readings(self) -> list[Readings]:
        """Return the load of each node that reported any during the last minutes."""
        return [Readings.read(item) for item in self._items("/readings")]

    def node_history(self, name: str) -> NodeHistory:
        """Return the load of the node by the minute over the last day."""
        return NodeHistory.read(self._get(f"{_path(name)}/history"))

    def node_ras(self, name: str) -> NodeRas:
        """Return what NCCL's RAS on the node said last, if its agent asks it."""
        return NodeRas.read(self._get(f"{_path(name)}/nccl-ras"))

    def node_gpus(self, name: str) -> NodeGpus:
        """Return what the node's agent said last of its GPUs."""
        return NodeGpus.read(self._get(f"{_path(name)}/gpus"))

    def node(self, name: str) -> Node:
        """One node."""
        return _node(self._get(_path(name)))

    def label_node(self, name: str, labels: Mapping[str, str | None], revision: int | None = None) -> Node:
        """Set labels in addition to the agent's, or override them; None removes one."""
        return _node(self._change("PATCH", _path(name), {"labels": dict(labels)}, revision))

    def drain(self, name: str, reason: str) -> Node:
        """Give the node no new work; what runs there goes on."""
        return _node(self._bring(f"{_path(name)}/drain", {"reason": reason}))

    def resume(self, name: str) -> Node:
        """Give the node work again."""
        return _node(self._bring(f"{_path(name)}/resume"))

    def release_slot(self, name: str, slot: int) -> Node:
        """Release a quarantined slot, after somebody has checked that nothing runs there."""
        return _node(self._act(f"{_path(name)}/slots/{slot}/release"))

    def node_events(self, name: str) -> Iterator[Event]:
        """Yield the events of the node."""
        return map(Event.read, self._items(f"{_path(name)}/events"))

    def remove_node(self, name: str) -> None:
        """Forget a lost node that nothing runs on."""
        self._remove(_path(name))


def _path(name: str) -> str:
    return f"/nodes/{quote(name, safe='')}"


def _node(body: dict[str, Any]) -> Node:
    return Node.read(body)

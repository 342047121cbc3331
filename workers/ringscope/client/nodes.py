"""Nodes: what people want of them, what they are, and what runs there."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ringscope.client.connection import Connection
from ringscope.client.events import Event
from ringscope.client.view import View


class Slot(View):
    """One slot, and the rank on it; ``quarantine`` says why it is not given away."""

    slot: int
    job_id: int | None = None
    rank: int | None = None
    quarantine: str | None = None


class Gpu(View):
    """One GPU."""

    model: str
    memory_bytes: int


class Inventory(View):
    """Hardware of a node."""

    cores: int
    memory_bytes: int
    gpus: list[Gpu] = []


class Node(View):
    """A node: what people want of it (desired) and what it is (observed)."""

    id: int
    name: str
    address: str = ""
    revision: int = 1
    desired: str
    desired_reason: str = ""
    desired_by: str | None = None
    observed: str
    observed_reason: str = ""
    slots_total: int
    slots_busy: int
    slots: list[Slot] = []
    inventory: Inventory | None = None
    versions: dict[str, str] = {}
    labels: dict[str, str] = {}
    leaves_at: datetime | None = None
    heartbeat_age_seconds: float
    clock_offset_seconds: float | None = None
    clock_error_seconds: float | None = None

    @property
    def is_up(self) -> bool:
        """Return whether it takes work; a degraded node does, with the slots it has left."""
        return self.observed in ("ready", "degraded")


class Cluster(View):
    """The whole cluster in a few numbers."""

    version: str
    nodes_ready: int
    nodes_total: int
    slots_busy: int
    slots_total: int
    jobs_queued: int
    jobs_running: int
    jobs_finished: int


class Readings(View):
    """Load of a node during the last minutes, in columns, oldest first; None where it could not be read."""

    node: str
    age_seconds: list[float]
    load_average: list[float | None] = []
    memory_used_bytes: list[int | None] = []
    gpu_utilization_ratio: list[float | None] = []
    gpu_memory_used_bytes: list[int | None] = []
    gpu_temperature_celsius: list[float | None] = []


class Link(View):
    """Two nodes, and what the newest sendrecv of one rank on each measured between them."""

    nodes: list[str]
    busbw_gb_per_s: float
    size_bytes: int
    is_unstable: bool = False
    algorithm: str
    transport: str
    job_id: int
    measured_at: datetime


class NodeRoutes(Connection):
    """/nodes, /links, /readings and /cluster."""

    def cluster(self) -> Cluster:
        """Nodes, slots and jobs, counted."""
        return Cluster.read(self._get("/cluster"))

    def nodes(self) -> list[Node]:
        """All nodes, by name."""
        return [_node(item) for item in self._items("/nodes")]

    def links(self) -> list[Link]:
        """Pairs of nodes that were measured."""
        return [Link.read(item) for item in self._items("/links")]

    def readings(self) -> list[Readings]:
        """Return the load of each node that reported any during the last minutes."""
        return [Readings.read(item) for item in self._items("/readings")]

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

"""Nodes as the API shows them."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from ringscope.protocol import Inventory

NodeDesired = Literal["active", "drain"]
NodeObserved = Literal["ready", "degraded", "lost"]


class SlotView(BaseModel):
    """One slot of a node, and the rank on it."""

    slot: int
    job_id: int | None
    rank: int | None


class NodeView(BaseModel):
    """A node: what people want of it (desired), what it is (observed), what it has, what it runs."""

    id: int
    name: str
    address: str
    desired: NodeDesired
    observed: NodeObserved
    slots_total: int
    slots_busy: int
    slots: list[SlotView]
    inventory: Inventory
    versions: dict[str, str]
    labels: dict[str, str]
    metrics_address: str
    registered_at: datetime
    last_heartbeat_at: datetime
    heartbeat_age_seconds: float = Field(description="Seconds since the agent was last heard of.")


class NodePage(BaseModel):
    """All nodes, by name."""

    items: list[NodeView]
    next: str | None = None

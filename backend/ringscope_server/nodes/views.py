"""Nodes as the API shows them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ringscope.contracts.protocol import Inventory

NodeDesired = Literal["active", "drain"]
NodeObserved = Literal["ready", "degraded", "lost"]
LabelText = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class SlotView(BaseModel):
    """One slot of a node, and the rank on it."""

    slot: int
    job_id: int | None
    rank: int | None
    quarantine: str | None = Field(description="Why it is not given away: its last processes are not proven gone.")


class NodeView(BaseModel):
    """A node: what people want of it (desired), what it is (observed), what it has, what it runs."""

    id: int
    name: str
    address: str
    revision: int = Field(description="Grows with each edit; the ETag is made of it.")
    desired: NodeDesired
    desired_reason: str = Field(description="Why people want it so.")
    desired_by: str | None
    desired_at: datetime | None
    observed: NodeObserved
    observed_reason: str = Field(description="Why it is degraded or lost, in words.")
    slots_total: int
    slots_busy: int
    slots_quarantined: int
    slots: list[SlotView]
    inventory: Inventory
    versions: dict[str, str]
    labels: dict[str, str] = Field(description="The agent's, as changed by label_overrides.")
    rack: str | None = Field(description="Its label rack.")
    label_overrides: dict[str, str | None] = Field(description="Set by people; null takes a label away.")
    metrics_address: str
    registered_at: datetime
    last_heartbeat_at: datetime
    clock_offset_seconds: float | None = Field(description="The node's clock minus the server's; null: not known.")
    clock_error_seconds: float | None = Field(description="The offset is at most so far from the truth.")
    leaves_at: datetime | None = Field(description="When the batch system takes the node back; null: it stays.")
    heartbeat_age_seconds: float = Field(description="Seconds since the agent was last heard of.")


class NodeLabels(BaseModel):
    """Labels to set on a node, and with null to take away; the others stay."""

    model_config = ConfigDict(extra="forbid")

    labels: dict[LabelText, LabelText | None] = Field(max_length=100)


class Drain(BaseModel):
    """Why a node shall take no new work."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


class NodePage(BaseModel):
    """Nodes by name, all of them unless a limit was given; pass ``next`` as ``cursor`` for the page after it."""

    items: list[NodeView]
    next: str | None = None

"""The API's views of nodes."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ringscope.contracts.inventory import Inventory

NodeDesired = Literal["active", "drain"]
NodeObserved = Literal["ready", "degraded", "lost"]
LabelText = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class SlotView(BaseModel):
    """One slot of a node, and the rank on it."""

    slot: int
    job_id: int | None
    rank: int | None
    quarantine: str | None = Field(description="Why it is quarantined: its last processes are not proven gone.")


class NodeView(BaseModel):
    """A node: its desired and observed state, its hardware and its ranks."""

    id: int
    name: str
    address: str
    revision: int = Field(description="The revision grows with each edit; the ETag is derived from it.")
    desired: NodeDesired
    desired_reason: str = Field(description="The reason that a person gave for the desired state.")
    desired_by: str | None
    desired_at: datetime | None
    observed: NodeObserved
    observed_reason: str = Field(description="A sentence on why it is degraded or lost.")
    slots_total: int
    slots_busy: int
    slots_free: int = Field(
        description="The slots that a job would get now: none if the node is drained, lost or that of an exclusive job."
    )
    slots_quarantined: int
    slots: list[SlotView]
    inventory: Inventory
    versions: dict[str, str]
    labels: dict[str, str] = Field(description="The agent's labels, changed by label_overrides.")
    rack: str | None = Field(description="The value of its label rack.")
    label_overrides: dict[str, str | None] = Field(description="Labels that people set; null removes a label.")
    metrics_address: str
    registered_at: datetime
    last_heartbeat_at: datetime
    clock_offset_seconds: float | None = Field(
        description="The node's clock minus the server's; null if it is not known."
    )
    clock_error_seconds: float | None = Field(description="The largest possible error of clock_offset_seconds.")
    leaves_at: datetime | None = Field(description="When the batch system takes the node back; null if it stays.")
    heartbeat_age_seconds: float = Field(description="Seconds since the agent's last heartbeat.")


class NodeLabels(BaseModel):
    """Labels to set on a node, or to remove with null; the others stay."""

    model_config = ConfigDict(extra="forbid")

    labels: dict[LabelText, LabelText | None] = Field(max_length=100)


class Drain(BaseModel):
    """The reason for which a node should take no new work."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


class NodePage(BaseModel):
    """Nodes by name, all of them unless a limit was given; pass ``next`` as ``cursor`` for the page after it."""

    items: list[NodeView]
    next: str | None = None

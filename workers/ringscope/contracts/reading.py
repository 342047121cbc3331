"""Load of a node and state of its NCCL jobs at one moment, sent by its agent with a heartbeat. Pure."""

from typing import Annotated

from pydantic import BaseModel, Field

from ringscope.contracts.columns import Count, Int32

MOST_REMARKS = 20
MOST_RANKS = 64
_Text = Annotated[str, Field(max_length=1000)]


class Reading(BaseModel):
    """Load of all cores and all GPUs together; null: the node cannot measure it, or has no GPU."""

    load_average: Annotated[float, Field(ge=0, le=1e6)] | None = Field(
        None, description="Processes that run or wait for a core, over the last minute."
    )
    memory_used_bytes: Count | None = None
    network_bytes: Count | None = Field(
        None, description="Bytes that the network cards have sent and received; a later, lower value is a new count."
    )
    gpu_utilization_ratio: Annotated[float, Field(ge=0, le=1)] | None = Field(None, description="Mean of the GPUs.")
    gpu_memory_used_bytes: Count | None = Field(None, description="Memory in use on all GPUs together.")
    gpu_temperature_celsius: Annotated[float, Field(ge=-300, le=1000)] | None = Field(
        None, description="Temperature of the hottest GPU."
    )


class NodeRasRemark(BaseModel):
    """A fault of a communicator; ``ranks`` are the minority, as many of them as fit."""

    kind: Annotated[str, Field(max_length=40)] = Field(
        description="missing, failed, timeouts, behind, hanging or progressing."
    )
    communicator: Annotated[str, Field(max_length=100)]
    ranks: list[Int32] = Field([], max_length=MOST_RANKS, fail_fast=True)
    sentence: _Text


class NodeRasState(BaseModel):
    """The newest answer of RAS, or why there is none."""

    address: _Text = Field(description="HOST:PORT that the agent asks.")
    age_seconds: Annotated[float, Field(ge=0, le=1e9)] = Field(description="How long ago it was asked.")
    error: _Text | None = Field(None, description="Why there is no answer; null: there is one.")
    answer: _Text = Field("", description="The most important sentence.")
    nccl_version: Annotated[str, Field(max_length=40)] | None = None
    communicators: Count = 0
    is_repaired: bool = Field(False, description="The JSON missed commas, which were added.")
    remarks: list[NodeRasRemark] = Field([], max_length=MOST_REMARKS, fail_fast=True)

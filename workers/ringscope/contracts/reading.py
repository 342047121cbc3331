"""Load of a node at one moment, sent by its agent with a heartbeat. Pure."""

from typing import Annotated

from pydantic import BaseModel, Field

from ringscope.contracts.columns import Count


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

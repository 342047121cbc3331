"""Load of a node and states of its NCCL jobs and GPUs at one moment, sent by its agent with a heartbeat. Pure."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from ringscope.contracts.columns import Count, Int32

MOST_GPUS = 128
MOST_XIDS = 16
MOST_REMARKS = 20
MOST_RANKS = 64
_Text = Annotated[str, Field(max_length=1000)]
_Watts = Annotated[float, Field(ge=0, le=1e6)]
_Seconds = Annotated[float, Field(ge=0, le=1e12)]
_Megahertz = Annotated[float, Field(ge=0, le=1e6)]
# NVML's reasons for a lower clock, without an idle GPU and clocks that a person has set.
SlowReason = Literal["power_cap", "hardware", "sync_boost", "too_hot", "hardware_too_hot", "power_brake"]


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


class GpuState(BaseModel):
    """State of a GPU as NVML reports it; null: this model or driver does not report it."""

    index: Count
    uuid: Annotated[str, Field(max_length=100)] = ""
    model: Annotated[str, Field(max_length=200)] = ""
    utilization_ratio: Annotated[float, Field(ge=0, le=1)] | None = None
    memory_used_bytes: Count | None = None
    temperature_celsius: Annotated[int, Field(ge=-300, le=1000)] | None = None
    power_watts: _Watts | None = None
    power_limit_watts: _Watts | None = Field(None, description="The limit that is in force.")
    clock_mhz: _Megahertz | None = Field(None, description="The clock of its multiprocessors.")
    most_clock_mhz: _Megahertz | None = Field(None, description="The highest clock of its multiprocessors.")
    memory_clock_mhz: _Megahertz | None = None
    slowed_by: list[SlowReason] | None = Field(
        None, max_length=10, description="Why its clock is lowered at this moment; empty: it is not lowered."
    )
    hot_seconds: _Seconds | None = Field(
        None, description="How long heat has lowered its clock since the driver was loaded."
    )
    power_capped_seconds: _Seconds | None = Field(
        None, description="How long its power limit has lowered its clock since the driver was loaded."
    )
    ecc_corrected: Count | None = Field(None, description="Memory errors that ECC corrected since the driver loaded.")
    ecc_uncorrected: Count | None = Field(
        None, description="Memory errors that ECC could not correct since the driver was loaded."
    )
    rows_remapped: Count | None = Field(None, description="Memory rows that were replaced because they broke.")
    is_remap_pending: bool | None = Field(
        None, description="A broken row or page of its memory is replaced only when the GPU is reset."
    )
    has_remap_failed: bool | None = Field(None, description="A broken memory row could not be replaced.")
    nvlinks_up: Count | None = Field(None, description="NVLinks that are active.")
    nvlink_errors: Count | None = Field(
        None,
        description="Errors of its NVLinks: repeated packets, recovered links and wrong checksums, or those received.",
    )
    nvlink_transmit_bytes: Count | None = None
    nvlink_receive_bytes: Count | None = None
    xids: list[Int32] = Field(
        [], max_length=MOST_XIDS, description="The driver's errors that occurred while jobs ran, the newest last."
    )


class GpuTrouble(BaseModel):
    """Trouble of a GPU while a job ran: what slowed it, and what its driver reported."""

    gpu: Count
    hot_seconds: _Seconds | None = Field(None, description="How long heat lowered its clock; null: it is not counted.")
    slowed_by: list[SlowReason] = Field([], max_length=10, description="Reasons seen at any moment of the job.")
    xids: list[Int32] = Field([], max_length=MOST_XIDS)

"""Hardware and software of a node, as its agent reports them when it registers."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from ringscope.contracts.columns import Count, Int64, cut
from ringscope.contracts.job import JobKind
from ringscope.contracts.words.machine import Machine

_MOST_SAID = 10_000  # most characters in a rank's own account of its end

Word = Annotated[str, Field(max_length=1000)]
Sentence = Annotated[str, AfterValidator(lambda sentence: cut(sentence, _MOST_SAID))]


class Gpu(BaseModel):
    """One GPU as NVML describes it."""

    index: Count
    uuid: Word
    model: Word
    memory_bytes: Count
    power_limit_watts: float | None = Field(
        None, description="null: not reported, or by an agent of an earlier version."
    )
    most_clock_mhz: Count | None = Field(None, description="The highest clock of its multiprocessors.")
    nvlinks: Count | None = Field(None, description="NVLinks that were active at the agent's start; null: it has none.")
    has_ecc: bool | None = Field(None, description="Whether its memory corrects errors (ECC).")


class Nic(BaseModel):
    """One network interface that is up, except loopback."""

    name: Word
    speed_mbit_per_s: Int64 | None = Field(None, description="Speed reported by the driver; null: none is reported.")
    addresses: list[Word] = Field([], max_length=1000, fail_fast=True)
    is_virtual: bool = Field(
        False,
        description="The interface has no network card of its own: a bridge, a container's end, a bond, a tunnel.",
    )


class Lack(BaseModel):
    """Something that a node lacks and needs to run ranks."""

    sentence: Sentence
    kinds: list[JobKind] = Field([], description="Kinds of jobs that are not placed on the node because of it.")


class Inventory(BaseModel):
    """Hardware and software of a node."""

    hostname: Word
    os: Word
    cpu_model: Word
    cores: Count
    memory_bytes: Count
    gpus: list[Gpu] = Field([], max_length=1000, fail_fast=True)
    nics: list[Nic] = Field([], max_length=1000, fail_fast=True)
    machine: Machine | None = Field(
        None, description="Speed of its processors and of its task switches, for the cost model."
    )
    lacks: list[Lack] = Field([], max_length=100, description="What the node lacks to run ranks.")
    only_here: bool = Field(False, description="Its address is a loopback address: no other machine reaches it.")
    scripts: bool | None = Field(None, description="Whether it runs scripts; null: its agent is of an earlier version.")
    allow_env: list[Word] = Field(
        [], max_length=1000, description="Patterns of the names of variables that a job may set on it, such as NCCL_*."
    )
    nccl_ras: Word = Field("", description="HOST:PORT of NCCL's RAS that its agent asks; empty: it does not.")

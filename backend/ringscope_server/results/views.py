"""Results as the API shows them."""

from datetime import datetime

from pydantic import BaseModel, Field


class MeasurementView(BaseModel):
    """One row of a sweep's table; rates in 1e9 bytes per second, times in microseconds."""

    id: int
    collective: str
    algorithm: str = Field(description="As the job names it; auto stays auto.")
    chosen_algorithm: str | None = Field(description="What auto took; null for an algorithm named by the job.")
    chosen_because: str | None = Field(description="Why auto took it, in a sentence.")
    transport: str = Field(description="simulated: the times are the cost model's.")
    in_place: bool
    cycle: int = Field(description="Which repetition of the whole sweep, from 0.")
    size_bytes: int
    count: int
    dtype: str
    op: str
    ranks: int
    iterations: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    wrong: int | None = Field(description="Wrong elements over all ranks; null when the check was off.")
    min_us: float
    mean_us: float
    p50_us: float
    p95_us: float
    p99_us: float
    max_us: float
    stdev_us: float
    cv_percent: float
    measured_at: datetime


class NodeEnvironment(BaseModel):
    """What the ranks of one node ran in; nothing in it is a secret."""

    rank: int = Field(description="Who told it.")
    host: str
    ranks: list[int] = Field(description="Those on this node.")
    versions: dict[str, str]
    variables: dict[str, str] = Field(description="The environment variables that steer a run.")
    cpu_model: str
    cores: int = Field(description="Logical processors.")
    physical_cores: int | None
    sockets: int | None
    numa_nodes: int | None
    memory_bytes: int


class RankBinding(BaseModel):
    """Where one rank ran."""

    rank: int
    local_rank: int
    host: str
    pid: int
    device: str = Field(description="cpu, or the GPU's number and PCI address.")
    cpus: list[int] = Field(description="Processors that it might run on; empty: not known.")
    numa_node: int | None = Field(description="To which all of these belong; null: to several, or not known.")


class AttemptEnvironment(BaseModel):
    """What one attempt ran in, as its ranks told it at their start."""

    attempt: int = Field(description="Number of the attempt, from 1.")
    nodes: list[NodeEnvironment]
    ranks: list[RankBinding]


class EnvironmentList(BaseModel):
    """One entry for each attempt whose ranks have started, oldest first."""

    items: list[AttemptEnvironment]


class StepView(BaseModel):
    """One step of one rank: a benchmark iteration, or a training step."""

    id: int
    rank: int
    step: int
    op: str
    algorithm: str
    transport: str = Field(description="simulated: the times are the cost model's.")
    in_place: bool
    bytes: int
    started_at_ns: int = Field(description="Wall clock, nanoseconds since 1970.")
    duration_us: float
    compute_us: float
    communication_us: float
    exposed_us: float
    loss: float | None


class LogLine(BaseModel):
    """A line of output; ``rank`` is null for the launcher's and the agent's own lines."""

    id: int
    node: str
    rank: int | None
    stream: str
    time_ns: int
    text: str


class EventView(BaseModel):
    """Something that happened to a job or a node, and who did it."""

    id: int
    time: datetime
    actor: str
    action: str
    target_type: str
    target_id: str
    before: str | None
    after: str | None
    message: str


class MeasurementPage(BaseModel):
    """Measurements in the order they were made."""

    items: list[MeasurementView]
    next: str | None


class StepPage(BaseModel):
    """Steps in the order they were stored."""

    items: list[StepView]
    next: str | None


class LogPage(BaseModel):
    """Log lines in the order they were stored."""

    items: list[LogLine]
    next: str | None


class EventPage(BaseModel):
    """Events, oldest first."""

    items: list[EventView]
    next: str | None

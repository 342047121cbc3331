"""Results as the API shows them."""

from datetime import datetime

from pydantic import BaseModel, Field

from ringscope.contracts.sweep_row import SweepRow


class _IdFirst(BaseModel):
    """The last base's fields come first."""

    id: int


class MeasurementView(SweepRow, _IdFirst):
    """One row of a sweep's table; rates in 1e9 bytes per second, times in microseconds."""

    measured_at: datetime


class NodeEnvironment(BaseModel):
    """What the ranks of one node ran in; nothing in it is a secret."""

    rank: int = Field(description="The rank that reported it.")
    host: str
    ranks: list[int] = Field(description="Ranks on this node.")
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
    numa_node: int | None = Field(
        description="The NUMA node to which all of these belong; null: several, or not known."
    )


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
    started_at_ns: int = Field(description="Nanoseconds since 1970, by the node's clock.")
    server_time_ns: int | None = Field(
        None, description="The same by the server's clock, so that nodes compare; null: the node's is not known."
    )
    clock_error_us: float | None = Field(None, description="server_time_ns is at most so far from the truth.")
    duration_us: float
    compute_us: float
    communication_us: float
    exposed_us: float
    loss: float | None = Field(
        description="Loss of a training step; null also where it was no finite number, as the training diverged."
    )
    samples: int | None = Field(description="Samples that this rank took in a training step.")
    lag: int | None = Field(description="Steps that this worker of a parameter server was ahead of the slowest one.")


class StepBlockView(BaseModel):
    """Steps of one rank that are alike, as many as were counted; of training bytes are the gradient's."""

    rank: int
    op: str
    algorithm: str
    transport: str = Field(description="simulated: the times are the cost model's.")
    in_place: bool
    bytes: int
    steps: int = Field(description="So many are counted here: since somebody watches the job, or of the newest rows.")
    last_step: int = Field(description="Index of the newest step, counted over the attempt.")
    started_at_ns: int = Field(description="The newest one, by the node's clock, nanoseconds since 1970.")
    last_us: float = Field(description="What the newest one took.")
    mean_us: float
    min_us: float
    max_us: float
    busbw_gb_per_s: float | None = Field(
        description="Bus bandwidth by mean_us; null for training, and where it is not known."
    )
    recent_us: list[float] = Field(description="What the newest ones took, in order.")
    loss: float | None = Field(description="Loss of the newest training step; null also where it was no finite number.")
    samples: int | None = Field(description="Samples that this rank took in all of these training steps.")
    compute_us: float = Field(description="Mean; exposed_us too.")
    exposed_us: float


class NewestSteps(BaseModel):
    """What each rank is at, in the newest attempt that told of steps; of many ranks the slowest."""

    job_id: int
    attempt_id: int | None = Field(description="null: none has begun.")
    ranks: int = Field(description="So many have told.")
    items: list[StepBlockView] = Field(description="Blocks by rank.")


class ArrivalView(BaseModel):
    """Who came last to one step, and by how much, by one clock for all nodes."""

    step: int
    op: str
    algorithm: str
    in_place: bool
    bytes: int
    last_rank: int
    last_node: str
    late_us: float = Field(description="How much later than the median rank it came.")
    error_us: float | None = Field(description="late_us is at most so far from the truth; null: a clock is not known.")
    is_real: bool = Field(description="The last rank was late by more than the clocks may err.")
    spread_us: float = Field(description="Time between the first rank and the last.")


class LatencyPoint(BaseModel):
    """So large a share of the iterations took at most so long."""

    share: float = Field(description="0: the fastest one, 1: the slowest one.")
    time_us: float


class LatencyCurve(BaseModel):
    """The iterations of one row, by the slowest rank of each; their percentiles are those of the row."""

    count: int = Field(
        description="Iterations that every rank has told of, over all cycles; warm-up is not among them."
    )
    ranks: int
    points: list[LatencyPoint] = Field(
        description="Percentiles, ascending; none beyond what so many iterations can show."
    )


class RankLateness(BaseModel):
    """How late one rank came to the steps; late is after the median rank of the step."""

    rank: int
    node: str
    mean_late_us: float = Field(description="Mean over all steps; negative: it came early.")
    error_us: float | None = Field(
        description="Lateness is at most so far from the truth; 0: all ranks on one node, null: a clock is not known."
    )
    last_steps: int = Field(description="Steps to which it came last.")
    last_steps_beyond_error: int = Field(
        description="How many of these it was late in by more than the clocks may err."
    )
    late_us: list[float | None] = Field(description="The largest lateness in each column.")
    clock_offset_ns: int = Field(
        description="Its node's clock, by which its lines in the log are timed, minus the server's; 0: not known."
    )


class Lateness(BaseModel):
    """Who comes late to the steps, and what they take after the last rank has come."""

    first_step: int
    steps: int = Field(description="Steps that every rank has reported.")
    steps_per_column: int
    ranks: list[RankLateness] = Field(description="The latest on average first.")
    after_us: list[float | None] = Field(
        description="Time from the last rank's arrival to the last rank's end, the largest in each column."
    )
    started_at_ns: list[int | None] = Field(
        description="When the median rank came to the first step of each column, by the server's clock, nanoseconds "
        "since 1970."
    )


class LogOutline(BaseModel):
    """A log by its length: where its pages begin, so that any part of it can be read."""

    lines: int
    last_id: int | None = Field(description="Number of the newest line that is counted.")
    lines_per_page: int
    cursors: list[str | None] = Field(description="One cursor for each page: null for the first one.")
    line_at: int | None = Field(
        description="Which of these lines was the last to be printed by the time asked for, from 1; null: none was."
    )


class LogLine(BaseModel):
    """A line of output; ``rank`` is null for the launcher's and the agent's own lines."""

    id: int
    number: int | None = Field(None, description="Among all lines of the job, from 1; null in the live stream.")
    node: str
    rank: int | None
    stream: str
    time_ns: int
    text: str


class MeasurementPage(BaseModel):
    """Measurements in the order they were made."""

    items: list[MeasurementView]
    next: str | None


class StepPage(BaseModel):
    """Steps in the order they were stored."""

    items: list[StepView]
    next: str | None


class ArrivalPage(BaseModel):
    """Arrivals in the order of the steps."""

    items: list[ArrivalView]
    next: str | None


class LogPage(BaseModel):
    """Log lines in the order they were stored."""

    items: list[LogLine]
    next: str | None

"""The API's views of results."""

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
    """The environment of one node's ranks; nothing in it is a secret."""

    rank: int = Field(description="The rank that reported it.")
    host: str
    ranks: list[int] = Field(description="The ranks on this node.")
    versions: dict[str, str]
    variables: dict[str, str] = Field(description="The environment variables that control a run.")
    cpu_model: str
    cores: int = Field(description="Logical processors.")
    physical_cores: int | None
    sockets: int | None
    numa_nodes: int | None
    memory_bytes: int


class RankBinding(BaseModel):
    """The device and processors of one rank."""

    rank: int
    local_rank: int
    host: str
    pid: int
    device: str = Field(description="The device: cpu, or the GPU's number and PCI address.")
    cpus: list[int] = Field(description="The processors that it may run on; empty if they are not known.")
    numa_node: int | None = Field(
        description="The NUMA node of all these processors; null if there are several or it is not known."
    )


class AttemptEnvironment(BaseModel):
    """The environment of one attempt, as its ranks reported it at their start."""

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
    started_at_ns: int = Field(description="The start by the node's clock in nanoseconds since 1970.")
    server_time_ns: int | None = Field(
        None,
        description="The start by the server's clock, so that nodes can be compared; null if the offset of the node's"
        " clock is not known.",
    )
    clock_error_us: float | None = Field(None, description="The largest possible error of server_time_ns.")
    duration_us: float
    compute_us: float
    communication_us: float
    exposed_us: float
    input_us: float | None = Field(description="The time in which the rank waited for its samples; null: not measured.")
    memory_bytes: int | None = Field(
        description="The resident set of the rank's process after this step, which is measured with the last step of "
        "each report."
    )
    loss: float | None = Field(
        description="The loss of a training step; null also if it was not a finite number: training has diverged."
    )
    samples: int | None = Field(description="The number of samples that this rank processed in a training step.")
    lag: int | None = Field(description="The steps by which it is ahead of the slowest worker, with parameter servers.")


class StepBlockView(BaseModel):
    """Similar steps of one rank, as many as were counted; for training, bytes are the gradient's."""

    rank: int
    op: str
    algorithm: str
    transport: str = Field(description="simulated: the times are the cost model's.")
    in_place: bool
    bytes: int
    steps: int = Field(
        description="The number of steps counted here: since the job has been watched, or of the newest rows."
    )
    last_step: int = Field(description="The index of the newest step, counted over the attempt.")
    started_at_ns: int = Field(
        description="The start of the newest step by the node's clock in nanoseconds since 1970."
    )
    last_us: float = Field(description="The duration of the newest step.")
    mean_us: float
    min_us: float
    max_us: float
    busbw_gb_per_s: float | None = Field(
        description="The bus bandwidth at mean_us; null for training and if it is not known."
    )
    recent_us: list[float] = Field(description="The durations of the newest steps, in order.")
    loss: float | None = Field(
        description="The loss of the newest training step; null also if it was not a finite number."
    )
    samples: int | None = Field(description="The number of samples that this rank processed in all training steps.")
    compute_us: float = Field(description="The mean over these steps, like exposed_us.")
    exposed_us: float
    input_us: float | None = Field(description="The mean over these steps; null if it was not measured.")
    memory_bytes: int | None = Field(description="The newest resident set of the rank's process; null: not measured.")


class NewestSteps(BaseModel):
    """The newest steps of each rank in the newest attempt that reported steps; of many ranks, only the slowest."""

    job_id: int
    attempt_id: int | None = Field(description="The attempt; null if none has begun.")
    ranks: int = Field(description="The number of ranks that have reported steps.")
    items: list[StepBlockView] = Field(description="The blocks of steps, ordered by rank.")


class ArrivalView(BaseModel):
    """The rank that came last to one step, and by how much, on one clock for all nodes."""

    step: int
    op: str
    algorithm: str
    in_place: bool
    bytes: int
    last_rank: int
    last_node: str
    late_us: float = Field(description="The time by which the last rank arrived after the median rank.")
    error_us: float | None = Field(
        description="The largest possible error of late_us; null if a clock offset is not known."
    )
    is_real: bool = Field(description="Whether the last rank was late by more than the clock error.")
    spread_us: float = Field(description="The time between the arrivals of the first and the last rank.")


class LatencyPoint(BaseModel):
    """The share of the iterations that took at most this time."""

    share: float = Field(description="The share of the iterations: 0 is the fastest, 1 the slowest.")
    time_us: float


class LatencyCurve(BaseModel):
    """The iterations of one row, by the slowest rank of each; the curve agrees with the row's percentiles."""

    count: int = Field(description="The iterations reported by every rank, over all cycles, without warm-up.")
    ranks: int
    points: list[LatencyPoint] = Field(
        description="The points in ascending order, up to the share that this number of iterations can resolve."
    )


class RankLateness(BaseModel):
    """The lateness of one rank in the steps; it is measured from the median rank of the step."""

    rank: int
    node: str
    mean_late_us: float = Field(description="The mean over all steps; negative if the rank came early.")
    error_us: float | None = Field(
        description="The largest possible error of the lateness; 0 if all ranks are on one node, null if a clock "
        "offset is not known."
    )
    last_steps: int = Field(description="The number of steps to which it came last.")
    last_steps_beyond_error: int = Field(
        description="The number of these steps in which it was late by more than the clock error."
    )
    late_us: list[float | None] = Field(description="The largest lateness in each column.")
    clock_offset_ns: int = Field(
        description="The node's clock, which stamps its log lines, minus the server's; 0 if it is not known."
    )


class Lateness(BaseModel):
    """The lateness of ranks in the steps, and the time of the steps after the last arrival."""

    first_step: int = Field(description="The first step of the row.")
    steps: int = Field(description="The number of steps that every rank has reported.")
    steps_per_column: int = Field(description="Steps of this row in each column; steps of other rows do not count.")
    ranks: list[RankLateness] = Field(description="The ranks, the latest on average first.")
    after_us: list[float | None] = Field(
        description="The time from the last rank's arrival to the last rank's end, the largest in each column."
    )
    started_at_ns: list[int | None] = Field(
        description="When the median rank came to the first step of each column, by the server's clock, nanoseconds "
        "since 1970."
    )


class LogOutline(BaseModel):
    """The length of a log and the beginnings of its pages, so that any part of it can be read."""

    lines: int
    last_id: int | None = Field(description="The id of the newest line that is counted.")
    lines_per_page: int
    cursors: list[str | None] = Field(description="A cursor for each page; null for the first page.")
    line_at: int | None = Field(
        description="The number, from 1, of the last line printed by the requested time; null if there is none."
    )


class LogLine(BaseModel):
    """A line of output; ``rank`` is null for the launcher's and the agent's own lines."""

    id: int
    number: int | None = Field(
        None, description="The number among all lines of the job, from 1; null in the live stream."
    )
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

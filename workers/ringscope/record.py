"""Records: what a rank tells the agent of its node, and the agent then stores and forwards to the server.

One record is one line of JSON on the agent's Unix socket. A timed block is sent as one record with one array per
column, after the block, so that telling never sits inside a timed region.
Times: ``*_ns`` are wall-clock nanoseconds since 1970 (to place things); ``*_us`` are durations measured with a
monotonic clock.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

SOCKET_VARIABLE = "RINGSCOPE_SOCKET"
TOKEN_VARIABLE = "RINGSCOPE_ATTEMPT_TOKEN"
SPEC_VARIABLE = "RINGSCOPE_SPEC"  # path of a file that holds the JobSpec as JSON
TUNING_VARIABLE = "RINGSCOPE_TUNING"  # path of a file that holds what is measured, for ``auto``
POSITIONS_VARIABLE = "RINGSCOPE_POSITIONS"  # path of the file of ``ringscope.positions``
FAULT_VARIABLE = "RINGSCOPE_FAULT"  # drill: "wrong_element" makes rank 0 spoil one element of each result

LOOPBACK = "one-device loopback"  # in a transport's name: ranks shared a GPU, so no link was measured

# Exit codes of a rank program.
EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2
EXIT_VERIFICATION_FAILED = 3


class RecordModel(BaseModel):
    """Base of every record."""

    model_config = ConfigDict(extra="forbid")


class Hello(RecordModel):
    """The first record of a rank: it is alive and wired up."""

    type: Literal["hello"] = "hello"
    rank: int
    local_rank: int
    ranks: int
    pid: int
    host: str
    device: str = Field("cpu", description="cpu, or the GPU's number and PCI address: 0 [0000:17:00.0].")
    cpus: list[int] = Field(default_factory=list, description="Processors that it may run on; empty: not known.")
    numa_node: int | None = Field(None, description="To which all of these belong; null: to several, or not known.")
    time_ns: int


class Environment(RecordModel):
    """What the ranks of one node run in, told by the first of them; nothing in it is a secret."""

    type: Literal["environment"] = "environment"
    rank: int = Field(description="Who tells it.")
    host: str
    ranks: list[int] = Field(description="Those on this node.")
    versions: dict[str, str] = Field(description="Libraries, MPI, kernel and C library; what is missing is left out.")
    variables: dict[str, str] = Field(description="The environment variables that steer a run.")
    cpu_model: str
    cores: int = Field(description="Logical processors.")
    physical_cores: int | None
    sockets: int | None
    numa_nodes: int | None
    memory_bytes: int
    time_ns: int


class Steps(RecordModel):
    """Finished steps of one rank: benchmark iterations of one timed block, or training steps.

    Every array has one entry per step. ``bytes`` is what one step moves: the message size, times the operations of an
    iteration that aggregates several. ``bus_factor`` is what it is multiplied by to count bytes on the bus (all-reduce:
    2(n-1)/n).
    """

    type: Literal["steps"] = "steps"
    rank: int
    first_step: int = Field(ge=0, description="Index of the first step in this record, counted over the attempt.")
    op: str = Field(description="Collective, such as all_reduce.")
    algorithm: str
    transport: str
    in_place: bool
    bytes: int
    bus_factor: float
    start_ns: list[int]
    duration_us: list[float]
    communication_us: list[float]
    compute_us: list[float]
    exposed_us: list[float]
    loss: list[float] | None = None
    dropped: int = Field(0, description="Records this rank had to drop since its last one.")

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> "Steps":
        columns = [self.duration_us, self.communication_us, self.compute_us, self.exposed_us, self.loss]
        if any(column is not None and len(column) != len(self.start_ns) for column in columns):
            raise ValueError("every column of a steps record needs one entry per step")
        return self


class Check(RecordModel):
    """A result check of one rank that found wrong elements; sent only then."""

    type: Literal["check"] = "check"
    rank: int
    op: str
    algorithm: str
    in_place: bool
    size_bytes: int
    wrong: int
    first_index: int
    want: str
    got: str
    time_ns: int


class Measurement(RecordModel):
    """One row of the sweep's table, from rank 0.

    ``time_us`` is the mean of the timed iterations as in nccl-tests, over the ranks as the job's ``average`` says; the
    other times are of the slowest rank per iteration. All are per operation.
    """

    type: Literal["measurement"] = "measurement"
    collective: str
    algorithm: str = Field(description="As the job names it; auto stays auto.")
    chosen_algorithm: str | None = Field(None, description="What auto took; null for an algorithm named by the job.")
    chosen_because: str | None = Field(None, description="Why auto took it, in a sentence.")
    transport: str
    in_place: bool
    cycle: int = Field(0, description="Which repetition of the whole sweep, from 0.")
    size_bytes: int
    count: int
    dtype: str
    op: str
    ranks: int
    time_us: float
    algbw_gb_per_s: float = Field(description="size_bytes / time, in 1e9 bytes per second.")
    busbw_gb_per_s: float
    wrong: int | None = Field(description="Wrong elements over all ranks; null when the check is off.")
    min_us: float
    mean_us: float
    p50_us: float
    p95_us: float
    p99_us: float
    max_us: float
    stdev_us: float = Field(description="Of the population of iterations, as in nccl-tests.")
    cv_percent: float = Field(description="100 stdev / mean.")
    iterations: int
    times_us: list[float] | None = Field(
        None, description="Of the slowest rank, every iteration in order; null unless the job asks per_iteration."
    )
    time_ns: int


class Log(RecordModel):
    """A line of output. ``rank`` is null when the line is the launcher's or the agent's own."""

    type: Literal["log"] = "log"
    rank: int | None
    stream: Literal["stdout", "stderr", "agent"]
    time_ns: int
    text: str


class Failure(RecordModel):
    """A rank's own account of why it stops, in one sentence."""

    type: Literal["failure"] = "failure"
    rank: int
    reason: Literal["rank_exit", "verification_failed", "oom"]
    message: str
    lost_rank: int | None = Field(None, description="Stops only because the process of this rank has ended.")


class Done(RecordModel):
    """The last record of a rank that finished its program."""

    type: Literal["done"] = "done"
    rank: int
    dropped: int


Record = Annotated[
    Hello | Environment | Steps | Check | Measurement | Log | Failure | Done, Field(discriminator="type")
]
RECORD: TypeAdapter[Record] = TypeAdapter(Record)

"""Records: messages from a rank to the agent of its node, which stores them and forwards them to the server.

One record is one line of JSON on the agent's Unix socket. A record holds many steps, with one array per column.
Training sends them between two steps, a benchmark from the ring buffer in which a rank notes them
(``ringscope.engine.step_ring``), so that reporting never falls into a timed region. Times: ``*_ns`` are wall-clock
nanoseconds since 1970 (to place things); ``*_us`` are durations measured with a monotonic clock.
"""

from itertools import accumulate
from operator import add
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, model_validator

from ringscope.contracts.benchmark import MOST_ROUNDS, rounds
from ringscope.contracts.columns import (
    FEW,
    Durations,
    Elements,
    Int32,
    Int32s,
    Int64,
    Integers,
    Line,
    Loss,
    Microseconds,
    Name,
    NanosecondColumn,
    Nanoseconds,
    Output,
    TimedDurations,
    TimedMicroseconds,
    is_null,
)
from ringscope.contracts.diagnosis.record import DiagnosisVerdict, PairMeasured
from ringscope.contracts.record_model import RecordModel, TypeFirst, check_numbers
from ringscope.contracts.search.record import SearchBegin, SearchPlan, SearchRun, SearchTarget
from ringscope.contracts.sweep_row import SweepRow
from ringscope.contracts.traced import MAX_TRANSFERS, TracedTransfer
from ringscope.contracts.training.record import AlgorithmChanged, Buckets, Collectives, Diverged, Epoch, PipelineStep

LOOPBACK = "one-device loopback"  # part of a transport's name: ranks shared a GPU, so no link was measured

MOST_VARIABLES = 1_000


class Hello(RecordModel):
    """First record of a rank, sent once it is connected with all others."""

    type: Literal["hello"] = "hello"
    rank: Int32
    local_rank: Int32
    ranks: Int32
    pid: Int32
    host: Line
    device: Line = Field("cpu", description="cpu, or the GPU's number and PCI address, such as 0 [0000:17:00.0].")
    cpus: Int32s = Field(default_factory=list, description="Processors that it may run on; empty: unknown.")
    numa_node: Int32 | None = Field(
        None, description="The NUMA node to which all of these belong; null: several, or unknown."
    )
    time_ns: Nanoseconds


class Started(RecordModel):
    """A rank's process runs and MPI is up; the rank now loads its libraries and then sends Hello."""

    type: Literal["started"] = "started"
    rank: Int32
    pid: Int32
    time_ns: Nanoseconds


class Environment(RecordModel):
    """Environment of the ranks of one node, sent by the first of them; it contains no secrets."""

    type: Literal["environment"] = "environment"
    rank: Int32 = Field(description="The rank that reports it.")
    host: Line
    ranks: Int32s = Field(description="Ranks on this node.")
    versions: dict[Name, Line] = Field(
        max_length=100, description="Libraries, MPI, kernel and C library; missing ones are left out."
    )
    variables: dict[Line, Line] = Field(
        max_length=MOST_VARIABLES, description="Environment variables that influence a run."
    )
    cpu_model: Line
    cores: Int32 = Field(description="Logical processors.")
    physical_cores: Int32 | None
    sockets: Int32 | None
    numa_nodes: Int32 | None
    memory_bytes: Int64
    time_ns: Nanoseconds


class Steps(RecordModel):
    """Finished steps of one rank: of training, or of a simulated benchmark.

    Every array has one entry per step. ``bytes`` is the data that one step moves: the message size times the operations
    of an iteration; for a training step the gradient as sent. ``bytes`` times ``bus_factor`` are the bytes on the bus
    (all-reduce: 2(n-1)/n). For a training step ``duration_us`` is the whole step, ``input_us`` the time until the rank
    had its samples, ``compute_us`` its computation, ``communication_us`` the time in which sums were under way, and
    ``exposed_us`` the time in which the rank only waited for them. After a resume, ``first_index`` continues from the
    checkpoint.
    """

    type: Literal["steps"] = "steps"
    rank: Int32
    first_step: int = Field(ge=0, lt=2**31, description="Index of this record's first step, counted over the attempt.")
    op: Name = Field(description="Collective, such as all_reduce.")
    algorithm: Name
    transport: Name
    in_place: bool
    bytes: Int64
    bus_factor: Annotated[float, Field(ge=0, le=1e6)]
    start_ns: NanosecondColumn
    duration_us: TimedDurations
    communication_us: Durations
    compute_us: Durations
    exposed_us: Durations
    input_us: Durations | None = Field(
        None, exclude_if=is_null, description="Time in which the rank waited for its samples; null: not measured."
    )
    loss: Annotated[list[Loss], FEW] | None = None
    samples: Int32s | None = Field(None, description="Samples that this rank processed in a training step.")
    lag: Int32s | None = Field(
        None, description="Steps that this worker of a parameter server was ahead of the slowest one."
    )
    collective_bytes: Int64 | None = Field(
        None,
        exclude_if=is_null,
        description="Bytes of a collective if only steps with a communication time have one; bytes is then their mean.",
    )
    memory_bytes: Int64 | None = Field(
        None,
        exclude_if=is_null,
        description="Resident set of the rank's process at the last of these steps, at most half a second old.",
    )
    dropped: int = Field(0, description="Records this rank had to drop since its last one.")

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> "Steps":
        columns = [
            *(self.duration_us, self.communication_us, self.compute_us, self.exposed_us, self.input_us),
            *(self.loss, self.samples, self.lag),
        ]
        if any(column is not None and len(column) != len(self.start_ns) for column in columns):
            raise ValueError("every column of a steps record needs one entry per step")
        check_numbers(self.first_step, len(self.start_ns))
        return self


class IterationKind(BaseModel):
    """Fields that a group of timed iterations shares; ``bytes`` is as in ``Steps``."""

    algorithm: Name
    transport: Name
    in_place: bool
    bytes: Int64


class IterationBlock(NamedTuple):
    """Consecutive iterations of one kind; ``kind`` is the index into the record's kinds."""

    kind: Annotated[int, Field(ge=0)]
    iterations: Annotated[int, Field(ge=1)]
    start_ns: Nanoseconds  # start of the first iteration


class Iterations(RecordModel):
    """Timed iterations of a benchmark on one rank; each is a step that consists of communication only.

    The record is made, read and sent while later iterations are being timed. Therefore one record holds everything that
    a rank noted since the last one, and its columns are sent as ``Integers``, which take a tenth of the time of numbers
    in JSON.
    """

    type: Literal["iterations"] = "iterations"
    rank: Int32
    first_step: int = Field(ge=0, lt=2**31)
    op: Name
    bus_factor: Annotated[float, Field(ge=0, le=1e6)]
    kinds: Annotated[list[IterationKind], FEW]
    blocks: Annotated[list[IterationBlock], FEW] = Field(
        description="Each block is an array; their steps are consecutive."
    )
    duration_ns: Integers = Field(description="Durations of the iterations of all blocks.")
    pause_ns: Integers | None = Field(
        None,
        description="Pause between each iteration and the next one of its block; null: all ran back to back.",
    )

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> "Iterations":
        count = sum(block.iterations for block in self.blocks)
        if any(column is not None and len(column) != count for column in (self.duration_ns, self.pause_ns)):
            raise ValueError("every column of an iterations record needs one entry per iteration")
        if any(block.kind >= len(self.kinds) for block in self.blocks):
            raise ValueError("every block of an iterations record needs its kind")
        check_numbers(self.first_step, count)
        return self

    def steps(self) -> list[Steps]:
        """Convert to one record for each block, with a column for each of a step's times.

        ValueError for impossible times.
        """
        if min(min(column, default=0) for column in (self.duration_ns, self.pause_ns or ())) < 0:
            raise ValueError("times of iterations are not negative")
        told, at = [], 0
        for block in self.blocks:
            part = slice(at, at + block.iterations)
            durations_ns = self.duration_ns[part]
            times_us = [duration_ns / 1e3 for duration_ns in durations_ns]
            whole_ns = durations_ns if self.pause_ns is None else map(add, durations_ns, self.pause_ns[part])
            steps = Steps(
                rank=self.rank,
                first_step=self.first_step + at,
                op=self.op,
                **vars(self.kinds[block.kind]),
                bus_factor=self.bus_factor,
                start_ns=list(accumulate(whole_ns, initial=block.start_ns))[:-1],
                duration_us=times_us,
                communication_us=times_us,
                compute_us=[0.0] * len(times_us),
                exposed_us=times_us,
            )
            told.append(steps)
            at += block.iterations
        return told


class Trace(RecordModel):
    """One traced operation of one rank, transfer by transfer; it is not one of the timed ones."""

    type: Literal["trace"] = "trace"
    rank: Int32
    collective: Name
    algorithm: Name = Field(description="The algorithm as named in the job; auto stays auto.")
    chosen_algorithm: Name | None = Field(
        None, description="The algorithm that auto chose; null for an algorithm named in the job."
    )
    transport: Name
    in_place: bool
    size_bytes: Int64
    dtype: Name
    started_at_ns: Nanoseconds
    duration_ns: Int64
    transfers: list[TracedTransfer] = Field(
        description="Transfers in the order of their start, each an array; times are in ns from the operation's start.",
        max_length=MAX_TRANSFERS,
        fail_fast=True,
    )
    left_out: Int32 = Field(0, description="Number of later transfers that were left out because there were too many.")


class Check(RecordModel):
    """A result check of one rank that found wrong elements; it is not sent otherwise."""

    type: Literal["check"] = "check"
    rank: Int32
    op: Name
    algorithm: Name
    in_place: bool
    size_bytes: Int64
    wrong: Elements
    first_index: Int64
    want: Line
    got: Line
    time_ns: Nanoseconds


class Measurement(SweepRow, TypeFirst):
    """One row of the sweep's table, from rank 0; an earlier version may leave out fields that have defaults."""

    chosen_algorithm: Name | None = None
    chosen_because: Line | None = None
    cycle: Int32 = 0
    wrong: Elements | None
    times_us: list[Microseconds] | None = Field(
        None, description="Times of the slowest rank, every iteration in order; null unless the job asks per_iteration."
    )
    rounds_us: list[TimedMicroseconds] | None = Field(
        None,
        max_length=MOST_ROUNDS,
        exclude_if=is_null,
        description="Mean time of the slowest rank in each round; in a round every algorithm is timed once, in random "
        "order. null: simulated, or measured by an earlier version.",
    )
    time_ns: Nanoseconds

    @model_validator(mode="after")
    def _each_round_has_a_time(self) -> "Measurement":
        if self.rounds_us is not None and len(self.rounds_us) != (count := len(rounds(self.iterations))):
            raise ValueError(f"rounds_us: {self.iterations} iterations have {count} rounds, not {len(self.rounds_us)}")
        return self


class Log(RecordModel):
    """A line of output. ``rank`` is null if the line comes from the launcher or the agent.

    A line that is redrawn, such as a progress bar, is reported about once a second while it changes. Each state
    replaces the previous one, whose time is ``replaces_ns``.
    """

    type: Literal["log"] = "log"
    rank: Int32 | None
    stream: Literal["stdout", "stderr", "agent"]
    time_ns: Nanoseconds
    text: Output
    replaces_ns: Nanoseconds | None = Field(None, description="The time of the line that this one replaces.")


class Failure(RecordModel):
    """The reason why a rank stops, in its own sentence."""

    type: Literal["failure"] = "failure"
    rank: Int32
    reason: Literal["rank_exit", "verification_failed", "preflight_failed", "diverged", "oom"]
    message: Output
    lost_rank: Int32 | None = Field(
        None, description="The rank stops only because the process of this other rank has ended."
    )
    is_hearsay: bool = Field(False, description="Another rank may know the cause better: a connection to it was lost.")

    @property
    def is_cause(self) -> bool:
        """Return whether the rank stops for a reason of its own."""
        return self.lost_rank is None and not self.is_hearsay


class Done(RecordModel):
    """The last record of a rank that finished its program."""

    type: Literal["done"] = "done"
    rank: Int32
    dropped: Int64


Record = Annotated[
    Started
    | Hello
    | Environment
    | Steps
    | Iterations
    | Buckets
    | Collectives
    | PipelineStep
    | Trace
    | Epoch
    | Diverged
    | AlgorithmChanged
    | SearchPlan
    | SearchBegin
    | SearchRun
    | SearchTarget
    | PairMeasured
    | DiagnosisVerdict
    | Check
    | Measurement
    | Log
    | Failure
    | Done,
    Field(discriminator="type"),
]
RECORD: TypeAdapter[Record] = TypeAdapter(Record)

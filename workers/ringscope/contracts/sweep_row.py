"""A row of a sweep's table."""

from pydantic import BaseModel, Field

from ringscope.contracts.benchmark import FEWEST_ITERATIONS
from ringscope.contracts.columns import (
    GbPerS,
    Int32,
    Int64,
    Line,
    Microseconds,
    Name,
    Percent,
    TimedMicroseconds,
    is_null,
)


class SweepRow(BaseModel):
    """The columns of one row of a sweep's table, the same in the record, in SQL and in the REST API.

    ``time_us`` is the mean of the timed iterations as in nccl-tests, over the ranks as the job's ``average`` says; the
    other times are of the slowest rank per iteration. All times are per operation.
    """

    collective: Name
    algorithm: Name = Field(description="The algorithm as named in the job; auto stays auto.")
    chosen_algorithm: Name | None = Field(
        description="The algorithm that auto chose; null for an algorithm named in the job."
    )
    chosen_because: Line | None = Field(description="Why auto chose it, in a sentence.")
    transport: Name = Field(description="simulated: the cost model computed the times.")
    in_place: bool
    cycle: Int32 = Field(description="Number of the sweep's repetition, from 0.")
    size_bytes: Int64
    count: Int64
    dtype: Name
    op: Name
    ranks: Int32
    cores: Int32 | None = Field(
        None,
        description="Physical cores available to the ranks, at most one per rank on each machine; fewer than ranks "
        "means that the ranks shared cores. null: on GPUs, simulated, or measured by an earlier version.",
    )
    channels: Int32 | None = Field(
        None,
        exclude_if=is_null,
        description="Number of channels of its rings or trees; each leaves every node through a different rank. null: "
        "its algorithm uses no channels, or an earlier version measured it.",
    )
    library_function: Name | None = Field(
        None,
        exclude_if=is_null,
        description="NCCL's functions that executed it: ncclAlltoAll, or ncclSend and ncclRecv where an older NCCL has "
        "none for the collective. null: not executed by NCCL's own collectives, or measured by an earlier version.",
    )
    nccl_report: Line | None = Field(
        None,
        exclude_if=is_null,
        description="What NCCL's log of rank 0 says: network, channels, those of NVLS, and the transports that were "
        "connected so far. null: not over NCCL, NCCL_DEBUG was set by the job, or measured by an earlier version.",
    )
    lowered_max_bytes: Int64 | None = Field(
        None,
        exclude_if=is_null,
        description="The largest size of its sweep whose buffers fitted into the memory of every rank; sizes above it, "
        "up to the job's max_bytes, were left out. null: all sizes fitted, or measured by an earlier version.",
    )
    cuda_graph_launches: Int32 | None = Field(
        None,
        exclude_if=is_null,
        description="How often the CUDA graph of each block was launched, whose mean time each iteration has. null: no "
        "graph, or measured by an earlier version.",
    )
    iterations: Int32
    time_us: TimedMicroseconds = Field(
        description="nccl-tests' time: the mean of the timed iterations, over the ranks as the job's average says. "
        "The bandwidths and all comparisons use it."
    )
    time_low_us: Microseconds | None = Field(
        None,
        description="Lower end of the 95 % confidence interval of time_us, computed from the means of the rounds; "
        "null: fewer than "
        f"{FEWEST_ITERATIONS} iterations, or measured by an earlier version.",
    )
    time_high_us: Microseconds | None = Field(None, description="Upper end of the confidence interval.")
    device_time_us: Microseconds | None = Field(
        None,
        exclude_if=is_null,
        description="The same time by CUDA events on the GPUs' streams, before the first and after the last operation "
        "of a block; no bandwidth uses it. null: each operation was waited for, as in host memory, or measured by an "
        "earlier version.",
    )
    algbw_gb_per_s: GbPerS  # size_bytes / time, in 1e9 bytes per second
    busbw_gb_per_s: GbPerS
    wrong: Int64 | None = Field(description="Wrong elements over all ranks; null when the check was off.")
    min_us: Microseconds
    mean_us: Microseconds = Field(
        description="Mean of the slowest rank's time over the iterations, like min_us to cv_percent; at least time_us."
    )
    p5_us: Microseconds | None = Field(None, description="null: measured by an earlier version; p10_us and p90_us too.")
    p10_us: Microseconds | None = None
    p50_us: Microseconds
    p90_us: Microseconds | None = None
    p95_us: Microseconds
    p99_us: Microseconds
    max_us: Microseconds
    stdev_us: Microseconds  # standard deviation of the population of iterations, as in nccl-tests
    cv_percent: Percent  # 100 stdev / mean

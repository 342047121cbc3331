"""Metrics of an agent. Node and cluster are labels of the scrape target, set by service discovery.

``rank`` is a number, or "all" for a gang that is larger than the agent's ``rank_series_max_world_size``.
"""

from ringscope.contracts.metrics.family import Table

AGENT = Table()

COLLECTIVE_BUCKETS_SECONDS = (
    1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
STEP_BUCKETS_SECONDS = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip

# *** ranks

RANK_STEPS = AGENT.counter(
    "rank_steps", "Steps (benchmark iterations or training steps) finished.", "job_id", "rank",
    alerts=("RingscopeStragglerRank", "RingscopeRankHung"),
)  # fmt: skip
RANK_STEP_SECONDS = AGENT.counter(
    "rank_step_seconds", "Wall time in finished steps.", "job_id", "rank", unit="s", alerts=("RingscopeRankHung",)
)
RANK_COMPUTE_SECONDS = AGENT.counter(
    "rank_compute_seconds", "Time in finished steps outside collectives, without that of rank_input_seconds.", "job_id",
    "rank", unit="s", alerts=("RingscopeStragglerRank",),
)  # fmt: skip
RANK_INPUT_SECONDS = AGENT.counter(
    "rank_input_seconds", "Time in which the rank waited for its samples in finished steps; absent if not measured.",
    "job_id", "rank", unit="s", alerts=("RingscopeStragglerRank",),
)  # fmt: skip
RANK_MEMORY_BYTES = AGENT.gauge(
    "rank_memory_bytes", "Resident set of the rank's process after its last training steps.", "job_id", "rank", unit="B"
)
RANK_SAMPLES = AGENT.counter(
    "rank_samples", "Training samples that the rank processed; absent for benchmarks.", "job_id", "rank"
)
RANK_UP = AGENT.gauge(
    "rank_up", "1 while the rank's process is alive.", "job_id", "rank", unit="0 or 1", alerts=("RingscopeRankHung",)
)
RANK_LAST_STEP = AGENT.gauge(
    "rank_last_step", "Index of the last finished step.", "job_id", "rank", alerts=("RingscopeRankDesync",)
)
RANK_LAST_STEP_TIMESTAMP = AGENT.gauge(
    "rank_last_step_timestamp_seconds", "Unix time of the last finished step.", "job_id", "rank",
    unit="s", alerts=("RingscopeRankHung",),
)  # fmt: skip
RANK_INFO = AGENT.gauge(
    "rank_info", "The GPU of a rank; join on it to get the series of that GPU.", "job_id", "rank", "local_rank", "gpu",
    unit="always 1",
    alerts=(
        "RingscopeGpuXid", "RingscopeGpuMemoryError", "RingscopeGpuRowRemapFailed", "RingscopeGpuThrottled",
    ),
)  # fmt: skip

# *** collectives of a rank

RANK_COLLECTIVES = AGENT.counter(
    "rank_collectives", "Collectives finished.", "job_id", "rank", "op", alerts=("RingscopeLateRank",)
)
RANK_COLLECTIVE_SECONDS = AGENT.counter(
    "rank_collective_seconds", "Time in finished collectives, including waiting for peers.", "job_id", "rank", "op",
    unit="s", alerts=("RingscopeBusBandwidthLow", "RingscopeLateRank"),
)  # fmt: skip
RANK_COLLECTIVE_BYTES = AGENT.counter(
    "rank_collective_bytes", "Message bytes of finished collectives; divide their rate by that of the seconds to get "
    "the algorithm bandwidth.",
    "job_id", "rank", "op", unit="B",
)  # fmt: skip
RANK_COLLECTIVE_BUS_BYTES = AGENT.counter(
    "rank_collective_bus_bytes",
    "Message bytes times the bus factor (all-reduce: 2(n-1)/n); divide their rate by that of the seconds to get the "
    "bus bandwidth.",
    "job_id", "rank", "op", unit="B", alerts=("RingscopeBusBandwidthLow",),
)  # fmt: skip
RANK_VERIFICATION_ERRORS = AGENT.counter(
    "rank_verification_errors", "Wrong elements found by the result check.", "job_id", "rank", "op",
    alerts=("RingscopeWrongResults",),
)  # fmt: skip
RANK_LAST_COLLECTIVE_DURATION = AGENT.gauge(
    "rank_last_collective_duration_seconds", "Duration of the last collective.", "job_id", "rank", "op", unit="s"
)
RANK_LAST_BUS_BANDWIDTH = AGENT.gauge(
    "rank_last_bus_bandwidth_bytes_per_second", "Bus bandwidth of the last collective; use the counters for graphs.",
    "job_id", "rank", "op", unit="B/s",
)  # fmt: skip

# *** all ranks of a job on this node

SIZE_SECONDS = AGENT.counter(
    "collective_size_seconds",
    "Time in finished collectives of one message size, over this node's ranks. A job has series for at most 32 sizes; "
    "the others share the label other.",
    "job_id", "op", "message_bytes", unit="s",
)  # fmt: skip
SIZE_BUS_BYTES = AGENT.counter(
    "collective_size_bus_bytes",
    "Message bytes times the bus factor, for one message size; divide their rate by that of the seconds to get the bus "
    "bandwidth of that size.",
    "job_id", "op", "message_bytes", unit="B",
)  # fmt: skip
COLLECTIVE_DURATION = AGENT.histogram(
    "collective_duration_seconds", "Collective durations over the ranks of this node; exemplars name rank and step.",
    "job_id", "op", buckets=COLLECTIVE_BUCKETS_SECONDS,
)  # fmt: skip
STEP_DURATION = AGENT.histogram(
    "step_duration_seconds", "Step durations over the ranks of this node; exemplars name rank and step.",
    "job_id", "kind", buckets=STEP_BUCKETS_SECONDS,
)  # fmt: skip

# *** the agent itself

AGENT_INFO = AGENT.gauge(
    "agent_info", "Build and library versions.", "version", "nccl_version", "driver_version", unit="always 1"
)
AGENT_RECORDS_DROPPED = AGENT.counter(
    "agent_records_dropped", "Step records lost before they reached the server.", "reason",
    alerts=("RingscopeRecordsDropped",),
)  # fmt: skip
AGENT_SPOOL_BYTES = AGENT.gauge("agent_spool_bytes", "Bytes of records spooled on disk.", unit="B")
AGENT_LAST_SERVER_CONTACT = AGENT.gauge(
    "agent_last_server_contact_timestamp_seconds", "Unix time of the last request that the server accepted.", unit="s"
)

# *** GPUs: off by default, for nodes without dcgm-exporter

GPU_UTILIZATION = AGENT.gauge(
    "gpu_utilization_ratio", "Share of the last sample period in which a kernel ran.", "gpu", unit="0 to 1"
)
GPU_MEMORY_USED = AGENT.gauge(
    "gpu_memory_used_bytes", "Memory in use, including the memory of the driver.", "gpu", unit="B"
)
GPU_TEMPERATURE = AGENT.gauge("gpu_temperature_celsius", "Temperature of the GPU's die.", "gpu", unit="°C")
GPU_POWER = AGENT.gauge("gpu_power_watts", "Power that the board draws.", "gpu", unit="W")
GPU_POWER_LIMIT = AGENT.gauge("gpu_power_limit_watts", "Power limit in force.", "gpu", unit="W")
GPU_CLOCK = AGENT.gauge("gpu_clock_hertz", "Clock of the GPU's multiprocessors.", "gpu", unit="Hz")
GPU_MOST_CLOCK = AGENT.gauge("gpu_max_clock_hertz", "Highest clock of its multiprocessors.", "gpu", unit="Hz")
GPU_MEMORY_CLOCK = AGENT.gauge("gpu_memory_clock_hertz", "Clock of the GPU's memory.", "gpu", unit="Hz")
GPU_ROWS_REMAPPED = AGENT.gauge("gpu_remapped_rows", "Rows of its memory that were replaced because they broke.", "gpu")
GPU_REMAP_PENDING = AGENT.gauge(
    "gpu_row_remap_pending", "1 if a broken row or page of its memory is replaced only when the GPU is reset.", "gpu",
    unit="0 or 1",
)  # fmt: skip
GPU_REMAP_FAILED = AGENT.gauge(
    "gpu_row_remap_failed", "1 if a broken row of its memory could not be replaced.", "gpu", unit="0 or 1"
)
GPU_NVLINKS_UP = AGENT.gauge("gpu_nvlinks_active", "NVLinks of the GPU that are active.", "gpu")
GPU_NVLINK_ERRORS = AGENT.counter(
    "gpu_nvlink_errors", "Errors of the GPU's NVLinks: repeated packets, recoveries and wrong checksums, or errors in "
    "received packets.", "gpu",
)  # fmt: skip
GPU_SLOWED = AGENT.gauge(
    "gpu_slowed", "1 while the GPU's clock is lowered for this reason.", "gpu", "reason", unit="0 or 1"
)
GPU_SLOWED_SECONDS = AGENT.counter(
    "gpu_slowed_seconds", "Time for which heat or the power limit has lowered its clock since the driver was loaded.",
    "gpu", "reason", unit="s",
)  # fmt: skip
GPU_ECC_ERRORS = AGENT.counter(
    "gpu_ecc_errors", "Errors of its memory since the driver was loaded; kind: corrected or uncorrected.", "gpu", "kind"
)
GPU_XIDS = AGENT.gauge(
    "gpu_xid", "Errors (XIDs) that the driver reported while jobs ran, the last 16 of a GPU since the agent's start.",
    "gpu", "xid", unit="always 1",
)  # fmt: skip
GPU_NVLINK_TRANSMIT = AGENT.counter(
    "gpu_nvlink_transmit_bytes", "Data sent over all NVLinks of the GPU.", "gpu", unit="B"
)
GPU_NVLINK_RECEIVE = AGENT.counter(
    "gpu_nvlink_receive_bytes", "Data received over all NVLinks of the GPU.", "gpu", unit="B"
)

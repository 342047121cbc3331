"""Metrics of a server. "Jobs" are jobs that hold slots or have just released them.

Counters and distributions belong to this server alone: if several servers share a database, each counts its own work.
Gauges of jobs, nodes and benchmarks are read from the tables and appear on every server's page.
"""

from ringscope.contracts.metrics.family import Table

SERVER = Table()

QUEUE_BUCKETS_SECONDS = (1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 14400.0)
JOB_BUCKETS_SECONDS = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0, 86400.0)
INGEST_BUCKETS_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
HTTP_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

# *** jobs

JOBS = SERVER.gauge("jobs", "Live jobs by state.", "kind", "state")
JOBS_SUBMITTED = SERVER.counter("jobs_submitted", "Jobs submitted.", "kind")
JOBS_FINISHED = SERVER.counter("jobs_finished", "Jobs ended.", "kind", "outcome", alerts=("RingscopeJobFailures",))
JOB_INFO = SERVER.gauge(
    "job_info",
    "Facts about an active job; schedule is the name of the schedule that submitted it, empty if a user did.",
    "job_id",
    "kind",
    "op",
    "world_size",
    "user",
    "name",
    "algorithms",
    "schedule",
    unit="always 1",
)
JOB_STATE = SERVER.gauge(
    "job_state", "The state of an active job: 1 for its current state.", "job_id", "state", unit="0 or 1"
)
JOB_START_TIMESTAMP = SERVER.gauge(
    "job_start_timestamp_seconds", "Unix time at which the ranks started.", "job_id", unit="s"
)
JOB_EXPECTED_BUS_BANDWIDTH = SERVER.gauge(
    "job_expected_bus_bandwidth_bytes_per_second",
    "Baseline of the rows measured in the last minute: the bandwidth that earlier good, comparable jobs reached.",
    "job_id", "op", unit="B/s", alerts=("RingscopeBusBandwidthLow",),
)  # fmt: skip
JOB_BUS_BANDWIDTH_OF_EXPECTED = SERVER.gauge(
    "job_bus_bandwidth_of_expected_ratio",
    "Bus bandwidth of the rows measured in the last minute as a share of their baseline; below 1, they are slower than "
    "earlier good, comparable jobs.",
    "job_id", "op", unit="ratio",
)  # fmt: skip
JOB_GOODPUT = SERVER.gauge(
    "job_goodput_ratio", "Share of the time since the first step began that was spent in finished steps; mean of the "
    "ranks.",
    "job_id", unit="0 to 1",
)  # fmt: skip
TRAINING_LOSS = SERVER.gauge("training_loss", "Loss of the last step of rank 0.", "job_id")
QUEUE_OLDEST_SUBMIT_TIMESTAMP = SERVER.gauge(
    "queue_oldest_submit_timestamp_seconds", "Unix time at which the oldest queued job was submitted; absent if the "
    "queue is empty.",
    unit="s", alerts=("RingscopeQueueStuck",),
)  # fmt: skip
QUEUE_WAIT = SERVER.histogram(
    "queue_wait_seconds", "Time from the queue to the start of the ranks.", "kind", buckets=QUEUE_BUCKETS_SECONDS
)
JOB_DURATION = SERVER.histogram(
    "job_duration_seconds", "Time from the start of the ranks to the end of the job.", "kind", "outcome",
    buckets=JOB_BUCKETS_SECONDS,
)  # fmt: skip
SCHEDULER_LAST_PASS_TIMESTAMP = SERVER.gauge(
    "scheduler_last_pass_timestamp_seconds",
    "Unix time of the last scheduling pass; only on the server that schedules.",
    unit="s", alerts=("RingscopeSchedulerStalled",),
)  # fmt: skip
BACKGROUND_TASK_AGE = SERVER.gauge(
    "background_task_age_seconds",
    "Time since the server last completed a scheduling pass, a check of running jobs, a write of heartbeats, and a "
    "look for jobs to judge.",
    "task",
    unit="s",
)

# *** nodes

NODES = SERVER.gauge("nodes", "Nodes by state.", "state")
GPUS = SERVER.gauge("gpus", "GPUs by state.", "state")
SLOTS = SERVER.gauge(
    "slots", "Slots by state: what jobs get, also on nodes without GPUs.", "state", alerts=("RingscopeQueueStuck",)
)
NODE_UP = SERVER.gauge(
    "node_up", "1 while heartbeats of the node arrive.", "node", unit="0 or 1",
    alerts=("RingscopeNodeLost", "RingscopeNodeNotScraped"),
)  # fmt: skip
NODE_LAST_HEARTBEAT_TIMESTAMP = SERVER.gauge(
    "node_last_heartbeat_timestamp_seconds", "Unix time of the last heartbeat.", "node", unit="s"
)

# *** finished benchmarks

BENCHMARK_BUS_BANDWIDTH = SERVER.gauge(
    "benchmark_bus_bandwidth_bytes_per_second",
    "Bus bandwidth from the mean time of the last succeeded, undisturbed benchmark of this shape, out of place; "
    "backend "
    "is algorithm and transport, such as ring/mpi; redop: the reduction; crowded: there were fewer cores than ranks.",
    "op", "message_bytes", "world_size", "nodes", "backend", "dtype", "redop", "crowded", unit="B/s",
    alerts=("RingscopeBenchmarkRegressed",),
)  # fmt: skip
BENCHMARK_LAST_RUN_TIMESTAMP = SERVER.gauge(
    "benchmark_last_run_timestamp_seconds", "Unix time at which it ended.", "op", "world_size", "nodes", "backend",
    "dtype", "redop", "crowded", unit="s",
)  # fmt: skip

DIAGNOSIS_BLAMED = SERVER.gauge(
    "diagnosis_blamed",
    "1 while the newest diagnosis of these nodes blames this node, link or boundary, for 24 hours at most; kind: node, "
    "link or boundary; names: of its nodes or racks, with the rail if only that one is blamed.",
    "job_id", "kind", "names", unit="always 1", alerts=("RingscopeDiagnosisBlamed",),
)  # fmt: skip

# *** the server itself

INGEST_RECORDS = SERVER.counter("ingest_records", "Rows stored from agents.", "kind")
INGEST_REJECTED = SERVER.counter("ingest_rejected", "Records refused.", "reason")
INGEST_DELAY = SERVER.histogram(
    "ingest_delay_seconds", "Time from the end of a block of steps to the commit of its rows.",
    buckets=INGEST_BUCKETS_SECONDS, alerts=("RingscopeIngestSlow",),
)  # fmt: skip
STREAM_SUBSCRIBERS = SERVER.gauge("stream_subscribers", "Open live streams.")
STREAM_MESSAGES_DROPPED = SERVER.counter(
    "stream_messages_dropped", "Live messages dropped for browsers that read too slowly."
)
HTTP_REQUEST_DURATION = SERVER.histogram(
    "http_request_duration_seconds", "Time from a request to the beginning of its response; an agent's poll is held "
    "for a long time.",
    "method", "route", "code", buckets=HTTP_BUCKETS_SECONDS,
)  # fmt: skip
AUTH_FAILURES = SERVER.counter("auth_failures", "Requests without a valid token, and logins that failed.", "reason")
REQUESTS_LIMITED = SERVER.counter("requests_limited", "Requests refused by the rate limit.", "counted_by")
BUILD_INFO = SERVER.gauge("build_info", "Build of the server.", "version", "revision", unit="always 1")

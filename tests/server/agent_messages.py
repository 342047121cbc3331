"""What an agent says, a good message of each kind."""

from typing import Any

from tests.server.conftest import measurement, steps
from tests.server.training_records import training_steps

TIME_NS = 1_767_225_600_000_000_000
REPORTS = ("ready", "refused", "proxies", "running", "stalled", "evidence", "ended", "unclean", "clean")
HARDWARE = {
    "gpus": [{"index": 0, "uuid": "GPU-0", "model": "x", "memory_bytes": 1}],
    "nics": [{"name": "eth0", "speed_mbit_per_s": 1000, "addresses": ["10.0.0.1"]}],
    "machine": {"hardware": "x", "cores": 2, "call_us": 0.4, "turn_us": 5.0, "cache_bytes": 1, "add_gb_per_s": 1.0},
}
LOAD = {"machine": "m", "processors": 2, "seconds": 1.0, "busy_seconds": 1.0, "own_seconds": 1.0}
REPORT = {
    "reason": "rank_exit",
    "message": "Rank 0 ended.",
    "rank": 0,
    "exit_code": 1,
    "is_hearsay": False,
    "proxies": [{"control_host": "n1", "control_port": 1, "proxy_id": 0}],
    "load": LOAD,
    "evidence": [{"rank": 0, "state": "S", "source": "py-spy", "stack": "wait"}],
    "last_sequence": 0,
}
PULSE_OF_RANK = {
    "rank": 0,
    "state": "R",
    "step": 1,
    "iterations": 1,
    "untimed": 0,
    "size_bytes": 1024,
    "waited_us": 1,
    "running_us": 1,
    "queued_us": 0,
}
KIND = {"algorithm": "ring", "transport": "shared_memory", "in_place": False, "bytes": 1024}
SURE = {"time_low_us": 9.0, "time_high_us": 11.0}  # with which a row takes part in the verdict
RECORDS: list[dict[str, Any]] = [
    measurement(**SURE),
    measurement(in_place=True, times_us=[1.0, 2.0], **SURE),
    measurement("direct", time_us=9.5, **SURE),
    measurement("ring_pipelined", 2048, **SURE),
    measurement("mpi", 2048, wrong=1),
    steps(),
    steps(rank=1, first_step=3),
    training_steps(),
    training_steps(rank=1, first_step=4),
    {"type": "log", "rank": 0, "stream": "stdout", "time_ns": TIME_NS, "text": "hello"},
    {"type": "hello", "rank": 0, "local_rank": 0, "ranks": 2, "pid": 7, "host": "n1", "time_ns": TIME_NS},
    {
        "type": "environment",
        "rank": 0,
        "host": "n1",
        "ranks": [0, 1],
        "versions": {"mpi": "4"},
        "variables": {"A": "b"},
        "cpu_model": "x",
        "cores": 2,
        "physical_cores": 2,
        "sockets": 1,
        "numa_nodes": 1,
        "memory_bytes": 1,
        "time_ns": TIME_NS,
    },
    {
        "type": "iterations",
        "rank": 0,
        "first_step": 9,
        "op": "all_reduce",
        "bus_factor": 1.0,
        "kinds": [KIND],
        "blocks": [[0, 1, TIME_NS]],
        "duration_ns": [1000],
    },
    {
        "type": "check",
        "rank": 0,
        "op": "all_reduce",
        "algorithm": "ring",
        "in_place": False,
        "size_bytes": 1024,
        "wrong": 1,
        "first_index": 0,
        "want": "1",
        "got": "2",
        "time_ns": TIME_NS,
    },
    {
        "type": "trace",
        "rank": 0,
        "collective": "all_reduce",
        "algorithm": "ring",
        "transport": "shared_memory",
        "in_place": False,
        "size_bytes": 1024,
        "dtype": "float32",
        "started_at_ns": TIME_NS,
        "duration_ns": 9,
        "transfers": [],
    },
    {
        "type": "epoch",
        "rank": 0,
        "epoch": 1,
        "step": 1,
        "training_loss": 1.0,
        "validation_loss": None,
        "validation_accuracy": None,
        "samples": 1,
        "duration_us": 1.0,
        "validation_us": 1.0,
        "checkpoint_us": 1.0,
        "time_ns": TIME_NS,
    },
    {
        "type": "buckets",
        "rank": 0,
        "step": 1,
        "backward_us": 1.0,
        "bytes": [1],
        "ready_us": [1.0],
        "start_us": [1.0],
        "end_us": [1.0],
    },
    {"type": "failure", "rank": 0, "reason": "oom", "message": "No memory."},
    {"type": "done", "rank": 0, "dropped": 0},
]
# Values that are right somewhere, or nearly, by the name of the field that they do harm in.
ODD: dict[str, dict[str, list[Any]]] = {
    "measurement": {
        "algorithm": ["ring", "direct", "ring_pipelined", "mpi", "auto", "foo"],
        "collective": ["foo", "all_gather"],
        "in_place": [True],
        "ranks": [0, -5, 128],
        "count": [0, -1, 2**40],
        "iterations": [0, 1, -1],
        "wrong": [1, 2**53, 2**63 - 1],
        "time_us": [0.0, 1e-300, 1.0, 1e15],
        "time_low_us": [0.0, 0.5],
        "time_high_us": [1e-300, 1000.0, 1e15],
        "busbw_gb_per_s": [0.0, 1e-300, 1e12],
        "cv_percent": [1e9, 1e200, 1e308],
        "time_ns": [0, 2**63 - 1],
    },
    "steps": {
        "bytes": [0, 2**63 - 1],
        "bus_factor": [0.0, 1e6],
        "start_ns": [[0], [2**63 - 1]],
        "duration_us": [[0.0], [5e-324], [1e15]],
        "compute_us": [[5e-324], [1e15]],
    },
    "epoch": {"rank": [1, 9], "epoch": [0, 2, 3, 2**31 - 1], "step": [0, 2**31 - 1], "training_loss": ["NaN", 1e308]},
}

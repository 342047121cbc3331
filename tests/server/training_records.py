"""Records as the ranks of a training job send them, made by hand."""

from typing import Any

NS = 1_767_225_600_000_000_000
# Three epochs of four steps of 64 samples.
TRAINING: dict[str, Any] = {
    "kind": "training",
    "training": {"global_batch_size": 64, "epochs": 3, "target_accuracy": 0.9},
    "placement": {"ranks": 2},
}


def training_steps(rank: int = 0, first_step: int = 0, count: int = 4, **more: Any) -> dict[str, Any]:
    """Steps of one rank: 10 ms each, 32 samples, 2 ms of 4 ms communication exposed."""
    columns = {
        "start_ns": [NS + (first_step + i) * 10_000_000 for i in range(count)],
        "duration_us": [10_000.0] * count,
        "communication_us": [4_000.0] * count,
        "compute_us": [8_000.0] * count,
        "exposed_us": [2_000.0] * count,
        "loss": [2.0 - 0.1 * (first_step + i) for i in range(count)],
        "samples": [32] * count,
    }
    head = {"type": "steps", "rank": rank, "first_step": first_step, "op": "all_reduce", "algorithm": "ring"}
    return head | {"transport": "shared_memory", "in_place": True, "bytes": 4096, "bus_factor": 1.0} | columns | more


def epoch(number: int, **more: Any) -> dict[str, Any]:
    """The end of an epoch: 40 ms of steps, 3 ms of validation and 1 ms for its checkpoint."""
    told = {
        "type": "epoch",
        "rank": 0,
        "epoch": number,
        "step": 4 * number,
        "training_loss": 2.0 / number,
        "validation_loss": 2.5 / number,
        "validation_accuracy": 0.5 + 0.2 * number if number < 3 else 0.95,
        "samples": 256,
        "duration_us": 40_000.0,
        "validation_us": 3_000.0,
        "checkpoint_us": 1_000.0,
        "time_ns": NS + number * 44_000_000,
    }
    return told | more


def buckets(rank: int = 0, step: int = 3) -> dict[str, Any]:
    """Two buckets, the second of which is summed after the backward pass."""
    return {
        "type": "buckets",
        "rank": rank,
        "step": step,
        "backward_us": 7_000.0,
        "bytes": [3_072, 1_024],
        "ready_us": [5_000.0, 7_000.0],
        "start_us": [5_100.0, 7_100.0],
        "end_us": [7_100.0, 9_000.0],
    }


def pipeline_step(rank: int, step: int = 3, **more: Any) -> dict[str, Any]:
    """Two micro-batches of 1 ms forward and 2 ms backward on one of two stages; the second stage starts 1 ms later."""
    kinds = ["forward", "forward", "backward", "backward"] if rank % 2 == 0 else ["forward", "backward"] * 2
    starts_us = [0.0, 1_000.0, 4_000.0, 7_000.0] if rank % 2 == 0 else [1_000.0, 2_000.0, 4_000.0, 5_000.0]
    told = {
        "type": "pipeline_step",
        "rank": rank,
        "step": step,
        "stage": rank % 2,
        "replica": rank // 2,
        "peak_activations": 2 - rank % 2,
        "start_ns": NS,
        "kind": kinds,
        "part": [rank % 2] * 4,
        "micro_batch": [0, 1, 0, 1] if rank % 2 == 0 else [0, 0, 1, 1],
        "start_us": starts_us,
        "end_us": [
            start + (1_000.0 if kind == "forward" else 2_000.0) for kind, start in zip(kinds, starts_us, strict=True)
        ],
    }
    return told | more


def collectives(rank: int, **more: Any) -> dict[str, Any]:
    """Sums of DDP in 2 ms, a gather whose time is not known, and a barrier."""
    told = {
        "type": "collectives",
        "rank": rank,
        "name": ["all_reduce of DDP", "all_gather", "barrier"],
        "least_bytes": [4_194_304, 64, 0],
        "calls": [10, 4, 2],
        "bytes": [41_943_040, 384, 0],
        "time_us": [2_000.0, None, 400.0],
    }
    return told | more

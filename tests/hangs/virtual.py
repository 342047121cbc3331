"""Dumps as PyTorch writes them, of ranks that were never there."""

import json
import pickle
from typing import Any

from ringscope.hangs.dumps import read_dump
from ringscope.hangs.model import Dump

START_NS = 1_795_893_397_000_000_000


def entry(seq: int, name: str = "nccl:all_reduce", **changed: Any) -> dict[str, Any]:
    """An entry of the nccl recorder; a value of None in ``changed`` stays None."""
    return {
        "record_id": seq,
        "pg_id": 0,
        "process_group": ("0", "default_pg"),
        "collective_seq_id": seq,
        "p2p_seq_id": 0,
        "op_id": seq,
        "profiling_name": name,
        "time_created_ns": START_NS + seq * 10_000_000,
        "input_sizes": [[4, 8]],
        "input_dtypes": ["Float"],
        "output_sizes": [[4, 8]],
        "output_dtypes": ["Float"],
        "state": "completed",
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": None,
        "retired": True,
        "timeout_ms": 600_000,
        "is_p2p": False,
        "frames": [
            {"name": "all_reduce", "filename": "/site-packages/torch/distributed/distributed_c10d.py", "line": 3000},
            {"name": "step", "filename": "/home/me/train.py", "line": 10 + seq},
            {"name": "<module>", "filename": "/home/me/train.py", "line": 90},
        ],
        **changed,
    }


def pending(seq: int, name: str = "nccl:all_reduce", **changed: Any) -> dict[str, Any]:
    """An entry of an operation that has not ended."""
    return entry(seq, name, **{"state": "started", "retired": False, **changed})


def value(entries: list[dict[str, Any]], ranks: int = 4, groups: dict[str, list[int]] | None = None) -> dict[str, Any]:
    """Return the contents of a flight recorder's dump with these entries."""
    known = {"0": list(range(ranks)), **(groups or {})}
    return {
        "version": "2.10",
        "nccl_version": "2.29.1",
        "pg_config": {name: {"name": name, "desc": name, "ranks": str(members)} for name, members in known.items()},
        "pg_status": {},
        "entries": entries,
    }


def dump(rank: int, entries: list[dict[str, Any]], **options: Any) -> Dump:
    """A rank's dump, through the reader."""
    return read_dump(f"dump_{rank}", pickle.dumps(value(entries, **options), protocol=2))


def as_json(entries: list[dict[str, Any]], **options: Any) -> bytes:
    """A rank's dump as PyTorch's JSON, which has no frames."""
    told = value([{key: one[key] for key in one if key != "frames"} for one in entries], **options)
    return json.dumps(told).encode()

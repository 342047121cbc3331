"""The training loop that one rank in four gets wrong: a sum of gradients and a broadcast in each step."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FAULTS = ("missing", "order", "size", "type", "slow", "torn_down")
SLOW_S = 1.2  # longer than any pause of a busy machine, shorter than what is taken for a hang


@dataclass(frozen=True)
class Fault:
    """A fault of one rank in one step."""

    kind: str
    rank: int
    step: int


def loop(rank: int, steps: int, fault: Fault | None, progress: Callable[[], None]) -> None:
    """Run the steps; ``progress`` is called after each operation."""
    import torch
    import torch.distributed as dist

    for step in range(steps):
        has_fault = fault is not None and rank == fault.rank and step == fault.step
        kind = fault.kind if fault is not None and has_fault else ""
        count = 2048 if kind == "size" else 1024
        gradient = torch.ones(count, dtype=torch.float64 if kind == "type" else torch.float32)
        weights = torch.ones(64)
        if kind == "missing":
            time.sleep(3600)
        if kind == "slow":
            time.sleep(SLOW_S)
        if kind == "torn_down":
            dist.destroy_process_group()
            time.sleep(3600)
        if kind == "order":
            dist.broadcast(weights, 0)  # line: swapped broadcast
            progress()
            dist.all_reduce(gradient)
            progress()
            continue
        dist.all_reduce(gradient)  # line: all_reduce
        progress()
        dist.broadcast(weights, 0)  # line: broadcast
        progress()


def line_of(mark: str) -> int:
    """Return the line of this file that ends in the mark."""
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# line: {mark}"))

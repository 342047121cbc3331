"""Jobs with the optimizer in shares, each beside a mirrored one: on real ranks and on virtual ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.train.checkpoint import load
from ringscope.train.digest import digest
from ringscope.train.program import assemble

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

GAP_BYTES = 2 * 4 * 20 * 120  # two of adam's tensors: at both ends of a piece a whole cache line of 16 elements counts
BASE = {
    "model_arguments": {"hidden": 19, "layers": 3},  # so that hardly any share begins at a cache line
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 24,
    "epochs": 9,
    "max_steps": 24,
    "bucket_bytes": 8192,
    "all_reduce": "ring",
    "checkpoint_every_steps": 8,
}
VARIANTS: dict[str, dict[str, object]] = {
    "momentum": {"weight_decay": 0.01},
    "no momentum": {"momentum": 0.0, "overlap": False},
    "messages": {"transport": "mpi"},
    "pipelined": {"all_reduce": "ring_pipelined", "bucket_bytes": 1 << 20},
    "accumulation": {"accumulation_steps": 3},
    "bfloat16": {"precision": "bfloat16"},
    "adam": {"optimizer": "adam", "learning_rate": 1e-3},
    "clipping": {"clip_norm": 0.1},
}
MIRRORED, SHARDED = "mirrored", "sharded"
ROUNDED = "clipping"  # the norm is added up in another order
Assemble = Callable[..., Any]  # as ``assemble``


def trained(
    comm: Communicator, options: dict[str, object], folder: Path, assembled: Assemble = assemble
) -> tuple[Any, list[float]]:
    """Train, and return the trainer and the losses of this rank."""
    records: list[Record] = []
    trainer = assembled(comm, TrainingSpec.model_validate(BASE | options), records.append, folder)
    trainer.run()
    trainer.close()
    return trainer, [loss for record in records if isinstance(record, Steps) for loss in record.loss or ()]


def everywhere(comm: Communicator, value: bool) -> bool:
    """Return whether ``value`` is true on every rank."""
    return not comm.maximum(np.array([not value], np.int64))[0]


def is_same(one: Any, other: Any) -> bool:
    """Return whether two parts of checkpoints are equal, bit for bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else bool(one == other)


def difference(one: torch.nn.Module, other: torch.nn.Module) -> float:
    """Return the largest difference of any parameter."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max(float((first - second).detach().abs().max()) for first, second in pairs)


def compared(
    comm: Communicator, name: str, options: dict[str, object], folder: Path, assembled: Assemble = assemble
) -> dict[str, object]:
    """Run a mirrored and a sharded job, and return what differs."""
    strategies = (MIRRORED, SHARDED)
    jobs = [trained(comm, options | {"strategy": each}, folder / name / each, assembled) for each in strategies]
    (mirrored, mirrored_losses), (sharded, losses) = jobs
    kept = [load(folder / name / each, 24) for each in strategies] if comm.rank == 0 else []
    optimizer = sharded._replica._optimizer
    return {
        "losses": everywhere(comm, losses == mirrored_losses and len(losses) == 24),
        "parameters": everywhere(comm, digest(sharded.module) == digest(mirrored.module)),
        "difference": difference(sharded.module, mirrored.module),
        "checkpoint": all(is_same(getattr(kept[0], part), getattr(kept[1], part)) for part in ("model", "optimizer"))
        if kept
        else None,
        "state_bytes": comm.total(_at(comm, held_bytes(optimizer))).tolist(),
        "whole_bytes": held_bytes(mirrored._replica._optimizer),
    }


def held_bytes(optimizer: Any) -> int:
    """Return the bytes of the state that an optimizer holds for its elements."""
    states = getattr(optimizer, "_optimizer", optimizer).state.values()
    return sum(each.nbytes for state in states for each in state.values() if each is not None and each.dim())


def _at(comm: Communicator, value: int) -> Any:
    every = np.zeros(comm.size, np.int64)
    every[comm.rank] = value
    return every

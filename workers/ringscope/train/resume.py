"""Resuming: all ranks continue from the newest checkpoint that any node has.

No shared disk is needed: each node's first rank writes its node's copy, and the rank with the newest one broadcasts it.
"""

from __future__ import annotations

import io
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.engine.errors import EngineError
from ringscope.train.checkpoint import Checkpoint, load, steps

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_NONE = -1


def newest_checkpoint(comm: Communicator, *folders: Path | None) -> Checkpoint | None:
    """Return the newest checkpoint that a node has in one of ``folders`` and can read; None if there is none
    (collective).
    """
    there = [folder for folder in folders if folder is not None] if comm.local_rank == 0 else []
    mine = sorted((step, number) for number, folder in enumerate(there) for step in steps(folder))
    while (step := int(comm.maximum(np.array([mine[-1][0] if mine else _NONE]))[0])) != _NONE:
        has_it = bool(mine) and mine[-1][0] == step
        owner = comm.size - 1 - int(comm.maximum(np.array([comm.size - 1 - comm.rank if has_it else _NONE]))[0])
        content = _read(there[mine[-1][1]], step) if comm.rank == owner else b""
        if received := _broadcast(comm, content, owner):
            return Checkpoint(**torch.load(io.BytesIO(received), weights_only=True))
        if comm.rank == owner:
            mine.pop()  # unreadable: use another node's copy, or an older one
    return None


def _read(folder: Path, step: int) -> bytes:
    """Return the checkpoint as bytes; none, with a line in the log, if it cannot be read."""
    try:
        content = io.BytesIO()
        torch.save(asdict(load(folder, step)), content)
        return content.getvalue()
    except (EngineError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return b""


def _broadcast(comm: Communicator, content: bytes, owner: int) -> bytes:
    size_bytes = int(comm.total(np.array([len(content)]))[0])
    received = np.frombuffer(content, np.uint8).copy() if comm.rank == owner else np.empty(size_bytes, np.uint8)
    if size_bytes:
        comm.broadcast(received, owner)
    return received.tobytes()


def apply(checkpoint: Checkpoint, module: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Load the state of a checkpoint into model and optimizer; EngineError if it is of another model.

    Learning rate and similar options of the optimizer are kept: they belong to the job.
    """
    options = [{name: group[name] for name in group if name != "params"} for group in optimizer.param_groups]
    try:
        module.load_state_dict(checkpoint.model)
        optimizer.load_state_dict(checkpoint.optimizer)
        for group, own in zip(optimizer.param_groups, options, strict=True):
            group.update(own)
    except (RuntimeError, ValueError, KeyError) as error:
        first = str(error).strip().splitlines()[0]
        raise EngineError(
            f"resume_from: the checkpoint is of another model or optimizer ({first}); give the same model, "
            "model_arguments and optimizer as that job, or leave resume_from out."
        ) from error

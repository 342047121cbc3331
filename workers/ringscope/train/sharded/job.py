"""A rank of a job with the optimizer in shares."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.words.units import format_size
from ringscope.train import models
from ringscope.train.checkpoints import Checkpoints
from ringscope.train.data import Dataset
from ringscope.train.replica import Replica
from ringscope.train.sharded.sharded_sum import ShardedSum
from ringscope.train.sharded.share_optimizer import ShareOptimizer
from ringscope.train.sums.sum_checks import SumChecks
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


def sharded_trainer(
    comm: Communicator,
    spec: TrainingSpec,
    dataset: Dataset,
    module: torch.nn.Module,
    device: torch.device,
    emit: Callable[[Record], None],
    folders: tuple[Path | None, Path | None],
    fault: str = "",
) -> Trainer:
    """Return the trainer of this rank (collective); ``folders`` are the job's own one and the earlier job's."""
    sums = ShardedSum(comm, module, spec)
    optimizer = ShareOptimizer(spec, sums, is_writer=comm.local_rank == 0 and folders[0] is not None)
    replica = Replica(spec, module, sums, optimizer, models.loss_sum, device, fault)
    checkpoints = Checkpoints(comm, replica, optimizer, None, *folders)
    if comm.rank == 0:
        sys.stdout.write(summary(sums, optimizer, comm.size) + "\n")
        sys.stdout.flush()
    return Trainer(comm, spec, dataset, replica, sums, checkpoints, emit, fault, checks=SumChecks.of(comm, spec, sums))


def summary(sums: ShardedSum, optimizer: ShareOptimizer, ranks: int) -> str:
    """Describe the sums of a step and the memory of the optimizer, in a line for the log."""
    counts = Counter(choice.algorithm for choice in sums.choices)
    named = " and ".join(f"{count} with algorithm = {name}" for name, count in counts.items())
    reasons = sorted({choice.because for choice in sums.choices})
    return (
        f"sharded: {len(sums.buckets)} reduce-scatters and all-gathers, {named}, {format_size(sums.size_bytes)} a "
        f"step, num_replicas = {ranks}, transport = {sums.transport}. The optimizer's state takes "
        f"{format_size(optimizer.state_bytes)} of {format_size(optimizer.whole_bytes)} on rank 0. "
        f"{' '.join(reason[:1].upper() + reason[1:] for reason in reasons)}"
    ).rstrip()

"""A rank of a job with the optimizer in shares."""

from __future__ import annotations

import sys
from collections import Counter

from ringscope.contracts.words.units import format_size
from ringscope.train.inputs import Inputs
from ringscope.train.sharded.sharded_sum import ShardedSum
from ringscope.train.sharded.share_optimizer import ShareOptimizer
from ringscope.train.trainer import Trainer


def sharded_trainer(inputs: Inputs) -> Trainer:
    """Return the trainer of this rank (collective)."""
    comm, spec = inputs.comm, inputs.spec
    sums = ShardedSum(comm, inputs.module, spec)
    optimizer = ShareOptimizer(spec, sums, is_writer=comm.local_rank == 0 and inputs.folder is not None)
    replica = inputs.replica(sums, optimizer)
    checkpoints = inputs.checkpoints(replica, optimizer)
    if comm.rank == 0:
        sys.stdout.write(summary(sums, optimizer, comm.size) + "\n")
        sys.stdout.flush()
    return inputs.trainer(replica, sums, checkpoints)


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

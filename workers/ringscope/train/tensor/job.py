"""A rank of a job whose layers are divided over all ranks."""

from __future__ import annotations

import sys

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.contracts.words.units import format_size
from ringscope.train.inputs import Inputs
from ringscope.train.samples import WholeBatches
from ringscope.train.tensor.activation_sums import ActivationSums
from ringscope.train.tensor.division import divide
from ringscope.train.tensor.part_gradients import PartGradients
from ringscope.train.tensor.replica import DividedReplica
from ringscope.train.tensor.whole_model import PartOptimizer, WholeModel
from ringscope.train.trainer import Trainer


def tensor_trainer(inputs: Inputs) -> Trainer:
    """Return the trainer of this rank (collective)."""
    comm, spec = inputs.comm, inputs.spec
    sizes = training_size.activation_sums(spec)
    largest = max(sizes)
    sums = ActivationSums(comm, spec.all_reduce, largest // training_size.GRADIENT_ITEM_BYTES)
    module, shares = divide(inputs.module, comm.rank, comm.size, sums)
    step_bytes = sum(size_bytes * count for size_bytes, count in sizes.items())
    gradients = PartGradients(comm, spec, module, shares, sums, step_bytes)
    whole = WholeModel(comm, inputs.module, shares)
    optimizer = PartOptimizer(spec, whole, comm.rank)
    replica = DividedReplica(comm.rank, inputs.replica(gradients, optimizer), whole)
    if comm.rank == 0:
        sys.stdout.write(summary(spec, comm.size, sums, step_bytes, sizes.total()) + "\n")
        sys.stdout.flush()
    samples = WholeBatches(comm.size, spec, len(inputs.dataset.training))
    return inputs.trainer(replica, gradients, inputs.checkpoints(replica, optimizer), samples)


def summary(spec: TrainingSpec, ranks: int, sums: ActivationSums, step_bytes: int, count: int) -> str:
    """Describe the division and the sums of a step, in a line for the log."""
    share = training_size.tensor_share(spec)
    return (
        f"tensor: {ranks} rank{'' if ranks == 1 else 's'} divide {share:.0%} of the multiplications. Every rank waits "
        f"for {count} all-reduces in each step, together of {format_size(step_bytes)}, with algorithm = "
        f"{sums.algorithm}, transport = {sums.transport}. {sums.because[:1].upper() + sums.because[1:]}."
    )

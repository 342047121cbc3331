"""Program of a rank in a training job: it assembles the parts and trains."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.rank_process import CHECKPOINTS_VARIABLE, MEMORY_VARIABLE, RESUME_VARIABLE
from ringscope.contracts.record import Record
from ringscope.contracts.training import (
    LOCAL_SGD,
    MIRRORED,
    ONE_NODE,
    PARAMETER_SERVERS,
    PIPELINE,
    SHARDED,
    TENSOR,
    TENSORFLOW,
    TrainingSpec,
)
from ringscope.contracts.words.collectives import AUTO, VENDORS
from ringscope.contracts.words.units import format_size
from ringscope.engine.errors import DifferenceError, EngineError
from ringscope.engine.positions import set_stage
from ringscope.train.adaptive.learned import Learned
from ringscope.train.collectives import HostCollectives
from ringscope.train.compression import Compressor, compression
from ringscope.train.data import Dataset
from ringscope.train.device import has_gpus, settle_device
from ringscope.train.digest import odd_rank
from ringscope.train.inputs import FROM_SPEC, Inputs, Material
from ringscope.train.local.job import local_trainer
from ringscope.train.optimizer import build_optimizer
from ringscope.train.own_state import OwnState
from ringscope.train.parameter_server.job import ServerRank, WorkerRank
from ringscope.train.pipeline.job import pipeline_trainer
from ringscope.train.sharded.job import sharded_trainer
from ringscope.train.sums.bucket_sums import BucketSum
from ringscope.train.sums.buckets import Bucket
from ringscope.train.sums.gradient_sum import GradientSum
from ringscope.train.sums.reducer import Reducer
from ringscope.train.tensor.job import tensor_trainer
from ringscope.train.tf_peer.following import FollowingRank
from ringscope.train.tf_peer.job import Job, LeadingRank, tf_rank
from ringscope.train.torch_ddp import TorchDdp
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


def train(
    comm: Communicator, spec: TrainingSpec, emit: Callable[[Record], None], fault: str = ""
) -> DifferenceError | None:
    """Train as ``spec`` says and report to ``emit`` (collective); EngineError with a sentence if that is not possible.

    The environment names the folders of checkpoints. Returns the error, equal on every rank, if ranks differ that must
    be equal; otherwise None.
    """
    own, earlier, memory = map(_folder, (CHECKPOINTS_VARIABLE, RESUME_VARIABLE, MEMORY_VARIABLE))
    trainer = assemble(comm, spec, emit, own, earlier, memory, fault)
    try:
        trainer.run()
    except DifferenceError as error:
        return error
    trainer.close()
    return None


def assemble(
    comm: Communicator,
    spec: TrainingSpec,
    emit: Callable[[Record], None],
    folder: Path | None = None,
    earlier: Path | None = None,
    memory: Path | None = None,
    fault: str = "",
    material: Material = FROM_SPEC,
    learned: Learned | None = None,
) -> Trainer | WorkerRank | ServerRank | LeadingRank | FollowingRank:
    """Assemble this rank's part, ready to run (collective).

    ``folder``, ``earlier`` and ``memory`` are as in ``Checkpoints``; ``material`` is that of the specification;
    ``learned`` as in ``Reducer.adapt``.
    """
    _refuse(comm, spec)
    device = settle_device(comm)
    load = partial(_dataset, spec, material)
    if spec.strategy == "parameter_server":
        if comm.rank >= comm.size - spec.servers:
            return ServerRank(comm, spec)
        return WorkerRank(comm, spec, load, material.model, emit, folder, earlier, fault)
    if spec.strategy in TENSORFLOW:
        return tf_rank(Job(comm, spec, load, emit, fault))
    if spec.precision == "float16" and device.type == "cpu":
        raise EngineError("precision: float16 is for GPUs, but this rank has none; choose bfloat16 or float32.")
    dataset = load(comm)
    torch.manual_seed(spec.seed)
    set_stage(comm.position, f"building the model {spec.model}")
    module = material.model(spec, dataset).to(device)
    inputs = Inputs(comm, spec, dataset, module, device, emit, folder, earlier, fault, memory)
    if spec.strategy in LOCAL_SGD:
        return local_trainer(inputs)
    if spec.strategy == "torch_fsdp":
        from ringscope.train.torch_fsdp import fsdp_trainer  # it takes a second to load

        return fsdp_trainer(inputs)
    if spec.strategy in PIPELINE:
        return pipeline_trainer(inputs)
    if spec.strategy in TENSOR:
        return tensor_trainer(inputs)
    if spec.strategy in SHARDED:
        return sharded_trainer(inputs)
    compressor = compression(spec, comm.size)
    sums = _sums(comm, spec, module, compressor, learned)
    optimizer = build_optimizer(spec, module)
    replica = inputs.replica(sums, optimizer)
    own_state = OwnState(comm, compressor, spec.bucket_bytes) if compressor else None
    return inputs.trainer(replica, sums, inputs.checkpoints(replica, optimizer, own_state))


def adapts(spec: TrainingSpec) -> bool:
    """Return whether several algorithms are tried in the first steps."""
    return spec.strategy in MIRRORED and spec.compression == "none" and spec.all_reduce == AUTO


def wanted_device(spec: TrainingSpec) -> str:
    """Return the device of the communicator's memory; auto becomes cpu if this PyTorch has no GPU."""
    if spec.strategy in PARAMETER_SERVERS | TENSORFLOW | PIPELINE | TENSOR:
        return "cpu"
    return "cpu" if spec.device == "auto" and not has_gpus() else spec.device


def _refuse(comm: Communicator, spec: TrainingSpec) -> None:
    if spec.strategy in ONE_NODE and len(comm.nodes) > 1:
        raise EngineError(f"strategy: {spec.strategy} is for one node; choose {ONE_NODE[spec.strategy]} for several.")


def _sums(
    comm: Communicator,
    spec: TrainingSpec,
    module: torch.nn.Module,
    compressor: Compressor | None,
    learned: Learned | None,
) -> GradientSum:
    if spec.strategy == "torch_ddp":
        return TorchDdp(comm, module, spec)
    reducer = Reducer(comm, module, spec.all_reduce, spec.bucket_bytes, spec.overlap)
    if compressor is not None:
        reducer.sum_by(_compressed(compressor, HostCollectives(comm, spec.all_reduce)))
    if comm.rank == 0:
        sys.stdout.write(summary(reducer, comm.size) + "\n")
        sys.stdout.flush()
    if adapts(spec):
        reducer.adapt(learned)
    return reducer


def summary(reducer: Reducer, ranks: int) -> str:
    """Describe the sum of a step in the terms of tf.distribute."""
    algorithms = Counter(choice.algorithm for choice in reducer.choices)
    counts = " and ".join(
        f"{count} all-reduce{'' if count == 1 else 's'} with algorithm = {name}" for name, count in algorithms.items()
    )
    # A library moves its data itself.
    transports = dict.fromkeys(name if name in VENDORS else reducer.transport for name in algorithms)
    reasons = sorted({choice.because for choice in reducer.choices})
    return (
        f"batch_all_reduce: {counts}, {format_size(reducer.size_bytes)} a step, num_replicas = {ranks}, "
        f"transport = {' and '.join(transports)}. {' '.join(reason[:1].upper() + reason[1:] for reason in reasons)}"
    ).rstrip()


def _compressed(compressor: Compressor, collectives: HostCollectives) -> BucketSum:
    def run(number: int, bucket: Bucket) -> int:
        return compressor.reduce(number, bucket.gradient, collectives, bucket.shapes)

    return run


def _dataset(spec: TrainingSpec, material: Material, comm: Communicator) -> Dataset:
    """Return the job's dataset, which is equal on all ranks (collective)."""
    set_stage(comm.position, f"reading {spec.dataset.label}")
    dataset = material.dataset(spec)
    _check_equal(comm, dataset.fingerprint())
    return dataset


def _check_equal(comm: Communicator, fingerprint: int) -> None:
    every = np.zeros(comm.size, np.int64)
    every[comm.rank] = fingerprint
    if found := odd_rank(comm.total(every).tolist()):
        odd, usual = found
        raise EngineError(f"dataset: rank {odd} reads other samples than rank {usual}; give every node the same files.")


def _folder(variable: str) -> Path | None:
    path = os.environ.get(variable)
    return Path(path) if path else None

"""A rank of a job that TensorFlow trains: one that trains, or one that serves or waits until it is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from ringscope.contracts.record import Record
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.meeting import exchange_addresses
from ringscope.engine.positions import UNTIMED, set_stage
from ringscope.train import models
from ringscope.train.checkpoints import NoCheckpoints
from ringscope.train.data import Dataset
from ringscope.train.tf_peer import cluster
from ringscope.train.tf_peer.following import FollowingRank, Lead
from ringscope.train.tf_peer.library import between_operations, load
from ringscope.train.tf_peer.replicas import KerasReplicas
from ringscope.train.tf_peer.served import ServedModel
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_MOST_CPUS = 4096


class LeadingRank:
    """Rank 0 if it alone trains or distributes the work; the others follow it."""

    def __init__(self, comm: Communicator, group: Communicator, lead: Lead, trainer: Trainer) -> None:
        self._comm, self._group, self._lead, self._trainer = comm, group, lead, trainer

    @property
    def module(self) -> nn.Module:
        """Return the model after the last step."""
        return self._trainer.module

    def run(self) -> None:
        """Train to the end, and let the other ranks end."""
        self._trainer.run()
        self._lead.end()

    def close(self) -> None:
        """Disconnect from the other ranks."""
        self._trainer.close()
        self._comm.barrier()  # the store ends with this rank's part, while the other ranks still read it
        self._group.free()


@dataclass(frozen=True, slots=True)
class Job:
    """The inputs of a rank; see ``program.assemble``."""

    comm: Communicator
    spec: TrainingSpec
    load_dataset: Callable[[Communicator], Dataset]
    emit: Callable[[Record], None]
    fault: str

    def tensorflow(self, threads: int, replicas: int = 1) -> Any:
        """Load TensorFlow; that takes seconds, so it counts as progress."""
        set_stage(self.comm.position, "importing TensorFlow")
        tf = load(threads, self.comm.size, replicas)
        self.comm.position[UNTIMED] += 1
        return tf

    def trainer(
        self, among: Communicator, make: Callable[[nn.Module, Dataset], KerasReplicas | ServedModel]
    ) -> Trainer:
        """Return a trainer for the ranks of ``among``; ``make`` returns its replicas for our model, which is built
        first.
        """
        dataset = self.load_dataset(among)
        learner = make(models.build(self.spec, dataset), dataset)
        return Trainer(among, self.spec, dataset, learner, learner, NoCheckpoints(), self.emit, self.fault)


def tf_rank(job: Job) -> Trainer | LeadingRank | FollowingRank:
    """Assemble this rank's part of a job with one of TensorFlow's strategies, ready to run (collective)."""
    match job.spec.strategy:
        case "tf_mirrored":
            return _mirrored(job)
        case "tf_multi_worker_mirrored":
            return _worker(job)
    return _served(job)


def _worker(job: Job) -> Trainer:
    """Assemble a replica in every rank, with equal roles."""
    _enter_cluster(job)
    tf = job.tensorflow(torch.get_num_threads())
    distribute = tf.distribute
    ring = distribute.experimental.CommunicationImplementation.RING
    options = distribute.experimental.CommunicationOptions(implementation=ring)
    strategy = distribute.MultiWorkerMirroredStrategy(communication_options=options)
    if job.comm.rank == 0:
        _say(f"MultiWorkerMirroredStrategy of TensorFlow {tf.__version__}: num_workers = {job.comm.size}, RING")
    return job.trainer(job.comm, lambda module, data: KerasReplicas(tf, strategy, job.spec, module, data.shape))


def _mirrored(job: Job) -> LeadingRank | FollowingRank:
    """Assemble all replicas in rank 0, with the processors of all ranks."""
    ranks = job.comm.size
    store, _ = job.comm.torch_store()
    _gather_processors(job.comm)
    group = job.comm.split(min(job.comm.rank, 1))
    if job.comm.rank > 0:
        return FollowingRank(job.comm, group, store)
    tf = job.tensorflow(ranks * torch.get_num_threads(), replicas=ranks)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{replica}" for replica in range(ranks)])
    _say(f"MirroredStrategy of TensorFlow {tf.__version__}: num_replicas = {ranks}")
    lead = Lead(store, job.emit)
    job = replace(job, emit=lead.emit)
    trainer = job.trainer(group, lambda module, data: KerasReplicas(tf, strategy, job.spec, module, data.shape))
    return LeadingRank(job.comm, group, lead, trainer)


def _served(job: Job) -> LeadingRank | FollowingRank:
    """Assemble rank 0 as the coordinator, and TensorFlow's servers on the other ranks."""
    comm, spec, threads = job.comm, job.spec, torch.get_num_threads()
    store, _ = comm.torch_store()
    _enter_cluster(job)
    group = comm.split(min(comm.rank, 1))
    tf = job.tensorflow(threads)
    if comm.rank > 0:
        return FollowingRank(comm, group, store, _server(tf, threads, comm.size))
    strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
    workers = comm.size - 1 - spec.servers
    numbers = f"num_workers = {workers}, num_ps = {spec.servers}"
    _say(f"ParameterServerStrategy of TensorFlow {tf.__version__}: {numbers}")
    lead = Lead(store, job.emit)
    job = replace(job, emit=lead.emit)
    trainer = job.trainer(group, lambda module, data: ServedModel(tf, strategy, spec, module, data.shape, workers))
    return LeadingRank(job.comm, group, lead, trainer)


def _enter_cluster(job: Job) -> None:
    """Write TF_CONFIG, as a cluster resolver would (collective)."""
    addresses, roles = exchange_addresses(job.comm), cluster.roles(job.spec, job.comm.size)
    os.environ[cluster.VARIABLE] = cluster.tf_config(addresses, roles, job.comm.rank)


def _server(tf: Any, threads: int, ranks: int) -> Any:
    """Start TensorFlow's server on this rank, a worker or a parameter server; it runs in its own threads."""
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=between_operations(ranks)
    )
    spec, role, index = resolver.cluster_spec(), resolver.task_type, resolver.task_id
    return tf.distribute.Server(spec, job_name=role, task_index=index, protocol="grpc", config=config)


def _gather_processors(comm: Communicator) -> None:
    """Give rank 0 the processors of the other ranks, which do not use them (collective, on one node)."""
    every = np.zeros(_MOST_CPUS, np.int64)
    every[list(os.sched_getaffinity(0))] = 1
    every = comm.maximum(every)
    if comm.rank == 0:
        os.sched_setaffinity(0, np.flatnonzero(every).tolist())


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

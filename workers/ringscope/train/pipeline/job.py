"""A rank of a job with a pipeline: its stage, and the ranks of its replica and of its stage."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.contracts.training import TrainingSpec, ideal_bubble, parts_per_rank
from ringscope.contracts.words.machine import shared_cores
from ringscope.contracts.words.units import format_size
from ringscope.engine.errors import EngineError
from ringscope.train.inputs import Inputs
from ringscope.train.models import Layer, layers_of, loss_of
from ringscope.train.models.own import has_state
from ringscope.train.pipeline.cut import cut
from ringscope.train.pipeline.layer_times import layer_times_us, output_shapes
from ringscope.train.pipeline.message_thread import MessageThread
from ringscope.train.pipeline.replica import Place, StagedReplica
from ringscope.train.pipeline.schedule import peak_activations, works
from ringscope.train.pipeline.shared_parameters import SharedGradients, SharedParameter
from ringscope.train.pipeline.stage import Part, Stage
from ringscope.train.pipeline.whole_model import StageOptimizer, WholeModel
from ringscope.train.replica import autocast
from ringscope.train.samples import SharedSamples
from ringscope.train.sums.reducer import Reducer
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class StageSums(Reducer):
    """The sums of one stage's gradients over all replicas; they begin after the last backward.

    A single replica has nothing to sum.
    """

    def __init__(self, group: Communicator, parameters: Sequence[torch.nn.Parameter], spec: TrainingSpec) -> None:
        """``group`` are the ranks with the same stage."""
        module = torch.nn.ParameterList(parameters)
        super().__init__(group, module, spec.all_reduce, spec.bucket_bytes, overlap=False)
        self._others: tuple[Callable[[], None], ...] = ()

    def close_also(self, *others: Callable[[], None]) -> None:
        """Let ``close`` also call these, in their order."""
        self._others = others

    def close(self) -> None:
        """Free the plans, and disconnect from the other stages (collective)."""
        super().close()
        for close in self._others:
            close()


def pipeline_trainer(inputs: Inputs, pad_us: tuple[float, float] = (0.0, 0.0)) -> Trainer:
    """Return the trainer of this rank (collective); ``pad_us`` is as in ``Stage``."""
    comm, spec = inputs.comm, inputs.spec
    place = Place(comm.rank, comm.size, spec.stages)
    group, pipe, post = comm.split(place.stage), comm.split(place.replica), comm.post()
    samples = SharedSamples(group, spec, len(inputs.dataset.training), inputs.dataset.is_ordered)
    layers = _layers(inputs)
    times_us = _layer_times_us(inputs, layers, max(1, samples.counts[0] // spec.micro_batches))
    ranges = cut(times_us, spec.stages * parts_per_rank(spec.schedule))
    stages_of = _stages_of(inputs.module, [layers[each.start : each.stop] for each in ranges], spec.stages)
    whole = WholeModel(pipe, inputs.module, stages_of)
    sums = StageSums(group, [whole.parameters[number] for number in whole.mine], spec)
    messages = MessageThread(post, is_crowded=bool(shared_cores(comm.size, comm.cores)))
    sums.close_also(messages.close, post.free, pipe.free, group.free)
    stage = Stage(
        _parts(inputs, layers, ranges),
        works(spec.schedule, spec.stages, place.stage, spec.micro_batches),
        place.rank_of,
        messages,
        loss_of(inputs.module),
        partial(autocast, spec, inputs.device),
        pad_us,
    )
    shared = [
        SharedParameter(parameter, stages)
        for parameter, stages in zip(whole.parameters, stages_of, strict=True)
        if len(stages) > 1
    ]
    gradients = SharedGradients(post, shared, place.stage, place.rank_of(0))
    optimizer = StageOptimizer(spec, whole)
    part_of = {layers[number].name: part for part, each in enumerate(ranges) for number in each}
    replica = StagedReplica(spec, pipe, place, stage, whole, sums, gradients, optimizer, part_of)
    if comm.rank == 0:
        sys.stdout.write(summary(spec, comm.size, [sum(times_us[i] for i in each) for each in ranges], sums) + "\n")
        sys.stdout.flush()
    return inputs.trainer(replica, sums, inputs.checkpoints(replica, optimizer), samples)


def summary(spec: TrainingSpec, ranks: int, part_times_us: Sequence[float], sums: Reducer) -> str:
    """Describe the pipeline, in a line for the log."""
    replicas = ranks // spec.stages
    peak = peak_activations(works(spec.schedule, spec.stages, 0, spec.micro_batches))
    times = ", ".join(f"{time_us / 1e3:.3g}" for time_us in part_times_us)
    bubble = ideal_bubble(spec.schedule, spec.stages, spec.micro_batches)
    found = (
        f"pipeline: num_replicas = {replicas}, stages = {spec.stages}, micro_batches = {spec.micro_batches}, "
        f"schedule = {spec.schedule}. Forward and backward of a micro-batch take {times} ms in the parts of the model. "
        f"With equal parts a stage would be idle for {bubble:.0%} of a step; the first stage keeps the activations of "
        f"{peak} micro-batch{'' if peak == 1 else 'es'}."
    )
    if replicas == 1:
        return found
    algorithms = " and ".join(dict.fromkeys(choice.algorithm for choice in sums.choices))
    return (
        f"{found} The {format_size(sums.size_bytes)} of the first stage's gradients are summed over the replicas with "
        f"algorithm = {algorithms}, transport = {sums.transport}."
    )


def _layers(inputs: Inputs) -> list[Layer]:
    """Return the model's layers; EngineError if an own model cannot be cut into the job's parts."""
    layers, parts = layers_of(inputs.module), inputs.spec.stages * parts_per_rank(inputs.spec.schedule)
    if len(layers) < parts:
        raise EngineError(
            f"training.stages: {inputs.spec.model} has {len(layers)} layers here, too few for {parts} parts; choose "
            "fewer stages or more layers."
        )
    if has_state(inputs.module):
        raise EngineError(
            f"training.strategy: {inputs.spec.model} keeps running means or other buffers, which a pipeline does not "
            "send between its stages; choose mirrored, or use GroupNorm or LayerNorm."
        )
    return layers


def _layer_times_us(inputs: Inputs, layers: Sequence[Layer], samples: int) -> list[float]:
    """Return the times that rank 0 measures with a micro-batch (collective)."""
    times_us = np.zeros(len(layers))
    if inputs.comm.rank == 0:
        given, targets = inputs.dataset.training.batch(torch.arange(samples))
        loss_sum = loss_of(inputs.module)
        context = partial(autocast, inputs.spec, inputs.device)
        found = layer_times_us(layers, given, lambda outputs: loss_sum(outputs, targets), context)
        times_us[:] = found
    inputs.comm.broadcast(times_us, 0)
    return [float(each) for each in times_us]


def _parts(inputs: Inputs, layers: Sequence[Layer], ranges: Sequence[range]) -> list[Part]:
    given, _ = inputs.dataset.training.batch(torch.arange(1))
    shapes = [tuple(given.shape[1:]), *output_shapes(layers, given)]
    return [Part(tuple(layers[each.start : each.stop]), shapes[each.start], shapes[each.stop]) for each in ranges]


def _stages_of(module: torch.nn.Module, parts: Sequence[Sequence[Layer]], stages: int) -> list[tuple[int, ...]]:
    """Return the stages that use each trained parameter of the module, ascending."""
    users = defaultdict(set)
    for number, layers in enumerate(parts):
        for layer in layers:
            for parameter in layer.parameters:
                users[id(parameter)].add(number % stages)
    return [tuple(sorted(users[id(each)])) for each in module.parameters() if each.requires_grad]

"""Replicas in TensorFlow: one in each rank (MultiWorkerMirroredStrategy), or all in rank 0 (MirroredStrategy)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from ringscope.contracts.training import TrainingSpec
from ringscope.train.replica import Result
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.tf_peer.keras_model import KerasModel
from ringscope.train.tf_peer.keras_optimizer import KerasOptimizer

# Algorithm and transport, as in records.
_NAMES = {"tf_mirrored": ("tf_collective", "memory"), "tf_multi_worker_mirrored": ("tf_ring", "grpc")}
Parts = Iterable[tuple[torch.Tensor, torch.Tensor]]


class PartStep:
    """A replica's step on its part of a batch: forward, backward, the sum, the update. Traced by tf.function."""

    def __init__(self, tf: Any, spec: TrainingSpec, module: nn.Module, shape: tuple[int, ...], replicas: int) -> None:
        """Build the replica under the strategy's scope; a batch is cut into ``replicas`` parts."""
        self.keras_model = KerasModel(module, shape)
        self._optimizer = KerasOptimizer(spec, self.keras_model.variables)
        self._tf, self._replicas, self._samples = tf, replicas, spec.global_batch_size

    def __call__(self, inputs: Any, targets: Any) -> Any:
        """Return the loss, summed over the part; the gradient is that of the mean over the whole batch."""
        tf, variables = self._tf, self.keras_model.variables
        with tf.GradientTape() as tape:
            logits = self.keras_model.model(inputs, training=True)
            loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits))
            mean = loss / self._samples
        gradients = tape.gradient(mean, [variable.value for variable in variables])
        self._optimizer.apply(gradients, self._replicas)
        return loss


class KerasReplicas:
    """This rank's replicas, for the trainer."""

    def __init__(self, tf: Any, strategy: Any, spec: TrainingSpec, module: nn.Module, shape: tuple[int, ...]) -> None:
        """``module`` provides the first parameters, and receives the trained ones."""
        self.algorithm, self.transport = _NAMES[spec.strategy]
        self.size_bytes = gradient_bytes(module)
        self._strategy, self._tf = strategy, tf
        self._local = len(strategy.extended.worker_devices)
        with strategy.scope():
            part_step = PartStep(tf, spec, module, shape, strategy.num_replicas_in_sync)
        self._model = part_step.keras_model
        self._step = tf.function(lambda inputs, targets: strategy.run(part_step, args=(inputs, targets)))

    @property
    def module(self) -> nn.Module:
        """Return the PyTorch module, with the parameters after the last step."""
        return self._model.module

    def step(self, parts: Parts, count: int, global_samples: int) -> Result:
        """Apply one update from this rank's samples. TensorFlow reports no time for its sums: they count as
        computing.
        """
        ((inputs, targets),) = parts
        self._model.note_step()
        arguments = [self._split(tensor) for tensor in (inputs, targets)]
        losses = self._strategy.experimental_local_results(self._step(*arguments))
        return Result(float(sum(float(loss) for loss in losses)), unknown_sums(self.size_bytes))

    def close(self) -> None:
        """Do nothing: TensorFlow frees nothing before the process ends."""

    def _split(self, samples: torch.Tensor) -> Any:
        """Return a part for each of this rank's replicas; the first ones are larger if the division leaves a
        remainder.
        """
        every = iter(split(samples, self._local))
        return self._strategy.experimental_distribute_values_from_function(
            lambda _: self._tf.convert_to_tensor(next(every))
        )


def split(samples: torch.Tensor, parts: int) -> Sequence[Any]:
    """Split samples into parts, as ``batch_weights.equal`` does."""
    return np.array_split(samples.numpy(), parts)


def unknown_sums(size_bytes: int) -> Sums:
    """Return the sums of a gradient that was summed inside TensorFlow, which measures no times: they are 0."""
    return Sums(backward_us=0.0, exposed_us=0.0, size_bytes=size_bytes)


def gradient_bytes(module: nn.Module) -> int:
    """Return the bytes of the whole gradient."""
    return sum(parameter.numel() * parameter.element_size() for parameter in module.parameters())

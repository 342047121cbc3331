"""TensorFlow's ParameterServerStrategy: rank 0 distributes the parts of each batch, workers compute, servers hold
the parameters.
"""

from __future__ import annotations

from typing import Any

from torch import nn

from ringscope.contracts.training import TrainingSpec
from ringscope.train.replica import Result
from ringscope.train.tf_peer.replicas import Parts, PartStep, gradient_bytes, split, unknown_sums


class ServedModel:
    """The coordinator, for the trainer."""

    algorithm, transport = "tf_parameter_server", "grpc"

    def __init__(
        self, tf: Any, strategy: Any, spec: TrainingSpec, module: nn.Module, shape: tuple[int, ...], workers: int
    ) -> None:
        """``module`` provides the first parameters, and receives the trained ones."""
        self.size_bytes = gradient_bytes(module)
        self._tf, self._workers = tf, workers
        with strategy.scope():
            part_step = PartStep(tf, spec, module, shape, workers)
        self._model = part_step.keras_model
        self._step = tf.function(lambda inputs, targets: strategy.run(part_step, args=(inputs, targets)))
        self._coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)

    @property
    def module(self) -> nn.Module:
        """Return the PyTorch module, with the parameters after the last step."""
        return self._model.module

    def step(self, parts: Parts, count: int, global_samples: int) -> Result:
        """Make a step with a part of the batch for each worker; it ends when the last part is applied."""
        ((inputs, targets),) = parts
        self._model.note_step()
        pairs = zip(split(inputs, self._workers), split(targets, self._workers), strict=True)
        convert = self._tf.convert_to_tensor
        losses = [self._coordinator.schedule(self._step, args=(convert(x), convert(y))) for x, y in pairs]
        self._coordinator.join()
        return Result(float(sum(float(loss.fetch()) for loss in losses)), unknown_sums(self.size_bytes))

    def close(self) -> None:
        """Do nothing: TensorFlow frees nothing before the process ends."""

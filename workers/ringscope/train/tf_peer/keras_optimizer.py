"""The job's optimizer in Keras, with PyTorch's meaning of its options."""

from __future__ import annotations

from typing import Any

from ringscope.contracts.training import TrainingSpec

_EPSILON = 1e-8  # PyTorch's value; Keras' own is 1e-7


class KerasOptimizer:
    """Sums the gradients of all replicas, as its strategy does, and updates the variables."""

    def __init__(self, spec: TrainingSpec, variables: list[Any]) -> None:
        """Build the optimizer; call it in the strategy's scope."""
        self._optimizer = _build(spec)
        self._optimizer.build(variables)
        # Keras subtracts the decay from the parameters, as PyTorch does only in adamw; for other optimizers it is part
        # of the gradient.
        self._decay = 0.0 if spec.optimizer == "adamw" else spec.weight_decay
        self._variables = variables

    def apply(self, gradients: list[Any], replicas: int) -> None:
        """Apply one update, from each of ``replicas`` replicas."""
        if self._decay:
            pairs = zip(gradients, self._variables, strict=True)
            gradients = [gradient + variable.value * (self._decay / replicas) for gradient, variable in pairs]
        self._optimizer.apply(gradients, self._variables)


def _build(spec: TrainingSpec) -> Any:
    from keras import optimizers

    match spec.optimizer:
        case "sgd":
            return optimizers.SGD(spec.learning_rate, momentum=spec.momentum)
        case "adam":
            return optimizers.Adam(spec.learning_rate, epsilon=_EPSILON)
        case "adamw":
            return optimizers.AdamW(spec.learning_rate, weight_decay=spec.weight_decay, epsilon=_EPSILON)

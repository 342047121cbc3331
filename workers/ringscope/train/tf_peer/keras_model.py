"""The job's model in Keras, built from its PyTorch module layer by layer, and the conversion of parameters in both
directions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ringscope.train.models.resnet18 import Block, ResNet18

# The order of Keras' axes of a PyTorch parameter, by their number.
_TO_KERAS = {1: (0,), 2: (1, 0), 4: (2, 3, 1, 0)}
_TO_TORCH = {1: (0,), 2: (1, 0), 4: (3, 2, 0, 1)}


class KerasModel:
    """``model`` reads pictures as in our datasets, channels first, and starts with the module's parameters."""

    def __init__(self, module: nn.Module, shape: tuple[int, ...]) -> None:
        """Build the model; call it in the scope of the strategy that should hold the parameters."""
        import keras

        self._keras, self._module = keras, module
        self._is_ahead = False
        self._pairs: list[tuple[nn.Parameter, Any]] = []
        # TensorFlow's convolutions on CPUs need the channels last; a model without convolutions takes them unchanged.
        self._moves_channels = any(isinstance(layer, nn.Conv2d) for layer in module.modules())
        inputs = keras.Input(shape)
        first = keras.layers.Permute((2, 3, 1))(inputs) if self._moves_channels else inputs
        self.model = keras.Model(inputs, self._apply(module, first))

    @property
    def variables(self) -> list[Any]:
        """Return the Keras variables, in the order of the module's parameters."""
        return [variable for _, variable in self._pairs]

    @property
    def module(self) -> nn.Module:
        """Return the PyTorch module, with the parameters after the last step."""
        if self._is_ahead:
            self._is_ahead = False
            with torch.no_grad():
                for parameter, variable in self._pairs:
                    parameter.copy_(torch.from_numpy(to_torch(np.asarray(variable.value.numpy()))))
        return self._module

    def note_step(self) -> None:
        """Mark the module as outdated: the variables are about to change."""
        self._is_ahead = True

    def _apply(self, module: nn.Module, inputs: Any) -> Any:
        """Return the output of ``module``; an unknown kind of layer would be an error of ours."""
        layers = self._keras.layers
        match module:
            case nn.Sequential():
                for child in module:
                    inputs = self._apply(child, inputs)
                return inputs
            case nn.Flatten():
                return layers.Flatten()(layers.Permute((3, 1, 2))(inputs) if self._moves_channels else inputs)
            case nn.ReLU():
                return layers.ReLU()(inputs)
            case nn.Identity():
                return inputs
            case nn.MaxPool2d():
                return layers.MaxPooling2D(module.kernel_size)(inputs)
            case nn.Linear():
                return self._with(layers.Dense(module.out_features), inputs, module.weight, module.bias)
            case nn.Conv2d():
                return self._convolution(module, inputs)
            case nn.GroupNorm():
                layer = layers.GroupNormalization(module.num_groups, epsilon=module.eps)
                return self._with(layer, inputs, module.weight, module.bias)
            case ResNet18():
                found = self._apply(module.blocks, layers.ReLU()(self._apply(module.stem, inputs)))
                return self._apply(module.head, layers.GlobalAveragePooling2D()(found))
            case Block():
                found = self._apply(module.second, layers.ReLU()(self._apply(module.first, inputs)))
                return layers.ReLU()(layers.Add()([found, self._apply(module.around, inputs)]))
        raise TypeError(f"no layer of Keras corresponds to {type(module).__name__}")

    def _convolution(self, module: nn.Conv2d, inputs: Any) -> Any:
        layers = self._keras.layers
        if any(module.padding):  # "same" would put all of the padding on one side if the stride is 2
            inputs = layers.ZeroPadding2D(module.padding)(inputs)
        has_bias = module.bias is not None
        layer = layers.Conv2D(module.out_channels, module.kernel_size, module.stride, use_bias=has_bias)
        return self._with(layer, inputs, module.weight, *([module.bias] if has_bias else []))

    def _with(self, layer: Any, inputs: Any, *parameters: nn.Parameter) -> Any:
        """Apply a layer with parameters, which start with the module's values."""
        outputs = layer(inputs)
        for parameter, variable in zip(parameters, layer.trainable_variables, strict=True):
            variable.assign(to_keras(parameter.detach().numpy()))
            self._pairs.append((parameter, variable))
        return outputs


def to_keras(parameter: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert a parameter from PyTorch to Keras."""
    return parameter.transpose(_TO_KERAS[parameter.ndim])


def to_torch(parameter: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert a parameter from Keras to PyTorch."""
    return np.ascontiguousarray(parameter.transpose(_TO_TORCH[parameter.ndim]))

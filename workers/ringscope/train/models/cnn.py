"""The lecture's model for CIFAR-10: one convolution, one hidden layer."""

from torch import nn


def cnn(shape: tuple[int, ...], classes: int, *, channels: int, hidden: int) -> nn.Sequential:
    """``channels`` filters of 3x3 without a margin, 2x2 max-pool, ``hidden`` units, then one for each class."""
    colours, height, width = shape
    pooled = channels * ((height - 2) // 2) * ((width - 2) // 2)
    return nn.Sequential(
        nn.Conv2d(colours, channels, kernel_size=3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(pooled, hidden),
        nn.ReLU(),
        nn.Linear(hidden, classes),
    )

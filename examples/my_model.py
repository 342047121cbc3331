"""A model of one's own for a training job: `ringscope train --model my_model.py:make --dataset my_data.py:load`.

Put it into the folder of scripts of every node's agent.
"""

import torch
from torch import nn
from torch.nn import functional


class Net(nn.Module):
    """A small convolutional network for pictures of 8x8 pixels."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
        )
        self.head = nn.Linear(16 * channels, 10)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Map pictures (n, 1, 8, 8) to logits (n, 10)."""
        return self.head(self.features(pictures))

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the mean over the samples."""
        return functional.cross_entropy(outputs, targets)


def make(channels: int = 16) -> nn.Module:
    """Build the model; model_arguments of the job are its arguments."""
    return Net(channels)

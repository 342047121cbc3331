"""ResNet-18 in its form for CIFAR: a 3x3 stem without pooling, four stages of two basic blocks.

Source: K. He et al., Deep Residual Learning for Image Recognition, 2015 (arXiv:1512.03385). GroupNorm replaces its
BatchNorm here (Y. Wu, K. He, 2018, arXiv:1803.08494; 16 channels in a group). BatchNorm computes mean and deviation
over the samples of one rank, so the result would depend on the split of a batch over ranks; GroupNorm computes them
within each sample, so any number of ranks computes the same, and replicas have no state except the parameters.
"""

from torch import Tensor, nn
from torch.nn import functional

from ringscope.train.models.layers import Layer

_GROUP = 16


class ResNet18(nn.Module):
    """``width`` channels in the first stage; each next stage has twice as many, at half the height and width."""

    def __init__(self, shape: tuple[int, ...], classes: int, *, width: int) -> None:
        super().__init__()
        blocks: list[nn.Module] = []
        inputs = width
        for stage in range(4):
            outputs = width << stage
            blocks += [Block(inputs, outputs, stride=1 if stage == 0 else 2), Block(outputs, outputs, stride=1)]
            inputs = outputs
        self.stem = _convolution(shape[0], width, 3, 1)
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(inputs, classes)

    def forward(self, pictures: Tensor) -> Tensor:
        """Map (n, channels, height, width) to logits (n, classes)."""
        return self._logits(self.blocks(self._stemmed(pictures)))

    def layers(self) -> list[Layer]:
        """Return the stem, each block, and the head."""
        return [
            Layer("stem", self._stemmed, tuple(self.stem.parameters())),
            *(Layer.of(f"blocks.{number}", block) for number, block in enumerate(self.blocks)),
            Layer("head", self._logits, tuple(self.head.parameters())),
        ]

    def _stemmed(self, pictures: Tensor) -> Tensor:
        return functional.relu(self.stem(pictures))

    def _logits(self, found: Tensor) -> Tensor:
        return self.head(found.mean(dim=(2, 3)))


class Block(nn.Module):
    """Two convolutions and a shortcut, which changes the shape if they do."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = _convolution(inputs, outputs, 3, stride)
        self.second = _convolution(outputs, outputs, 3, 1)
        keeps_shape = stride == 1 and inputs == outputs
        self.around = nn.Identity() if keeps_shape else _convolution(inputs, outputs, 1, stride)

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (n, channels, height, width) to the same shape with this block's channels; a stride reduces height and
        width.
        """
        found = self.second(functional.relu(self.first(inputs)))
        return functional.relu(found + self.around(inputs))


def _convolution(inputs: int, outputs: int, size: int, stride: int) -> nn.Sequential:
    groups = outputs // _GROUP if outputs % _GROUP == 0 else 1
    convolution = nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)
    nn.init.kaiming_normal_(convolution.weight, mode="fan_out", nonlinearity="relu")
    return nn.Sequential(convolution, nn.GroupNorm(groups, outputs))

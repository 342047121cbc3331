"""Size of a training job: its model, its gradient and its epochs, as far as the specification determines them. Pure.

The models themselves are ``ringscope.train.models`` and need PyTorch; a test holds these formulas against them.
"""

from collections import Counter
from itertools import pairwise
from math import ceil, prod

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.dataset import LABELS
from ringscope.contracts.training.tensor import divided_share, summed_counts

GRADIENT_ITEM_BYTES = 4  # parameters and gradients are float32 in every precision
TOKENS = 256  # a token is a byte of the text; synthetic data have the same vocabulary size
CIFAR10_SAMPLES = 50_000
DIGITS_SAMPLES = 1797
SYNTHETIC_SAMPLES = 8192
_SHAPES = {"digits": (1, 8, 8), "cifar10": (3, 32, 32), "synthetic": (3, 32, 32)}


def parameter_count(spec: TrainingSpec) -> int | None:
    """Return the number of trainable parameters, shared ones counted once; None if the user's own files decide it."""
    if spec.own_files:
        return None
    sizes = spec.sizes()
    if spec.model == "gpt":
        return _gpt(sizes["layers"], sizes["width"], sizes["context"])
    shape = _SHAPES[spec.dataset.name]
    if spec.model == "mlp":
        return _mlp(prod(shape), sizes["hidden"], sizes["layers"])
    if spec.model == "cnn":
        return _cnn(shape, sizes["channels"], sizes["hidden"])
    return _resnet18(shape[0], sizes["width"])


def gradient_bytes(spec: TrainingSpec) -> int | None:
    """Return the bytes that every rank contributes to a step's all-reduce (K in the lecture); None if not known."""
    parameters = parameter_count(spec)
    return None if parameters is None else parameters * GRADIENT_ITEM_BYTES


def activation_sums(spec: TrainingSpec) -> Counter[int]:
    """Return how many sums of how many bytes a step of strategy tensor makes."""
    parts = min(spec.accumulation_steps, spec.global_batch_size)
    samples, larger = divmod(spec.global_batch_size, parts)
    found: Counter[int] = Counter()
    for size, count in ((samples + 1, larger), (samples, parts - larger)):
        for elements, times in summed_counts(str(spec.model), spec.sizes(), *_sample(spec), size).items():
            found[elements * GRADIENT_ITEM_BYTES] += times * count
    return +found


def tensor_share(spec: TrainingSpec) -> float:
    """Return the share of the model's multiplications that the ranks of strategy tensor divide."""
    return divided_share(str(spec.model), spec.sizes(), *_sample(spec))


def steps_per_epoch(spec: TrainingSpec) -> int | None:
    """Return the steps of an epoch; None for a text or an own dataset, whose length depends on its files, and where
    each rank has the samples of its own labels.
    """
    samples = None if spec.split == "by_label" else _training_samples(spec)
    return None if samples is None else samples // spec.global_batch_size


def steps_total(spec: TrainingSpec) -> int | None:
    """Return the number of steps of all epochs, or the limit if it is lower; None if neither is known."""
    each = steps_per_epoch(spec)
    if each is None:
        return spec.max_steps
    return min(each * spec.epochs, spec.max_steps or each * spec.epochs)


def _sample(spec: TrainingSpec) -> tuple[tuple[int, ...], int]:
    """Return the shape of a sample, and the number of classes."""
    if spec.model == "gpt":
        return (spec.sizes()["context"],), TOKENS
    return _SHAPES[spec.dataset.name], LABELS


def _training_samples(spec: TrainingSpec) -> int | None:
    held_out_percent = spec.dataset.validation_percent
    match spec.dataset.name:
        case "digits":
            return DIGITS_SAMPLES - ceil(DIGITS_SAMPLES * held_out_percent / 100)
        case "cifar10":
            return CIFAR10_SAMPLES
        case "synthetic":
            samples = spec.dataset.samples or SYNTHETIC_SAMPLES
            return samples - max(1, samples * held_out_percent // 100)
        case _:
            return None


def _linear(inputs: int, outputs: int) -> int:
    return (inputs + 1) * outputs


def _mlp(pixels: int, hidden: int, layers: int) -> int:
    widths = [pixels, *[hidden] * layers, LABELS]
    return sum(_linear(inputs, outputs) for inputs, outputs in pairwise(widths))


def _cnn(shape: tuple[int, int, int], channels: int, hidden: int) -> int:
    colours, height, width = shape
    pooled = channels * ((height - 2) // 2) * ((width - 2) // 2)
    return _linear(9 * colours, channels) + _linear(pooled, hidden) + _linear(hidden, LABELS)


def _resnet18(colours: int, width: int) -> int:
    """Convolutions without bias, each with a scale and a shift for every channel."""

    def convolution(inputs: int, outputs: int, size: int) -> int:
        return inputs * outputs * size**2 + 2 * outputs

    total, inputs = convolution(colours, width, 3), width
    for stage in range(4):
        outputs = width << stage
        total += convolution(inputs, outputs, 3) + 3 * convolution(outputs, outputs, 3)
        total += convolution(inputs, outputs, 1) if stage else 0
        inputs = outputs
    return total + _linear(inputs, LABELS)


def _gpt(layers: int, width: int, context: int) -> int:
    """The head shares its weights with the tokens' embedding."""
    norm = 2 * width
    attention = _linear(width, 3 * width) + _linear(width, width)
    feed_forward = _linear(width, 4 * width) + _linear(4 * width, width)
    return (TOKENS + context) * width + layers * (2 * norm + attention + feed_forward) + norm

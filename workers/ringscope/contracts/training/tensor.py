"""Sizes of tensor parallelism: what the ranks divide, and what they sum in a step. Pure.

Two linear layers are a pair: each rank has some outputs of the first one and the same inputs of the second one, so that
the parts of the second one's output must be added, and backward those of the first one's input.

Source: M. Shoeybi et al., Megatron-LM, 2019 (arXiv:1909.08053).
"""

from collections import Counter
from itertools import pairwise
from math import prod

DIVIDED = frozenset({"mlp", "gpt"})  # models whose linear layers come in pairs
_SUMS_PER_BLOCK = 4  # in gpt: attention and perceptron each need one forward and one backward


def undivided(model: str, sizes: dict[str, int], ranks: int) -> tuple[str, int] | None:
    """Return the model argument that ``ranks`` do not divide, with its value; None if they divide all of them."""
    name = "heads" if model == "gpt" else "hidden"
    return (name, sizes[name]) if sizes[name] % ranks else None


def summed_counts(
    model: str, sizes: dict[str, int], shape: tuple[int, ...], classes: int, samples: int
) -> Counter[int]:
    """Return how often a part of ``samples`` samples sums how many elements, forward and backward together.

    ``shape`` is that of a sample. Samples need no gradient, so the first layer of mlp sums nothing backward.
    """
    if model == "gpt":
        return Counter({samples * prod(shape) * sizes["width"]: _SUMS_PER_BLOCK * sizes["layers"]})
    found: Counter[int] = Counter()
    for number, (inputs, _, outputs) in enumerate(_pairs(sizes, shape, classes)):
        found[samples * outputs] += 1
        if number:
            found[samples * inputs] += 1
    return found


def divided_share(model: str, sizes: dict[str, int], shape: tuple[int, ...], classes: int) -> float:
    """Return the share of the model's multiplications that the ranks divide; each rank computes all others."""
    if model == "gpt":
        width = sizes["width"]
        blocks = sizes["layers"] * (12 * width * width + 2 * prod(shape) * width)
        return blocks / (blocks + classes * width)
    widths = _widths(sizes, shape, classes)
    whole = sum(inputs * outputs for inputs, outputs in pairwise(widths))
    divided = sum(inputs * hidden + hidden * outputs for inputs, hidden, outputs in _pairs(sizes, shape, classes))
    return divided / whole


def _pairs(sizes: dict[str, int], shape: tuple[int, ...], classes: int) -> list[tuple[int, int, int]]:
    """Return inputs, hidden units and outputs of each pair of an mlp; a last layer without another one is in none."""
    widths = _widths(sizes, shape, classes)
    return [(widths[i], widths[i + 1], widths[i + 2]) for i in range(0, len(widths) - 2, 2)]


def _widths(sizes: dict[str, int], shape: tuple[int, ...], classes: int) -> list[int]:
    return [prod(shape), *[sizes["hidden"]] * sizes["layers"], classes]

"""Inputs whose exact sum is known and does not depend on the order of additions. Pure.

Every rank's input repeats a random pattern of small integers. The period is prime, so that chunks, which begin
at other multiples, hold different values and a swapped chunk is noticed; the sums stay below 2^24, up to which
float32 counts exactly.
"""

from dataclasses import dataclass

import numpy as np

from ringscope.transports.base import Array

_PERIOD = 10_007
_LARGEST = 100
_ROWS = 64  # periods compared at a time: keeps the temporaries in the cache


@dataclass(frozen=True, slots=True)
class Mismatch:
    """What a check found on one rank."""

    wrong: int
    first_index: int
    want: str
    got: str


def pattern(seed: int, rank: int) -> Array:
    """One period of the integers that ``rank`` contributes."""
    return np.random.default_rng((seed, rank)).integers(-_LARGEST, _LARGEST, _PERIOD, np.int64, endpoint=True)


def fill(target: Array, seed: int, rank: int) -> None:
    """Write the input of ``rank`` into the flat array ``target``."""
    _repeat(target, pattern(seed, rank).astype(target.dtype))


def expected_pattern(seed: int, ranks: int, dtype: np.dtype[np.generic]) -> Array:
    """One period of the exact sum over all ranks."""
    return sum((pattern(seed, rank) for rank in range(ranks)), np.zeros(_PERIOD, np.int64)).astype(dtype)


def compare(result: Array, want: Array) -> Mismatch | None:
    """Bit by bit (0 ulp) compare the flat ``result`` with the repeated ``want``; None when all is right."""
    bits, want_bits = result.view(f"u{result.itemsize}"), want.view(f"u{want.itemsize}")
    wrong, first = 0, -1
    block = _ROWS * _PERIOD
    for start in range(0, bits.size, block):
        part = bits[start : start + block]
        different = part != np.resize(want_bits, part.size)
        found = int(np.count_nonzero(different))
        if found and first < 0:
            first = start + int(np.argmax(different))
        wrong += found
    return Mismatch(wrong, first, str(want[first % _PERIOD]), str(result[first])) if wrong else None


def _repeat(target: Array, values: Array) -> None:
    whole = target.size // values.size * values.size
    target[:whole].reshape(-1, values.size)[:] = values
    target[whole:] = values[: target.size - whole]

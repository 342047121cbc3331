"""Elementwise reduction of two arrays, for every dtype and operation of ``base``.

float16 and bfloat16 are added by a library with SIMD instructions (numkong), because NumPy converts them one by one,
50 times slower; whether it rounds as NumPy does (to the nearest, ties to even) is tried once per process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import ml_dtypes
import numkong
import numpy as np

from ringscope.engine.base import Array, components

_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "avg": np.add,
}
Half = Literal["float16", "bfloat16"]
_HALVES: dict[str, Half] = {"float16": "float16", "bfloat16": "bfloat16"}
_TILE = 1 << 16
Combine = Callable[[Array, Array, Array], object]


@dataclass(frozen=True, slots=True)
class Reduction:
    """``combine(first, second, result)`` for every pair, then ``finish(result)`` if the operation has one."""

    combine: Combine
    finish: Callable[[Array], None] | None = None


def reduction(op: str, dtype: np.dtype[np.generic], ranks: int) -> Reduction:
    """Return the operation over ``ranks`` ranks.

    Integers wrap around as in NumPy. ``avg`` is the sum, divided once at the end (within 1 ulp); integers are truncated
    towards zero. Sums and averages of complex numbers are computed for each part.
    """
    half = _HALVES.get(dtype.name)
    if op in ("sum", "avg") and half and _adds_exactly(half):
        combine: Combine = partial(_add_halves, half)
    elif op in ("min", "max"):
        combine = partial(_into, _UFUNCS[op])
    else:
        combine = _UFUNCS[op]
    if op != "avg":
        return Reduction(combine)
    if half and _adds_exactly(half):
        return Reduction(combine, partial(_divide_halves, half, ranks))
    return Reduction(combine, partial(_divide_integers if dtype.kind in "iu" else _divide, ranks))


def _into(ufunc: np.ufunc, first: Array, second: Array, result: Array) -> None:
    ufunc(first, second, out=result)


def _add_halves(name: Half, first: Array, second: Array, result: Array) -> None:
    numkong.blend(_known(first), _known(second), dtype=name, alpha=1.0, beta=1.0, out=_known(result))


def _divide_halves(name: Half, ranks: int, result: Array) -> None:
    """Divide by adding half of the quotient to itself: the library's own scaling does not support bfloat16, and
    0·inf is NaN.
    """
    values, factor = _known(result), 0.5 / ranks
    numkong.blend(values, values, dtype=name, alpha=factor, beta=factor, out=values)


def _known(values: Array) -> Array:
    """Return the bits: bfloat16 is not a dtype of the buffer protocol."""
    return values.view(np.uint16) if values.dtype == ml_dtypes.bfloat16 else values


@cache
def _adds_exactly(name: Half) -> bool:
    """Return whether the library's sums equal NumPy's bit for bit on this processor, for all exponents and both
    signs.
    """
    bits = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(all="ignore"):
        first = bits.view(name)
        # multiples of an odd factor: every bit pattern once, in another order
        second = (bits * np.uint16(40_503)).view(name)
        want = first + second
        got = np.empty_like(want)
        _add_halves(name, first, second, got)
        same = (got.view(np.uint16) == want.view(np.uint16)) | np.isnan(want) & np.isnan(got)
    return bool(same.all())


def _divide(ranks: int, result: Array) -> None:
    values = components(result)  # a complex division would turn an infinite part into NaN
    np.divide(values, values.dtype.type(ranks), out=values)


def _divide_integers(ranks: int, result: Array) -> None:
    wide = np.uint64 if result.dtype.kind == "u" else np.int64
    for start in range(0, result.size, _TILE):
        tile = result[start : start + _TILE]
        quotient = tile.astype(wide)
        if wide is np.int64:
            np.add(quotient, ranks - 1, out=quotient, where=quotient < 0)  # floor becomes ceil below zero
        np.floor_divide(quotient, ranks, out=quotient)
        tile[:] = quotient.astype(result.dtype)

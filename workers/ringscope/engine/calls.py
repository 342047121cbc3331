"""A call of one of the engine's functions: the rules for its arguments, and the values on which all ranks must
agree. Pure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from operator import index
from typing import Any

import numpy as np

from ringscope.contracts.words.collectives import AUTO, VENDORS
from ringscope.contracts.words.dtypes import DTYPES, OPS, check_dtype, check_op
from ringscope.engine.base import Array
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arrays import is_array, is_writable, overlap
from ringscope.schedules.algorithms import SCHEDULES

ALGORITHMS = (*SCHEDULES, *sorted(VENDORS), AUTO)
FUNCTIONS = ("all_reduce", "tune", "empty", "free")
_COUNTED = {"empty": ("size", "{} bytes"), "free": ("which array", "number {} of the arrays from empty")}
_EQUAL = ("function", "length", "dtype", "op", "algorithm", "in place or out of place")
Place = tuple[int, int]  # position in registered memory: index of the allocation, byte offset; -1: elsewhere


@dataclass(frozen=True, slots=True)
class Call:
    """The properties of a call on which all ranks must agree, as numbers that fit one small message."""

    function: int
    count: int
    dtype: int = 0
    op: int = 0
    algorithm: int = 0
    in_place: int = 0
    send: Place = (0, 0)
    recv: Place = (0, 0)

    def numbers(self) -> list[int]:
        """Return the message: first the values that must be equal, then the positions."""
        equal = [self.function, self.count, self.dtype, self.op, self.algorithm, self.in_place]
        return [*equal, *self.send, *self.recv]


def array_size(shape: int | tuple[int, ...], dtype: str) -> int:
    """Return the bytes of such an array. Raises EngineError for an invalid shape, and for a dtype that the engine
    does not support.
    """
    try:
        name = str(np.dtype(dtype))
    except TypeError:  # NumPy does not know it either
        name = str(dtype)
    check("dtype", check_dtype, name)
    try:
        extents = [index(extent) for extent in (shape if isinstance(shape, tuple) else (shape,))]
    except TypeError:
        extents = [-1]
    if min(extents, default=0) < 0:
        raise EngineError(f"shape: {shape!r} is not a shape; give a whole number, or a tuple of them, each 0 or more.")
    return prod(extents) * np.dtype(name).itemsize


def empty_call(size_bytes: int) -> Call:
    """Return the call for an allocation."""
    return Call(FUNCTIONS.index("empty"), size_bytes)


def give_back_call(number: int) -> Call:
    """Return the call that frees an array."""
    return Call(FUNCTIONS.index("free"), number)


def all_reduce_call(
    x: Any, target: Any, op: str, algorithm: str, place: Callable[[Array], Place], function: str = "all_reduce"
) -> Call:
    """Return the call of an all-reduce of ``x`` into ``target``; EngineError for arguments that are invalid on any
    rank.
    """
    dtype = _common_dtype(x, target)
    check("dtype", check_dtype, dtype)
    check("op", check_op, op, dtype)
    if algorithm not in ALGORITHMS:
        raise EngineError(f"algorithm: unknown algorithm {algorithm!r}; choose one of {', '.join(ALGORITHMS)}.")
    return Call(
        function=FUNCTIONS.index(function),
        count=x.size,
        dtype=DTYPES.index(dtype),
        op=OPS.index(op),
        algorithm=ALGORITHMS.index(algorithm),
        in_place=int(target is x),
        send=place(x),
        recv=place(target),
    )


def require_agreement(every: Array) -> None:
    """Raise EngineError if the calls of all ranks, a row of numbers each, are not equal."""
    for column, name in enumerate(_EQUAL):
        different = np.flatnonzero(every[:, column] != every[0, column])
        if different.size:
            function, other = FUNCTIONS[int(every[0, 0])], int(different[0])
            theirs, ours = (_shown(function, name, int(every[rank, column])) for rank in (other, 0))
            named = _COUNTED[function][0] if name == "length" and function in _COUNTED else name
            raise EngineError(
                f"{function}: rank {other} differs from rank 0 in {named} "
                f"({theirs} against {ours}); all ranks must make the same call."
            )


def needs_staging(every: Array) -> bool:
    """Return whether any rank's arrays are outside registered memory, or at other offsets than those of the other
    ranks.
    """
    places = every[:, len(_EQUAL) :]
    return bool((places != places[0]).any() or (places[:, ::2] < 0).any())


def _common_dtype(x: Any, target: Any) -> str:
    """Return the common dtype of two arrays; EngineError if they do not suit an all-reduce."""
    for name, array in (("x", x), ("out", target)):
        if not is_array(array):
            raise EngineError(f"{name}: a {type(array).__name__} is not a NumPy or CuPy array; pass one.")
        if not array.flags.c_contiguous:
            raise EngineError(f"{name}: the array is not contiguous; pass a copy by ascontiguousarray.")
    if not is_writable(target):
        raise EngineError("out: the array is read-only; pass one that can be written.")
    if x.dtype != target.dtype or x.shape != target.shape:
        raise EngineError(
            f"out: {target.dtype}{list(target.shape)} does not match x, which is {x.dtype}{list(x.shape)}; "
            "give both the same dtype and shape."
        )
    if target is not x and overlap(x, target):
        raise EngineError("out: the array overlaps x; leave it out to work in place, or pass separate memory.")
    return str(x.dtype)


def check(field: str, check: Callable[..., None], *values: str) -> None:
    """Run ``check`` on the values, and raise its ValueError as an EngineError that names the field."""
    try:
        check(*values)
    except ValueError as error:
        raise EngineError(f"{field}: {error}") from error


def _shown(function: str, name: str, number: int) -> str:
    if name == "length":
        _, words = _COUNTED.get(function, (name, "{} elements"))
        return words.format(number)
    named = {
        "dtype": DTYPES,
        "op": OPS,
        "algorithm": ALGORITHMS,
        "in place or out of place": ("out", "in"),
        "function": FUNCTIONS,
    }
    return named[name][number]

"""GPU kernels that combine arrays of several ranks in one pass over memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any

from ringscope.engine.base import Array, components, cut
from ringscope.engine.memory import own_kernels
from ringscope.engine.memory.cuda import compiling, telling
from ringscope.schedules.schedule import Schedule

# T(...) rounds after each step, as a chain of NumPy calls does, so that both give the same bits, except for subnormal
# numbers of float32: CuPy always adds -ftz=true to its options. Like NumPy's minimum and maximum, these functions
# propagate NaN.
_PREAMBLE = """
template <typename T> __device__ T lower(T a, T b) { return (a != a || a < b) ? a : b; }
template <typename T> __device__ T higher(T a, T b) { return (a != a || a > b) ? a : b; }
"""
_EXPRESSIONS = {
    "sum": "T({} + {})",
    "prod": "T({} * {})",
    "min": "lower({}, {})",
    "max": "higher({}, {})",
    "avg": "T({} + {})",
}
_UFUNCS = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "avg": "add"}
VARIABLE = "RINGSCOPE_GPU_KERNELS"
MOST_ARRAYS = 64  # the arguments of a kernel are limited to 4 KiB, and an array takes about 40 bytes


@cache
def pairwise(cupy: Any, op: str) -> Any:
    """Return the function (first, second, result) of an operation; for ``avg`` it is the sum, which is divided once
    at the end.
    """
    if _takes_own():
        return own_kernels.Combine(cupy, op, 2, 1)
    return getattr(cupy, _UFUNCS[op])


def _takes_own() -> bool:
    """Return whether RINGSCOPE_GPU_KERNELS asks for our own kernels, which no GPU has run yet."""
    return os.environ.get(VARIABLE) == "own"


def divide(cupy: Any, array: Array, ranks: int) -> None:
    """Turn a sum over ``ranks`` ranks into a mean, in place; integers are truncated towards zero, as in C."""
    _divider(cupy)(ranks, components(array))


@cache
def _divider(cupy: Any) -> Any:
    if _takes_own():
        return own_kernels.Divide(cupy)
    return cupy.ElementwiseKernel("int64 n", "T x", "x = T(x / n)", "ringscope_divide")


def has_kernel(op: str, arrays: int) -> bool:
    """Return whether ``combine`` can do ``op`` with this number of inputs and results together."""
    return op in _EXPRESSIONS and arrays <= MOST_ARRAYS


def finishing(cupy: Any, op: str, schedule: Schedule, rank: int, result: Array) -> list[Callable[[], None]]:
    """Return the remaining work on the result of ``rank`` after the schedule: a mean still has to be divided."""
    if op != "avg":
        return []
    compile_now(cupy, _divider(cupy), components(result).dtype, 1, 2)
    chunks = [chunk for chunk in schedule.output_chunks(rank) if chunk.length]
    return [partial(divide, cupy, cut(result, chunk), schedule.ranks) for chunk in chunks]


@cache
def combine(cupy: Any, op: str, inputs: int, results: int) -> Any:
    """Return a kernel that reads ``inputs`` arrays, combines them from left to right and writes the result to
    ``results`` arrays.
    """
    if _takes_own() and own_kernels.has_own(op, inputs + results):
        return own_kernels.Combine(cupy, op, inputs, results)
    sources, targets = [f"s{i}" for i in range(inputs)], [f"d{i}" for i in range(results)]
    value = reduce(lambda total, name: _EXPRESSIONS[op].format(total, name), sources)
    return cupy.ElementwiseKernel(
        ", ".join(f"T {name}" for name in sources),
        ", ".join(f"T {name}" for name in targets),
        f"{' = '.join(targets)} = {value}",
        f"ringscope_{op}_{inputs}_{results}",
        preamble=_PREAMBLE,
    )


def compile_reduction(cupy: Any, op: str, dtype: Any) -> None:
    """Compile what ``pairwise`` and ``divide`` launch for a type of NumPy; see ``compile_now``."""
    compile_now(cupy, pairwise(cupy, op), dtype, 3)
    if op == "avg":
        compile_now(cupy, _divider(cupy), components(cupy.empty(2, dtype)).dtype, 1, 2)


@cache
def compile_now(cupy: Any, kernel: Any, dtype: Any, arrays: int, *numbers: int) -> None:
    """Compile ``kernel`` for so many arrays of a type, before a call needs it while peers wait in NCCL.

    CuPy compiles at the first launch and skips empty arrays, so the kernel runs on two elements. Raises EngineError.
    """
    name = getattr(kernel, "name", None) or getattr(kernel, "__name__", "a kernel")
    with telling("A rank"), compiling(f"the kernel {name} for {dtype}"):
        kernel(*numbers, *(cupy.zeros(2, dtype) for _ in range(arrays)))

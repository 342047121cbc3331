"""Inputs whose exact result is known and does not depend on the order of operations. Pure.

Every rank's input repeats a random pattern. The period is prime, so that chunks, which begin at other multiples, hold
different values and a swapped chunk is noticed. Integers use all bits, as they wrap around equally in every order.
Floating-point sums add integers that stay below 2^m, up to which a type with m bits of precision is exact; products
multiply powers of two. A complex number is two such numbers. Source: nccl-tests 2.13 and later, which compare by 0 ulp.
Only a mean may be rounded; some libraries already round the inputs (see ``_tolerance``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from ringscope.engine.base import Array, bits, components, cut
from ringscope.engine.memory.arrays import beside, module_of, to_host
from ringscope.schedules.schedule import Chunk, partition

_PERIOD = 10_007
_LARGEST = 100
_ROWS = 64  # periods compared at a time: keeps the temporaries in the cache
_PRECISION_BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
_SCALING_RANKS = 8  # ranks that contribute a factor of 2 or 1/2: products stay within the exponents of float16
_COMBINE: dict[str, np.ufunc] = {
    "none": np.add,  # combines a single value only
    "sum": np.add,
    "avg": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Result of a failed check on one rank."""

    wrong: int
    first_index: int
    want: str
    got: str


@dataclass(frozen=True, slots=True)
class Case:
    """The computation to check: the inputs depend on all of its fields, because every result must be exact over all
    ranks.

    ``op`` is None for collectives that only move data.
    """

    dtype: np.dtype[np.generic]
    op: str
    ranks: int
    seed: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a result: ``target`` combines the contributors' values from ``source_offset`` on."""

    target: Chunk
    contributors: tuple[int, ...]
    source_offset: int


def pattern(case: Case, rank: int) -> Array:
    """Return one period of the contribution of ``rank``."""
    random = np.random.default_rng((case.seed, rank))
    if case.dtype.kind == "c":
        real = replace(case, dtype=np.dtype(f"f{case.dtype.itemsize // 2}"))
        return np.stack([_floats(real, rank, random) for _ in "ri"], axis=1).view(case.dtype).reshape(-1)
    if case.dtype.kind in "iu":
        return _integers(case, rank, random)
    return _floats(case, rank, random)


def _floats(case: Case, rank: int, random: np.random.Generator) -> Array:
    match case.op:
        case "prod":
            largest = int(rank < _SCALING_RANKS)
            exponents = random.integers(-largest, largest, _PERIOD, np.int64, endpoint=True)
            signs = random.choice(np.array([-1.0, 1.0]), _PERIOD)
            powers: Array = (signs * 2.0**exponents).astype(case.dtype)
            return powers
        case "sum" | "avg":
            largest = _share(1 << _PRECISION_BITS[case.dtype.name], case.ranks, rank)
        case _:
            largest = _LARGEST
    values: Array = random.integers(-largest, largest, _PERIOD, np.int64, endpoint=True).astype(case.dtype)
    return values


def _integers(case: Case, rank: int, random: np.random.Generator) -> Array:
    limits = np.iinfo(case.dtype)  # type: ignore[type-var]
    smallest, largest = int(limits.min), int(limits.max)
    if case.op == "avg":  # the sum must not wrap around before it is divided
        largest = _share(largest, case.ranks, rank)
        smallest = -largest if smallest else 0
    values: Array = random.integers(smallest, largest, _PERIOD, case.dtype, endpoint=True)
    return values


def _share(limit: int, ranks: int, rank: int) -> int:
    """Return the largest value of ``rank`` for which the values of all ranks add up to at most ``limit``."""
    return min(_LARGEST, max(1, limit // ranks)) if rank < limit else 0


def fill(target: Array, case: Case, rank: int) -> None:
    """Write the input of ``rank`` into the flat array ``target``, which may be in GPU memory.

    Only one period goes there from the host.
    """
    memory = bits(target)
    values = beside(target, bits(pattern(case, rank)))
    whole = memory.size // values.size * values.size
    memory[:whole].reshape(-1, values.size)[:] = values
    memory[whole:] = values[: memory.size - whole]


def expected_pattern(case: Case, contributors: Sequence[int]) -> Array:
    """Return one period of the exact result over the contributors."""
    if case.dtype.kind in "iu" and case.op != "avg":
        wide = case.dtype
    else:
        wide = np.dtype(np.complex128 if case.dtype.kind == "c" else np.float64)
    combined: Array = reduce(_COMBINE[case.op], (pattern(case, rank).astype(wide) for rank in contributors))
    if case.op == "avg":
        values = components(combined)
        np.divide(values, len(contributors), out=values)
        if case.dtype.kind in "iu":
            combined = np.trunc(combined)
    return combined.astype(case.dtype)


def pieces(collective: str, count: int, ranks: int, rank: int, root: int) -> list[Piece]:
    """Return the pieces of the result of ``rank``; ``count`` elements make up the whole layout."""
    whole, parts, everyone = Chunk(0, count), partition(count, ranks), tuple(range(ranks))
    match collective:
        case "all_reduce":
            return [Piece(whole, everyone, 0)]
        case "reduce_scatter":
            return [Piece(parts[rank], everyone, parts[rank].offset)]
        case "all_gather":
            return [Piece(part, (owner,), part.offset) for owner, part in enumerate(parts)]
        case "broadcast":
            return [Piece(whole, (root,), 0)]
        case "reduce":
            return [Piece(whole, everyone, 0)] if rank == root else []
        case "alltoall":
            return [Piece(part, (sender,), parts[rank].offset) for sender, part in enumerate(parts)]
        case "sendrecv":
            return [Piece(whole, ((rank - 1) % ranks,), 0)]
    raise ValueError(f"{collective} is not a collective.")


def check(
    result: Array, case: Case, wanted: list[Piece], on_block: Callable[[], None] = lambda: None
) -> Mismatch | None:
    """Compare all pieces of a flat result; the index of the first wrong element counts from its start.

    The result may be in GPU memory. ``on_block`` is called repeatedly in the meantime: a large result takes long.
    """
    found = []
    for piece in wanted:
        want = np.roll(expected_pattern(case, piece.contributors), -(piece.source_offset % _PERIOD))
        mismatch = compare(cut(result, piece.target), want, _tolerance(case, piece.contributors), on_block)
        if mismatch is not None:
            found.append(replace(mismatch, first_index=piece.target.offset + mismatch.first_index))
    return replace(found[0], wrong=sum(mismatch.wrong for mismatch in found)) if found else None


def _tolerance(case: Case, contributors: Sequence[int]) -> float:
    """Return the absolute tolerance of a floating-point mean; 0 for other operations.

    NCCL multiplies each input by 1/p, rounds it and then adds. Even if the inputs cancel out, the error is of their
    size: up to p · eps · the largest input.
    """
    if case.op != "avg" or case.dtype.kind in "iu":
        return 0.0
    largest = max(float(np.abs(components(pattern(case, rank)).astype(np.float64)).max()) for rank in contributors)
    eps: float = 2.0 ** (1 - _PRECISION_BITS[components(np.empty(0, case.dtype)).dtype.name])
    return len(contributors) * eps * largest


def compare(
    result: Array, want: Array, tolerance: float = 0.0, on_block: Callable[[], None] = lambda: None
) -> Mismatch | None:
    """Compare the flat ``result`` with the repeated ``want``, bit by bit or within ``tolerance``; None if it is
    right.

    A result on a GPU is compared there, and a number comes back for each block; only blocks with a wrong element and
    those of a mean, which may differ a little, are copied to the host.
    """
    see = components if tolerance else bits
    have, wanted = see(result), see(want)
    parts = 2 if result.dtype.kind == "c" else 1  # both parts of a complex number have to be right
    wrong, first = 0, -1
    block = _ROWS * want.size * parts
    repeated = np.resize(wanted, min(block, have.size))
    expected = repeated if tolerance else beside(have, repeated)
    for start in range(0, have.size, block):
        part = have[start : start + block]
        if tolerance:
            different = _is_farther(to_host(part), expected[: part.size], tolerance)
        else:
            different = part != expected[: part.size]
        if int(module_of(different).count_nonzero(different)):
            elements = to_host(different).reshape(-1, parts).any(axis=1)
            wrong += int(np.count_nonzero(elements))
            if first < 0:
                first = start // parts + int(np.argmax(elements))
        on_block()
    return (
        Mismatch(wrong, first, str(want[first % want.size]), str(to_host(result[first : first + 1])[0]))
        if wrong
        else None
    )


def _is_farther(first: Array, second: Array, tolerance: float) -> Array:
    """Return where the difference exceeds the tolerance; NaN and infinity always do."""
    with np.errstate(invalid="ignore"):
        distance: Array = np.abs(first.astype(np.float64) - second.astype(np.float64))
    return ~(distance <= tolerance)

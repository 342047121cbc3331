"""Inputs whose exact sum is known and does not depend on the order of additions. Pure.

Every rank's input repeats a random pattern of small integers. The period is prime, so that chunks, which begin
at other multiples, hold different values and a swapped chunk is noticed; the sums stay below 2^24, up to which
float32 counts exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringscope.schedule import Chunk, partition
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


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a result: ``target`` holds what ``contributors`` have from ``source_offset`` on."""

    target: Chunk
    contributors: tuple[int, ...]
    source_offset: int


def pieces(collective: str, count: int, ranks: int, rank: int, root: int) -> list[Piece]:
    """What the result of ``rank`` consists of; ``count`` elements make up the whole layout."""
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
    raise ValueError(f"{collective}: there is no such collective.")


def check(result: Array, seed: int, wanted: list[Piece]) -> Mismatch | None:
    """Compare all pieces of a flat result; the index of the first wrong element counts from its start."""
    found = []
    for piece in wanted:
        want = expected_pattern(seed, piece.contributors, result.dtype)
        offset, length = piece.target
        mismatch = compare(result[offset : offset + length], np.roll(want, -(piece.source_offset % _PERIOD)))
        if mismatch is not None:
            found.append(replace(mismatch, first_index=offset + mismatch.first_index))
    return replace(found[0], wrong=sum(mismatch.wrong for mismatch in found)) if found else None


def expected_pattern(seed: int, contributors: Sequence[int], dtype: np.dtype[np.generic]) -> Array:
    """One period of the exact sum over the contributors."""
    return sum((pattern(seed, rank) for rank in contributors), np.zeros(_PERIOD, np.int64)).astype(dtype)


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

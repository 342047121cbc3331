"""Notes that every rank sends with its gradients, so that differing ranks are named and never diverge silently.

Each rank has a row of float32 numbers, and zeros in the rows of the others, so the sum over the ranks gives every rank
all rows. Every number is small enough for float32 to represent it exactly.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass

import numpy as np
import torch

from ringscope.engine.errors import DifferenceError
from ringscope.train.digest import odd_rank

FIELDS = 7
_EXACT = (1 << 24) - 1  # float32 represents integers up to here exactly
_NOT_TAKEN = -1.0
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_COMPARED_AT_FIRST = 8
_ALL_EVERY = 50  # in steps
_TENSORS = 8  # share of each tensor that is compared after the other steps: it takes some tens of microseconds


@dataclass(frozen=True, slots=True)
class Notes:
    """Values that one rank adds to the sum, to detect ranks that differ.

    Args: steps: steps that the optimizers of these gradients have made. options: a checksum of the optimizers' options.
    learning_rate: the rate of the first group of parameters, for the error message. parameters: a checksum of the
    parameters, or -1 if they were already compared after this step. fresh: elements of the new parameters that no
    bucket holds yet. changes: number of in-place changes of the parameters since the previous notes. is_over: 1 if the
    rank's program has ended, else 0.
    """

    steps: float
    options: float
    learning_rate: float
    parameters: float
    fresh: float
    changes: float
    is_over: float = 0.0


def take_notes(
    optimizers: Iterable[torch.optim.Optimizer],
    parameters: Iterable[torch.Tensor] | None,
    steps: int,
    fresh: Iterable[torch.Tensor],
    changes: int = 0,
) -> Notes:
    """Return this rank's notes; ``parameters`` are None if they are not compared this time."""
    optimizers = list(optimizers)
    groups = [(optimizer.defaults, group) for optimizer in optimizers for group in optimizer.param_groups]
    options = [[(name, plain(group.get(name))) for name in sorted(defaults)] for defaults, group in groups]
    rate = plain(groups[0][1].get("lr")) if groups else None
    rate = rate[0] if isinstance(rate, list) and len(rate) == 1 else rate
    part = None if _is_turn_of_all(steps) else steps
    return Notes(
        steps=float(steps & _EXACT),
        options=float(zlib.crc32(repr(options).encode()) & _EXACT),
        learning_rate=float(rate) if isinstance(rate, int | float) else 0.0,
        parameters=_NOT_TAKEN if parameters is None else float(checksum(parameters, part)),
        fresh=float(sum(tensor.numel() for tensor in fresh) & _EXACT),
        changes=float(changes & _EXACT),
    )


def last_notes(steps: int) -> Notes:
    """Return the notes of a rank whose program has ended after ``steps`` steps."""
    return Notes(float(steps & _EXACT), 0.0, 0.0, _NOT_TAKEN, 0.0, 0.0, is_over=1.0)


def _is_turn_of_all(steps: int) -> bool:
    """Return whether all parameters are compared after ``steps`` steps: always at first, because most faults show at
    once.
    """
    return steps < _COMPARED_AT_FIRST or steps & (steps - 1) == 0 or steps % _ALL_EVERY == 0


def count_changes(tensors: Iterable[torch.Tensor]) -> int:
    """Return how often the tensors were changed in place; changes through ``.data`` do not count."""
    return sum(tensor._version for tensor in tensors if not tensor.is_inference())


def write_notes(area: torch.Tensor, notes: Notes, rank: int) -> None:
    """Write the notes of this rank into the rows of all ranks."""
    area.zero_()
    area[rank * FIELDS : (rank + 1) * FIELDS].copy_(torch.tensor(astuple(notes)))


def compare_notes(area: torch.Tensor) -> bool:
    """Raise an error that names the odd rank, equal on every rank, if the rows differ.

    Return whether the numbers of in-place changes differ between ranks, so that all parameters must be compared.
    """
    rows = [Notes(*row) for row in area.view(-1, FIELDS).tolist()]
    if found := odd_rank([int(row.is_over) for row in rows]):
        over, other = found if rows[found[0]].is_over else found[::-1]
        raise DifferenceError(
            f"Rank {over} has ended after {rows[over].steps:.0f} steps of its optimizer, and rank {other} goes on "
            f"after {rows[other].steps:.0f}; give every rank the same number of batches."
        )
    if found := odd_rank([int(row.steps) for row in rows]):
        one, other = found
        raise DifferenceError(
            f"Rank {one} has made {rows[one].steps:.0f} steps of its optimizer and rank {other} "
            f"{rows[other].steps:.0f}; let every rank make the same steps, also where a batch is missing or left out."
        )
    after = f"After step {rows[0].steps:.0f}"
    if found := odd_rank([int(row.fresh) for row in rows]):
        one, other = found
        raise DifferenceError(
            f"{after} rank {one} trains other parameters than rank {other}; freeze, unfreeze and add the same "
            "parameters on every rank."
        )
    if found := odd_rank([int(row.options) for row in rows]):
        first, second = (rows[rank].learning_rate for rank in found)
        rates = f": lr is {first:g} and {second:g}" if first != second else ""
        raise DifferenceError(
            f"{after} the optimizer's options differ between rank {found[0]} and rank {found[1]}{rates}; give every "
            "rank the same options, and a scheduler that goes by a loss the mean of all ranks."
        )
    if found := odd_rank([int(row.parameters) for row in rows]):
        one, other = found
        raise DifferenceError(
            f"{after} the parameters of rank {one} differ from those of rank {other}, though both had the same "
            "gradients; change parameters, gradients and the optimizer's state equally on every rank."
        )
    return odd_rank([int(row.changes) for row in rows]) is not None


def checksum(tensors: Iterable[torch.Tensor], part: int | None = None) -> int:
    """Return a 24-bit checksum of all bits of the tensors, at the speed of memory: equal if all bits are equal.

    With ``part``, a number of steps, a fiftieth of at most eight tensors counts, different ones after each step: a
    difference in all tensors shows at once, a difference in a single tensor after some steps.
    """
    looked_at = [tensor for tensor in tensors if tensor.numel() and tensor.layout == torch.strided]
    slice_ = None
    if part is not None:
        stride = max(1, -(-len(looked_at) // _TENSORS))
        looked_at, slice_ = looked_at[part % stride :: stride], part // stride % _ALL_EVERY
    if not looked_at:
        return 0
    device = looked_at[0].device
    sums = [(2 * at + 1) * _words(tensor, slice_).sum().to(device) for at, tensor in enumerate(looked_at)]
    total = int(torch.stack(sums).sum())  # it wraps beyond 64 bits, as on every other rank
    return zlib.crc32(total.to_bytes(8, "little", signed=True)) & _EXACT


def _words(tensor: torch.Tensor, part: int | None) -> torch.Tensor:
    """Return the tensor's bytes, or a fiftieth of them, as 64-bit integers; the last one is padded with zeros."""
    octets = tensor.detach().reshape(-1).view(torch.uint8)
    if part is not None:
        words = -(-octets.numel() // 8)
        first = words * part // _ALL_EVERY
        octets = octets[8 * first : 8 * max(first + 1, words * (part + 1) // _ALL_EVERY)]
    if octets.numel() % 8 or octets.storage_offset() % 8:
        padded = octets.new_zeros(-(-octets.numel() // 8) * 8)
        padded[: octets.numel()] = octets
        octets = padded
    return octets.view(torch.int64)


def plain(value: object) -> object:
    """Return an option as text, without parts that differ between processes: addresses, and the order of sets."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, Mapping):
        return sorted((str(name), plain(one)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(repr(plain(one)) for one in value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return value if isinstance(value, int | float) else _ADDRESS.sub("", repr(value))

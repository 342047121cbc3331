"""Notes that every rank sends with its gradients, so that ranks that differ are named and never drift silently.

Each rank has a row of float32 numbers, and zeros in the rows of the others; the sum over the ranks gives every rank all
rows. Every number is small enough for float32 to keep it exactly.
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
_EXACT = (1 << 24) - 1  # float32 keeps whole numbers up to here
_NOT_TAKEN = -1.0
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_COMPARED_AT_FIRST = 8
_ALL_EVERY = 50  # steps
_TENSORS = 8  # compared after a step that is no turn of all, a fiftieth of each: some tens of microseconds


@dataclass(frozen=True, slots=True)
class Notes:
    """Values that one rank adds to the sum, to detect ranks that differ.

    Args:
        steps: steps that the optimizers of these gradients have made.
        options: a checksum of the optimizers' options.
        learning_rate: the rate of the first group of parameters, for the error message.
        parameters: a checksum of the parameters, or -1 where they were compared after this step already.
        fresh: elements of the parameters that came since and that no bucket holds yet.
        changes: number of in-place changes of the parameters since the notes before.
        is_over: 1 where the rank's program has ended, else 0.
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
    """Return this rank's notes; ``parameters`` are None where they are not compared this time."""
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
    """Return the notes of a rank whose program has ended after so many steps."""
    return Notes(float(steps & _EXACT), 0.0, 0.0, _NOT_TAKEN, 0.0, 0.0, is_over=1.0)


def _is_turn_of_all(steps: int) -> bool:
    """Say whether all of the parameters are compared after so many steps: at first, as most faults show at once."""
    return steps < _COMPARED_AT_FIRST or steps & (steps - 1) == 0 or steps % _ALL_EVERY == 0


def count_changes(tensors: Iterable[torch.Tensor]) -> int:
    """Return how often the tensors were ever changed in place; changes through ``.data`` do not count."""
    return sum(tensor._version for tensor in tensors if not tensor.is_inference())


def write_notes(area: torch.Tensor, notes: Notes, rank: int) -> None:
    """Put the notes of this rank into the rows of all ranks."""
    area.zero_()
    area[rank * FIELDS : (rank + 1) * FIELDS].copy_(torch.tensor(astuple(notes)))


def compare_notes(area: torch.Tensor) -> bool:
    """Raise a sentence that names the odd rank, the same on every rank, where the rows differ.

    Return whether ranks have changed their parameters in place differently often, so that all must be compared.
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
    """Return 24 bits about all bits of the tensors, at the speed of memory: equal where all bits are equal.

    With ``part``, a number of steps, a fiftieth of at most eight tensors counts, after each step of other ones: a
    difference in all tensors shows at once, one in a single tensor when its turn comes.
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
    total = int(torch.stack(sums).sum())  # beyond 64 bits it wraps, as on every other rank
    return zlib.crc32(total.to_bytes(8, "little", signed=True)) & _EXACT


def _words(tensor: torch.Tensor, part: int | None) -> torch.Tensor:
    """Return the tensor's bytes, or a fiftieth of them, as whole numbers of 64 bits; zeros fill up the last one."""
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
    """Return what an option says, without what differs between processes: addresses, and the order of sets."""
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

"""Notes that every rank sends along with its gradients, so that ranks that differ are named and never drift in silence.

Each rank has a row of float32 numbers, and zeros in the rows of the others; the sum over the ranks gives every rank all
rows. Every number is small enough for float32 to keep it exactly.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import astuple, dataclass

import torch

from ringscope.engine.errors import DifferenceError
from ringscope.train.digest import odd_rank

FIELDS = 5
_EXACT = (1 << 24) - 1  # float32 keeps whole numbers up to here
_NOT_TAKEN = -1.0
_COMPARED_AT_FIRST = 8
_COMPARED_EVERY = 50


@dataclass(frozen=True, slots=True)
class Notes:
    """What one rank notes.

    Args:
        steps: that the optimizers of these gradients have made.
        options: a checksum of the optimizers' options.
        learning_rate: of the first group of parameters, for the sentence.
        parameters: a checksum of the parameters, or -1 where it is not their turn.
        fresh: elements of the parameters that came since and that no bucket holds yet.
    """

    steps: float
    options: float
    learning_rate: float
    parameters: float
    fresh: float


def take_notes(
    optimizers: Iterable[torch.optim.Optimizer],
    parameters: Iterable[torch.Tensor] | None,
    steps: int,
    fresh: Iterable[torch.Tensor],
) -> Notes:
    """This rank's notes; ``parameters`` are None where they are not compared this time."""
    optimizers = list(optimizers)
    groups = [(optimizer.defaults, group) for optimizer in optimizers for group in optimizer.param_groups]
    options = [[(name, _plain(group.get(name))) for name in sorted(defaults)] for defaults, group in groups]
    rate = _plain(groups[0][1].get("lr")) if groups else None
    return Notes(
        steps=float(steps & _EXACT),
        options=float(zlib.crc32(repr(options).encode()) & _EXACT),
        learning_rate=float(rate) if isinstance(rate, int | float) else 0.0,
        parameters=_NOT_TAKEN if parameters is None else float(checksum(parameters)),
        fresh=float(sum(tensor.numel() for tensor in fresh) & _EXACT),
    )


def is_turn_of_parameters(steps: int) -> bool:
    """Whether the parameters are compared after so many steps: often at first, as most faults show at once."""
    return steps < _COMPARED_AT_FIRST or steps & (steps - 1) == 0 or steps % _COMPARED_EVERY == 0


def write_notes(area: torch.Tensor, notes: Notes, rank: int) -> None:
    """Put the notes of this rank into the rows of all ranks."""
    area.zero_()
    area[rank * FIELDS : (rank + 1) * FIELDS].copy_(torch.tensor(astuple(notes)))


def compare_notes(area: torch.Tensor) -> None:
    """Raise a sentence that names the odd rank, the same on every rank, where the rows differ."""
    rows = [Notes(*row) for row in area.view(-1, FIELDS).tolist()]

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
        one, other = found
        raise DifferenceError(
            f"{after} the optimizer's options differ: rank {one} has lr {rows[one].learning_rate:g} and rank {other} "
            f"lr {rows[other].learning_rate:g}; give every rank the same options, and a scheduler that goes by a loss "
            "the mean of all ranks."
        )
    if found := odd_rank([int(row.parameters) for row in rows]):
        one, other = found
        raise DifferenceError(
            f"{after} the parameters of rank {one} differ from those of rank {other}, though both had the same "
            "gradients; change parameters, gradients and the optimizer's state on every rank alike."
        )


def checksum(tensors: Iterable[torch.Tensor]) -> int:
    """24 bits about all bits of float32 tensors, at the speed of memory: the same where all bits are the same."""
    total = 0
    for number, tensor in enumerate(tensors):
        flat = tensor.detach().reshape(-1)
        if flat.storage_offset() % 2:
            flat = flat.clone()
        even = flat.numel() & ~1
        found = int(flat[:even].view(torch.int64).sum()) if even else 0
        if flat.numel() > even:
            found += int(flat[even:].view(torch.int32).sum())
        total = (total + (2 * number + 1) * found) % (1 << 64)
    return zlib.crc32(total.to_bytes(8, "little")) & _EXACT


def _plain(value: object) -> object:
    if isinstance(value, torch.Tensor):
        return float(value) if value.numel() == 1 else value.tolist()
    return value

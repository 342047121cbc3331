"""Compare all replicas bit by bit, by a digest of every rank's parameters and buffers, which are averaged before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import torch

from ringscope.engine.errors import DifferenceError

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


def digest(module: torch.nn.Module) -> int:
    """Return a 64-bit digest of all bits of the parameters and buffers."""
    found = blake2b(digest_size=8)
    for _, tensor in sorted(module.state_dict().items()):
        found.update(tensor.detach().contiguous().reshape(-1).view(torch.uint8).cpu().numpy())
    return int.from_bytes(found.digest(), "little", signed=True)


def odd_rank(digests: Sequence[int]) -> tuple[int, int] | None:
    """Return the first rank that differs from the majority, and one of the majority; None if all are equal."""
    usual = Counter(digests).most_common(1)[0][0]
    odd = next((rank for rank, found in enumerate(digests) if found != usual), None)
    return None if odd is None else (odd, list(digests).index(usual))


def difference(digests: Sequence[int], what: str) -> DifferenceError | None:
    """Return an error that names the rank that differs from the majority of ranks; None if all are equal.

    ``what`` is the beginning of its sentence, to which " on rank 2 than on rank 0" is added.
    """
    if (found := odd_rank(digests)) is None:
        return None
    odd, usual = found
    if 2 * list(digests).count(digests[usual]) > len(digests):
        remedy = f"check the memory and the software of rank {odd}'s node"
        return DifferenceError(f"{what} on rank {odd} than on rank {usual}; {remedy}.", odd)
    return DifferenceError(
        f"{what} on rank {max(found)} than on rank {min(found)}, and no majority of ranks tells which of them is "
        "right; check the memory and the software of both nodes."
    )


def compare_replicas(comm: Communicator, module: torch.nn.Module, when: str) -> None:
    """Raise DifferenceError on every rank, with the rank whose replica differs (collective)."""
    digests = np.zeros(comm.size, np.int64)
    digests[comm.rank] = digest(module)
    error = difference(comm.total(digests).tolist(), f"{when} the model has, after the same steps, other parameters")
    if error is not None:
        raise error


def average_buffers(comm: Communicator, module: torch.nn.Module) -> None:
    """Give all replicas the mean of their buffers, such as the running means of BatchNorm (collective).

    Each rank computes them from its own samples. Whole numbers become those of rank 0. Our models have no buffers.
    """
    for buffer in module.buffers():
        values = buffer.detach().cpu().numpy()
        if buffer.is_floating_point():
            values = comm.total(values.astype(np.float64)) / comm.size
        else:
            values = values.astype(np.int64)
            comm.broadcast(values, 0)
        buffer.detach().copy_(torch.from_numpy(np.asarray(values)))

"""Compare all replicas bit by bit, by a digest of every rank's parameters and buffers."""

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


def compare_replicas(comm: Communicator, module: torch.nn.Module, when: str) -> None:
    """Raise DifferenceError on every rank, with the rank whose replica differs (collective)."""
    digests = np.zeros(comm.size, np.int64)
    digests[comm.rank] = digest(module)
    if found := odd_rank(comm.total(digests).tolist()):
        odd, usual = found
        raise DifferenceError(
            f"{when} the model of rank {odd} differs from that of rank {usual}, although both made the same steps; "
            f"check the memory and the software of rank {odd}'s node."
        )

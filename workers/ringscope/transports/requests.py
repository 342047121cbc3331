"""Waiting for MPI requests with a deadline, because a peer that never comes must not hang this rank for ever."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from mpi4py import MPI

from ringscope.transports.base import StalledError

_SPINS = 20  # checks before the core is offered to another rank


def wait_all(requests: list[MPI.Prequest], peers: Sequence[int], rank: int, step: int, timeout_seconds: float) -> None:
    """Return when all requests are done; StalledError of ``rank`` for the first of ``peers`` whose request is not.

    ``peers[i]`` is the other end of request i.
    """
    test = MPI.Request.Testall
    for _ in range(_SPINS):
        if test(requests):
            return
    deadline = time.monotonic() + timeout_seconds
    while not test(requests):
        os.sched_yield()
        if time.monotonic() > deadline:
            missing = [peer for request, peer in zip(requests, peers, strict=True) if not request.Test()]
            if missing:  # nobody came between the two looks
                raise StalledError(rank, missing[0], step, timeout_seconds)

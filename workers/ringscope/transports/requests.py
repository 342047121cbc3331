"""Waiting for MPI requests with a deadline, because a peer that never comes must not hang this rank for ever."""

from __future__ import annotations

from collections.abc import Sequence

from mpi4py import MPI

from ringscope.transports.peers import Peers

_SPINS = 20  # checks before the core is offered to another rank


def wait_all(requests: list[MPI.Prequest], others: Sequence[int], peers: Peers, step: int) -> None:
    """Return when all requests are done; the errors of ``Peers.wait`` for the first whose request is not.

    ``others[i]`` is the rank at the other end of request i.
    """
    test = MPI.Request.Testall
    for _ in range(_SPINS):
        if test(requests):
            return
    peers.wait(
        lambda: test(requests),
        lambda: [other for request, other in zip(requests, others, strict=True) if not request.Test()],
        step,
    )

"""Waiting for MPI requests with a deadline, because a missing peer must not hang this rank for ever."""

from __future__ import annotations

from collections.abc import Sequence

from mpi4py import MPI

from ringscope.contracts.traced import Span
from ringscope.engine.stopwatch import Stopwatch
from ringscope.engine.waiting.peers import Peers

_SPINS = 20  # checks before the core is offered to another rank


def wait_all(requests: list[MPI.Prequest], others: Sequence[int], peers: Peers, step: int) -> None:
    """Return when all requests are done; raise the errors of ``Peers.wait`` for the first peer whose request is not.

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


class RequestWatch(Stopwatch):
    """A stopwatch that also records when each request was started, and when it was first seen to be done."""

    def __init__(self) -> None:
        super().__init__()
        self._under_way: dict[int, MPI.Prequest] = {}
        self._started_ns: dict[int, int] = {}
        self._done_ns: dict[int, int] = {}

    def start(self, requests: list[MPI.Prequest]) -> None:
        """Start them all."""
        now_ns = self.now_ns()
        MPI.Prequest.Startall(requests)
        for request in requests:
            self._started_ns[id(request)] = now_ns
            self._under_way[id(request)] = request

    def wait_all(self, requests: list[MPI.Prequest], others: Sequence[int], peers: Peers, step: int) -> None:
        """Wait like the function, but poll every request separately, including requests of the next step."""

        def missing() -> list[int]:
            return [other for request, other in zip(requests, others, strict=True) if id(request) in self._under_way]

        def are_done() -> bool:
            self._look()
            return not missing()

        if not are_done():
            peers.wait(are_done, missing, step)

    def span(self, requests: Sequence[MPI.Prequest]) -> Span:
        """Return the span from the first start to the last end of these requests."""
        keys = [id(request) for request in requests]
        return Span(min(self._started_ns[key] for key in keys), max(self._done_ns[key] for key in keys))

    def _look(self) -> None:
        for key, request in list(self._under_way.items()):
            if request.Test():
                self._done_ns[key] = self.now_ns()
                del self._under_way[key]

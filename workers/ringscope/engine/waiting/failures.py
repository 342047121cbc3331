"""What went wrong on one rank only: the others are told, as they would wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringscope.engine.errors import EngineError

if TYPE_CHECKING:
    from mpi4py import MPI


def share(comm: MPI.Intracomm, failure: EngineError | None) -> None:
    """Raise on every rank when one gives a failure, whose sentence should name that rank (collective)."""
    sentences = comm.allgather("" if failure is None else str(failure))
    if failure is not None:
        raise failure
    for sentence in sentences:
        if sentence:
            raise EngineError(sentence)

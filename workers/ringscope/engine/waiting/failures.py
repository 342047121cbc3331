"""Share an error of one rank with all ranks, which would otherwise wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ringscope.engine.errors import EngineError, OutOfMemoryError

if TYPE_CHECKING:
    from mpi4py import MPI


def share(comm: MPI.Intracomm, failure: EngineError | None) -> None:
    """Raise on every rank if one reports a failure, whose message should name that rank (collective).

    The error is OutOfMemoryError on all ranks or on none, so that all ranks or none try a smaller size.
    """
    told = comm.allgather(None if failure is None else (isinstance(failure, OutOfMemoryError), str(failure)))
    failures = [one for one in told if one is not None]
    if not failures:
        return
    lacks_memory = all(is_memory for is_memory, _ in failures)
    if failure is not None and isinstance(failure, OutOfMemoryError) == lacks_memory:
        raise failure
    raise (OutOfMemoryError if lacks_memory else EngineError)(failures[0][1])


@contextmanager
def shared_failure(comm: MPI.Intracomm) -> Iterator[None]:
    """Raise an error of one rank on all ranks, and let no rank return before the others (collective)."""
    failure = None
    try:
        yield
    except EngineError as error:
        failure = error
    share(comm, failure)

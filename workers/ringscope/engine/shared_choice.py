"""What ``auto`` takes, alike on every rank: rank 0 chooses by its table and tells the others."""

from __future__ import annotations

from collections.abc import Callable

from mpi4py import MPI

from ringscope.choice.chooser import Chooser
from ringscope.choice.situation import Choice, Situation
from ringscope.contracts.errors import UserError
from ringscope.contracts.tuning import Table
from ringscope.engine.errors import EngineError


class SharedChooser:
    """One rank's part. A choice is made once; all ranks then know it.

    Tables of different nodes may differ, and so may the last digit of a model's price on different processors: only
    rank 0's count.
    """

    def __init__(self, comm: MPI.Intracomm, load: Callable[[], Table]) -> None:
        """``load`` gives the table when it is first needed, on rank 0 only; it may raise UserError."""
        self._comm, self._load = comm, load
        self._chooser: Chooser | None = None
        self._known: dict[tuple[Situation, int], Choice] = {}

    def choose(self, situation: Situation, size_bytes: int) -> Choice:
        """The choice for one call (collective, with equal arguments). EngineError on every rank without a table."""
        question = situation, size_bytes
        if question not in self._known:
            answer = self._comm.bcast(self._answer(*question) if self._comm.rank == 0 else None)
            if isinstance(answer, str):
                raise EngineError(answer)
            self._known[question] = Choice(*answer)
        return self._known[question]

    def _answer(self, situation: Situation, size_bytes: int) -> Choice | str:
        """A sentence where there is no choice: the others wait for an answer."""
        try:
            if self._chooser is None:
                self._chooser = Chooser(self._load())
            return self._chooser.choose(situation, size_bytes)
        except UserError as error:
            return " ".join(error.sentences)
        except Exception as error:  # a fault of ours, which must not leave them waiting
            return f"algorithm: rank 0 could not choose for auto ({error!r}); name an algorithm."

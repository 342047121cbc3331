"""Choose the algorithm of ``auto`` equally on every rank: rank 0 looks it up and broadcasts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

from mpi4py import MPI

from ringscope.choice.chooser import Chooser
from ringscope.choice.situation import Choice, Situation
from ringscope.contracts.errors import UserError
from ringscope.contracts.tuning import Table
from ringscope.engine.errors import EngineError

T = TypeVar("T")


class _Refusal(NamedTuple):
    """The reason why there is no answer."""

    sentence: str


class SharedChooser:
    """One rank's part. A choice is made once; all ranks then know it.

    Tables of different nodes may differ, and so may the last digit of a model's price on different processors, so only
    those of rank 0 count.
    """

    def __init__(self, comm: MPI.Intracomm, load: Callable[[], Table]) -> None:
        """``load`` returns the table when it is first needed, on rank 0 only; it may raise UserError."""
        self._comm, self._load = comm, load
        self._chooser: Chooser | None = None
        self._known: dict[tuple[Situation, int], Choice] = {}
        self._tried: set[tuple[Situation, int]] = set()

    def choose(self, situation: Situation, size_bytes: int) -> Choice:
        """Return the choice for one call (collective, with equal arguments). EngineError on every rank without a
        table.
        """
        question = situation, size_bytes
        if question not in self._known:
            self._known[question] = self._shared(lambda chooser: chooser.choose(*question))
        return self._known[question]

    def likely(self, situation: Situation, size_bytes: int) -> list[str]:
        """Return the algorithms worth timing before such calls (collective, as ``choose``); empty after a trial."""
        if (situation, size_bytes) in self._tried:
            return []
        return self._shared(lambda chooser: chooser.likely(situation, size_bytes))

    def contenders(self, situation: Situation, size_bytes: int) -> list[str]:
        """Return the algorithms worth timing while links may change, the choice first (collective, as ``choose``)."""
        return self._shared(lambda chooser: chooser.contenders(situation, size_bytes))

    def learn(self, situation: Situation, size_bytes: int, choice: Choice) -> None:
        """Use the result of a trial from now on; it is the same on every rank."""
        self._known[situation, size_bytes] = choice
        self._tried.add((situation, size_bytes))

    def _shared(self, ask: Callable[[Chooser], T]) -> T:
        """Return rank 0's answer, on every rank."""
        answer = self._comm.bcast(self._answer(ask) if self._comm.rank == 0 else None)
        if isinstance(answer, _Refusal):
            raise EngineError(answer.sentence)
        return cast(T, answer)

    def _answer(self, ask: Callable[[Chooser], T]) -> T | _Refusal:
        """Return the choice, or an error sentence: the other ranks wait for an answer."""
        try:
            if self._chooser is None:
                self._chooser = Chooser(self._load())
            return ask(self._chooser)
        except UserError as error:
            return _Refusal(" ".join(error.sentences))
        except Exception as error:  # a bug of ours must not leave the other ranks waiting
            return _Refusal(f"algorithm: rank 0 could not choose for auto ({error!r}); name an algorithm.")

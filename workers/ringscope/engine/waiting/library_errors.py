"""Errors of PyTorch and TensorFlow whose cause is the end of a peer's process: their own sentences name no rank."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ringscope.engine.errors import LostConnectionError, LostRankError

_END_SECONDS = 0.5  # A process that is killed closes its connections a moment before it has ended.
_PAUSE_SECONDS = 0.01
# gloo: "Connection closed by peer", "Connection reset by peer", "Broken pipe"; NCCL: "remote process exited".
_CONNECTION_LOST = ("by peer", "Broken pipe", "remote process exited")
_TENSORFLOW = ("UnavailableError", "AbortedError")  # "Collective ops is aborted by: recvmsg:Connection reset by peer"
_SOURCE = re.compile(r"^(\[[^\]]*\.cc:[0-9]+\]|\{\{[^}]*\}\}) ")


class Ranks(Protocol):
    """A communicator, as far as it is needed here."""

    @property
    def rank(self) -> int:
        """Return this rank."""

    def ended_ranks(self) -> list[int]:
        """Return the ranks of this node whose processes have ended."""


@contextmanager
def naming_lost_ranks(ranks: Ranks) -> Iterator[None]:
    """Raise LostRankError for a library's error about a lost connection if a rank of this node has ended, or else
    LostConnectionError; other errors pass.
    """
    try:
        yield
    except Exception as error:
        if (library := _without_connection(error)) is None:
            raise
        where = f"a call of {library}"
        if lost := _ended(ranks):
            raise LostRankError(ranks.rank, lost[0], where) from error
        raise LostConnectionError(ranks.rank, where, _first_sentence(str(error))) from error


def _without_connection(error: Exception) -> str | None:
    """Return the library that lost a connection; None if that is not what the error says."""
    if type(error).__module__.startswith("tensorflow."):
        return "TensorFlow" if type(error).__name__ in _TENSORFLOW else None
    is_lost = isinstance(error, RuntimeError) and any(words in str(error) for words in _CONNECTION_LOST)
    return "PyTorch" if is_lost else None


def _ended(ranks: Ranks) -> list[int]:
    deadline = time.monotonic() + _END_SECONDS
    while not (ended := ranks.ended_ranks()) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    return ended


def _first_sentence(text: str) -> str:
    return _SOURCE.sub("", text).split(". ")[0].partition("\n")[0]

"""Errors of PyTorch whose cause is the end of a peer's process: its own sentences name no rank."""

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
_SOURCE = re.compile(r"^\[[^\]]*\.cc:\d+\] ")
_WHERE = "a call of PyTorch"


class Ranks(Protocol):
    """What is needed of a communicator."""

    @property
    def rank(self) -> int:
        """Return this rank."""

    def ended_ranks(self) -> list[int]:
        """Return the ranks of this node whose processes have ended."""


@contextmanager
def naming_lost_ranks(ranks: Ranks) -> Iterator[None]:
    """Raise LostRankError for PyTorch's error about a lost connection if a rank of this node has ended, or else
    LostConnectionError; other errors pass.
    """
    try:
        yield
    except RuntimeError as error:
        text = str(error)
        if not any(words in text for words in _CONNECTION_LOST):
            raise
        if lost := _ended(ranks):
            raise LostRankError(ranks.rank, lost[0], _WHERE) from error
        raise LostConnectionError(ranks.rank, _WHERE, _first_sentence(text)) from error


def _ended(ranks: Ranks) -> list[int]:
    deadline = time.monotonic() + _END_SECONDS
    while not (ended := ranks.ended_ranks()) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    return ended


def _first_sentence(text: str) -> str:
    return _SOURCE.sub("", text).split(". ")[0].splitlines()[0]

"""Turns: messages that share no port, in an order that keeps that of every port's own messages. Pure."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def turns(out: Numbers, into: Numbers) -> Iterator[Numbers]:
    """Order messages that leave through port ``out`` and enter through port ``into``, from 0: a turn has the messages
    that are first at both ports.

    All messages before a message at one of its ports have had an earlier turn. A subset of the messages has the same
    order at every port if it uses the turns of all messages.
    """
    left, place = np.arange(len(out)), np.arange(len(out))
    first_out, first_into = (np.empty(int(port.max(initial=0)) + 1, np.int64) for port in (out, into))
    while left.size:
        is_first = _are_first(out, place[: left.size], first_out) & _are_first(into, place[: left.size], first_into)
        yield left[is_first]
        rest = np.flatnonzero(~is_first)
        left, out, into = left.take(rest), out.take(rest), into.take(rest)


def _are_first(port: Numbers, place: Numbers, first: Numbers) -> NDArray[np.bool_]:
    """Return which messages are first at their port; ``first`` is scratch."""
    first[port[::-1]] = place[::-1]
    is_first: NDArray[np.bool_] = first.take(port) == place
    return is_first

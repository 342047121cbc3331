"""The measurement of one pair of ranks: latency, then bandwidth in both directions.

The receiving rank takes the times, from the end of one message to the end of the next one, while several are under way:
so neither the way back of an answer nor what a link lets through at once after a pause counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from time import monotonic, perf_counter
from typing import Protocol

import numpy as np

from ringscope.bench.pairs.rates import FEWEST, Measured, measured
from ringscope.engine.base import Array
from ringscope.engine.waiting.pause import pause

NARROW = 0.05
_UNDER_WAY = 3  # messages
_MOST_BLOCKS = 20
_PINGS, _WARM_UP_PINGS = 30, 5


class Letters(Protocol):
    """Messages that are completed together, as ``WorldPost.messages`` makes them."""

    def send(self, array: Array, rank: int, tag: int) -> None:
        """Start to send."""

    def receive(self, array: Array, rank: int, tag: int) -> None:
        """Start to receive."""

    def receive_any(self, array: Array, tag: int) -> None:
        """Start to receive from whichever rank sends first."""

    def are_done(self) -> bool:
        """Return whether all have arrived, without waiting."""


class Post(Protocol):
    """The messages of one rank, as ``WorldPost`` delivers them."""

    rank: int

    def messages(self) -> Letters:
        """Make a group of messages."""


class SilentError(Exception):
    """The other rank did not send or take a message in time."""


@dataclass(frozen=True, slots=True)
class Task:
    """The measurement of a rank: with whom, whether it is the first of the pair, and for how long.

    ``number`` is the number of the order, whose messages have tags of their own. The rank reports to rank ``asker``.
    ``leads``: this rank also orders its peer to measure, and reports for both, because rank 0 does not reach the peer.
    """

    number: int
    peer: int
    is_first: bool
    tag: int
    seconds: float
    asker: int = 0
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The readings of a rank: the rate at which it received, and, if it is the first of the pair, the latency."""

    rate: Measured
    latency_us: float | None


class Meter:
    """Measures the link to one other rank after another.

    ``progress`` is called after each message. Messages to a rank that fell silent stay under way, so that their memory
    must stay valid; each task has a tag of its own.
    """

    def __init__(
        self, post: Post, size_bytes: int, both_ways: bool, timeout_seconds: float, progress: Callable[[], None]
    ) -> None:
        self._post, self._both_ways, self._timeout = post, both_ways, timeout_seconds
        self._size_bytes, self._progress = size_bytes, progress
        self._memory = self._empty()
        self._stuck: list[object] = []

    @property
    def has_stuck(self) -> bool:
        """Return whether messages to a silent rank are still under way."""
        return bool(self._stuck)

    def measure(self, task: Task) -> Reading | None:
        """Return what this rank measured; None if the other one fell silent."""
        try:
            latency_us = self._latency_us(task)
            deadline = monotonic() + task.seconds
            if self._both_ways:
                seconds = self._stream(task, True, True, deadline)
            elif task.is_first:
                self._stream(task, True, False, deadline)
                seconds = self._stream(task, False, True, deadline + task.seconds)
            else:
                seconds = self._stream(task, False, True, deadline)
                self._stream(task, True, False, deadline + task.seconds)
        except SilentError:
            self._stuck.append(self._memory)
            self._memory = self._empty()
            return None
        return Reading(measured(self._size_bytes, seconds), latency_us if task.is_first else None)

    def _empty(self) -> list[list[Array]]:
        """Return memory to send and to receive."""
        return [[np.zeros(self._size_bytes, np.uint8) for _ in range(_UNDER_WAY)] for _ in range(2)]

    def _latency_us(self, task: Task) -> float:
        times_us = []
        for number in range(_WARM_UP_PINGS + _PINGS):
            began = perf_counter()
            self._exchange(task, 0, in_turn=True)
            if number >= _WARM_UP_PINGS:
                times_us.append((perf_counter() - began) / 2 * 1e6)
        return median(times_us)

    def _exchange(self, task: Task, word: int, *, in_turn: bool = False) -> int:
        """Send a small number and return the other rank's; ``in_turn``: the second rank answers the first one."""
        mine, theirs = np.array([word], np.int64), np.zeros(1, np.int64)
        here, there = self._post.messages(), self._post.messages()
        there.receive(theirs, task.peer, task.tag)
        if in_turn and not task.is_first:
            self._await(there, mine, theirs)
        here.send(mine, task.peer, task.tag)
        self._await(here, mine, theirs)
        self._await(there, mine, theirs)
        return int(theirs[0])

    def _await(self, letters: Letters, *memory: Array) -> None:
        deadline = monotonic() + self._timeout
        while not letters.are_done():
            if monotonic() > deadline:
                self._stuck.append((letters, memory))
                raise SilentError
            pause()

    def _stream(self, task: Task, sends: bool, receives: bool, deadline: float) -> list[float]:
        """Send or receive blocks of messages until the receiver's interval is narrow; return the receiver's times."""
        seconds: list[float] = []
        for block in range(_MOST_BLOCKS):
            seconds += self._block(task, sends, receives)
            is_open = receives and measured(self._size_bytes, seconds).width > NARROW
            wants_more = is_open and monotonic() < deadline and block + 1 < _MOST_BLOCKS
            if not (self._exchange(task, int(wants_more)) or wants_more):
                break
        return seconds

    def _block(self, task: Task, sends: bool, receives: bool) -> list[float]:
        count = FEWEST + 1
        leaving, coming = _Lane(count if sends else 0), _Lane(count if receives else 0)
        ends: list[float] = []
        heard = monotonic()
        while not (leaving.is_empty and coming.is_empty):
            for place in coming.free():
                coming.add(letters := self._post.messages())
                letters.receive(self._memory[1][place], task.peer, task.tag)
            for place in leaving.free():
                leaving.add(letters := self._post.messages())
                letters.send(self._memory[0][place], task.peer, task.tag)
            arrived = coming.take()
            if arrived:
                ends.append(perf_counter())
            if arrived or leaving.take():
                heard = monotonic()
                self._progress()
            elif monotonic() - heard > self._timeout:
                self._stuck.append((leaving, coming))
                raise SilentError
            else:
                pause()
        return [after - before for before, after in pairwise(ends)]


class _Lane:
    """Messages of a block in one direction, of which a few are under way at a time."""

    def __init__(self, count: int) -> None:
        self._left, self._started = count, 0
        self._under_way: deque[Letters] = deque()

    @property
    def is_empty(self) -> bool:
        """Return whether all have arrived."""
        return not self._left and not self._under_way

    def free(self) -> list[int]:
        """Return the places in memory for the messages to start now."""
        room = min(self._left, _UNDER_WAY - len(self._under_way))
        return [(self._started + more) % _UNDER_WAY for more in range(room)]

    def add(self, letters: Letters) -> None:
        """Note a message that starts."""
        self._under_way.append(letters)
        self._left, self._started = self._left - 1, self._started + 1

    def take(self) -> bool:
        """Return whether the oldest one under way has arrived, and forget it."""
        if self._under_way and self._under_way[0].are_done():
            self._under_way.popleft()
            return True
        return False

"""Ranks in threads of one process, whose messages take as long as the rates of their hosts say."""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ringscope.engine.base import Array

Way = tuple[int, int]
_SMALL_BYTES = 16 << 10
_seen = threading.local()


def last_end() -> float:
    """Return when the message that this thread noticed last arrived, by the clock of the messages' rates alone.

    How late a thread runs does not move this clock, so that a busy machine changes no reading.
    """
    return float(getattr(_seen, "end", 0.0))


@dataclass
class _Letter:
    array: Array
    end: float | None = None  # when it has arrived; None: nobody receives it yet
    virtual_end: float = 0.0

    @property
    def is_done(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end


@dataclass
class Network:
    """Rates in bytes per second of what a host sends and receives, with exceptions for a way; 0: cut.

    ``gone`` are ranks that take no part.
    """

    rate: float
    sends: Mapping[int, float] = field(default_factory=dict)
    receives: Mapping[int, float] = field(default_factory=dict)
    ways: Mapping[Way, float] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: dict[tuple[int, int, int], deque[_Letter]] = defaultdict(deque)
        self._awaited: dict[tuple[int, int, int], deque[_Letter]] = defaultdict(deque)
        self._free_at: dict[Any, float] = {}
        self._virtual_free_at: dict[Any, float] = {}

    def clock(self) -> float:
        """Return when the last message so far ends, by the rates alone: no machine is too busy for this clock."""
        with self._lock:
            return max(self._virtual_free_at.values(), default=0.0)

    def post(self, key: tuple[int, int, int], array: Array, is_send: bool) -> _Letter:
        """Note one end of a message; it starts once both are there."""
        letter = _Letter(array)
        mine, others = (self._sent, self._awaited) if is_send else (self._awaited, self._sent)
        with self._lock:
            mine[key].append(letter)
            source, destination, _ = key
            rate = self._rate(source, destination)
            if others[key] and rate:
                other = others[key].popleft()
                mine[key].remove(letter)
                sent, received = (letter, other) if is_send else (other, letter)
                np.copyto(received.array, sent.array)
                sent.virtual_end = received.virtual_end = self._virtual_end(key, array, rate)
                start = max(time.monotonic(), *(self._free_at.get(each, 0.0) for each in self._lanes(key)))
                sent.end = received.end = start + array.nbytes / rate
                self._free_at |= dict.fromkeys(self._lanes(key), sent.end)
        return letter

    def _virtual_end(self, key: tuple[int, int, int], array: Array, rate: float) -> float:
        """Return when a message ends; pings, orders and reports are small and delay only those of the same pair."""
        lanes: tuple[Any, ...] = self._lanes(key) if array.nbytes >= _SMALL_BYTES else (frozenset(key[:2]),)
        end = max(self._virtual_free_at.get(each, 0.0) for each in lanes) + array.nbytes / rate
        self._virtual_free_at |= dict.fromkeys(lanes, end)
        return end

    def post_any(self, rank: int, tag: int, array: Array) -> "_AnyLetter":
        """Note a receive from whichever rank sends first; it takes its message when it is looked at."""
        return _AnyLetter(self, rank, tag, array)

    def first_sender(self, rank: int, tag: int) -> int | None:
        """Return a rank whose message to this one waits for a receive, and can arrive."""
        with self._lock:
            waiting = [key[0] for key, letters in self._sent.items() if letters and key[1:] == (rank, tag)]
        return next((one for one in waiting if self._rate(one, rank)), None)

    def _lanes(self, key: tuple[int, int, int]) -> tuple[Any, Any]:
        return ("sends", key[0]), ("receives", key[1])

    def _rate(self, source: int, destination: int) -> float:
        if {source, destination} & self.gone:
            return 0.0
        ends = self.sends.get(source, self.rate), self.receives.get(destination, self.rate)
        return min(*ends, self.ways.get((source, destination), self.rate))


class _AnyLetter:
    """A receive from any rank."""

    def __init__(self, network: Network, rank: int, tag: int, array: Array) -> None:
        self._network, self._rank, self._tag, self._array = network, rank, tag, array
        self._taken: _Letter | None = None

    @property
    def virtual_end(self) -> float:
        return self._taken.virtual_end if self._taken else 0.0

    @property
    def is_done(self) -> bool:
        if self._taken is None:
            source = self._network.first_sender(self._rank, self._tag)
            if source is not None:
                self._taken = self._network.post((source, self._rank, self._tag), self._array, False)
        return self._taken is not None and self._taken.is_done


class VirtualPost:
    """The messages of one rank."""

    def __init__(self, network: Network, rank: int) -> None:
        self._network, self.rank = network, rank

    def messages(self) -> "_Letters":
        """Make a group of messages."""
        return _Letters(self._network, self.rank)


class _Letters:
    def __init__(self, network: Network, rank: int) -> None:
        self._network, self._rank = network, rank
        self._letters: list[_Letter | _AnyLetter] = []

    def send(self, array: Array, rank: int, tag: int) -> None:
        self._letters.append(self._network.post((self._rank, rank, tag), array, True))

    def receive(self, array: Array, rank: int, tag: int) -> None:
        self._letters.append(self._network.post((rank, self._rank, tag), array, False))

    def receive_any(self, array: Array, tag: int) -> None:
        self._letters.append(self._network.post_any(self._rank, tag, array))

    def are_done(self) -> bool:
        if not all(letter.is_done for letter in self._letters):
            return False
        _seen.end = max(letter.virtual_end for letter in self._letters)
        return True


def run_ranks(network: Network, ranks: int, part: Callable[[VirtualPost], Any]) -> Any:
    """Run every rank that is not gone in a thread of its own; return what rank 0 returns, or raise its error."""
    results: dict[int, Any] = {}

    def run(rank: int) -> None:
        try:
            results[rank] = part(VirtualPost(network, rank))
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,), daemon=True) for rank in range(ranks)]
    for rank, thread in enumerate(threads):
        if rank not in network.gone:
            thread.start()
    threads[0].join()
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]

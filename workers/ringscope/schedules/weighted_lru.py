"""Cache of values that are expensive to make: the most recently used are kept, up to a weight."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class WeightedLru(Generic[K, V]):
    """Values by their keys; several threads may use it.

    Args:
        most: the largest total weight of the kept values; a heavier single value is not kept.
        weigh: returns the weight of a value.
    """

    def __init__(self, most: int, weigh: Callable[[V], int]) -> None:
        self._most, self._weigh = most, weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the known value, or make a new one; the least recently used value is evicted."""
        with self._lock:
            known = self._values.pop(key, None)
            if known is not None:
                self._values[key] = known
                return known
        made = make()
        with self._lock:
            if self._weigh(made) <= self._most and key not in self._values:
                self._values[key] = made
                self._weight += self._weigh(made)
                while self._weight > self._most:
                    self._weight -= self._weigh(self._values.popitem(last=False)[1])
        return made

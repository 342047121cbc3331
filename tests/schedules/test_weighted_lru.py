"""The cache makes an expensive value once, and drops the value that was not asked for the longest."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from ringscope.schedules.weighted_lru import WeightedLru


class Maker:
    """Makes lists of a length, and remembers which."""

    def __init__(self, most: int) -> None:
        self.made: list[int] = []
        self._known: WeightedLru[int, list[int]] = WeightedLru(most, len)

    def get(self, length: int) -> list[int]:
        def make() -> list[int]:
            self.made.append(length)
            return [length] * length

        return self._known.get(length, make)


def test_a_value_is_made_once() -> None:
    maker = Maker(most=10)
    assert maker.get(3) is maker.get(3)
    assert maker.made == [3]


def test_what_was_asked_for_longest_ago_makes_room() -> None:
    maker = Maker(most=9)
    for length in (2, 3, 4, 2, 1):  # 10 are too many: 3 goes, as 2 was asked for since
        maker.get(length)
    maker.made.clear()
    for length in (2, 4, 1):
        maker.get(length)
    assert maker.made == []
    maker.get(3)
    assert maker.made == [3]


def test_a_value_that_weighs_too_much_is_given_and_not_kept() -> None:
    maker = Maker(most=4)
    maker.get(2)
    assert maker.get(5) == maker.get(5) == [5] * 5
    maker.get(2)
    assert maker.made == [2, 5, 5]


def test_threads_that_make_the_same_at_once_count_it_once() -> None:
    known: WeightedLru[str, list[int]] = WeightedLru(4, len)
    met = Barrier(2)

    def make() -> list[int]:
        met.wait(timeout=30)
        return [0, 0]

    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: known.get("a", make), range(2)))
    assert both == [[0, 0], [0, 0]]
    first = known.get("a", list)
    known.get("b", lambda: [1, 1])  # 4 in all, if the first was counted once
    assert known.get("a", list) is first

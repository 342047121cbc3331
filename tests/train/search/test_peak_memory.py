"""The peak of a rank's memory during a run."""

import gc

from ringscope.train.search.peak_memory import begin_peak, peak_bytes


def test_libraries_are_looked_at_once_and_what_a_run_leaves_is_still_released() -> None:
    class Node:
        def __init__(self) -> None:
            self.itself, self.content = self, bytearray(1)

    released: list[bool] = []
    try:
        begin_peak()
        libraries = gc.get_freeze_count()
        assert libraries > 0
        left = Node()
        left.content = type("Content", (bytearray,), {"__del__": lambda content: released.append(True)})(1)
        del left
        begin_peak()
        assert released == [True]
    finally:
        gc.unfreeze()


def test_the_peak_counts_from_its_beginning() -> None:
    try:
        if begin_peak():
            before = peak_bytes()
            block = bytearray(64 << 20)
            block[::4096] = b"1" * len(block[::4096])
            assert (peak_bytes() or 0) >= (before or 0) + (60 << 20)
    finally:
        gc.unfreeze()

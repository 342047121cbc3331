"""Collectives by classes of sizes: what is counted, and how right the median is."""

from random import Random
from statistics import median

import pytest

from ringscope.rank.watch.size_classes import SizeClasses


def test_sizes_between_two_powers_of_two_are_one_class() -> None:
    classes = SizeClasses()
    for size_bytes in (1024, 1536, 2047, 2048):
        classes.add("all_reduce", size_bytes, 10_000)
    classes.add("broadcast", 1024, None)
    classes.add("barrier", 0, 3_000)
    record = classes.record(3)
    rows = list(zip(record.name, record.least_bytes, record.calls, record.bytes, strict=True))
    assert rows == [
        ("all_reduce", 1024, 3, 4607),
        ("all_reduce", 2048, 1, 2048),
        ("broadcast", 1024, 1, 1024),
        ("barrier", 0, 1, 0),
    ]
    assert record.rank == 3
    assert record.time_us == [*[pytest.approx(10, rel=0.01)] * 2, None, pytest.approx(3, rel=0.01)]


def test_no_call_is_an_empty_table() -> None:
    assert SizeClasses().record(0).name == []


@pytest.mark.parametrize("scale_ns", [100, 100_000, 10**11])
def test_the_median_of_any_times_is_right_within_a_hundredth(scale_ns: int) -> None:
    times, classes = Random(scale_ns), SizeClasses()
    sample_ns = [int(scale_ns * times.lognormvariate(0, 1)) + 64 for _ in range(501)]
    for took_ns in sample_ns:
        classes.add("all_reduce", 8, took_ns)
    assert classes.record(0).time_us == [pytest.approx(median(sample_ns) / 1e3, rel=0.01)]


def test_a_time_of_zero_and_one_that_is_not_known_are_told_apart() -> None:
    classes = SizeClasses()
    classes.add("all_reduce", 8, 0)
    classes.add("all_gather", 8, None)
    assert classes.record(0).time_us == [None, 0.0]

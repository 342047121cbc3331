"""The series as a page draws them."""

from ringscope.nccl_inspector.points import MOST_POINTS, MOST_SERIES, drawn
from ringscope.nccl_inspector.reading import Inspected, Record, Series


def record(number: int, busbw: float) -> Record:
    return Record(number, 0, "n1", number, 1.0, busbw, busbw, None, None, is_contradictory=False)


def series(size: int, rates: list[float]) -> Series:
    return Series("c", 8, 1, "AllReduce", size, [record(number, rate) for number, rate in enumerate(rates)])


def test_the_series_with_the_deepest_drop_comes_first() -> None:
    flat, shallow, deep = [10.0] * 9, [*[10.0] * 9, 4.0], [*[10.0] * 9, 1.0]
    told = drawn(Inspected(series=[series(1, flat), series(2, shallow), series(3, deep)]))
    assert [one["size_bytes"] for one in told["series"]] == [3, 2, 1]
    assert [point["operation"] for point in told["series"][0]["points"] if point["is_drop"]] == [9]
    assert told["series"][2]["drop_sentence"] is None


def test_of_many_records_the_lowest_and_highest_stay() -> None:
    rates = [10.0 + number % 7 for number in range(20_000)]
    rates[12_345] = 1.0
    (one,) = drawn(Inspected(series=[series(1, rates)]))["series"]
    assert len(one["points"]) <= MOST_POINTS
    assert (one["records"], one["drops"]) == (20_000, 1)
    assert [point["operation"] for point in one["points"] if point["is_drop"]] == [12_345]
    assert [point["operation"] for point in one["points"]] == sorted(point["operation"] for point in one["points"])


def test_more_series_than_a_page_shows_are_counted() -> None:
    told = drawn(Inspected(series=[series(size, [1.0]) for size in range(MOST_SERIES + 3)]))
    assert (len(told["series"]), told["series_omitted"]) == (MOST_SERIES, 3)

"""The summary of rows does not depend on how they are split into batches."""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.server.conftest import measurement

from ringscope.contracts.record import Measurement
from ringscope.judging.comparison import MAX_SIZES
from ringscope_server.jobs.summary import summary_of
from ringscope_server.jobs.tally import Tally

# Few values of each, so that many are equal.
FIELDS = {
    "algorithm": st.sampled_from(["ring", "direct", "mpi"]),
    "in_place": st.booleans(),
    "size_bytes": st.sampled_from([0, 8, 512 << 10, 1 << 20, 2 << 20]),
    "time_us": st.sampled_from([1.0, 2.0, 2.5, 4.0]),
    "time_low_us": st.sampled_from([0.9, None]),
    "time_high_us": st.sampled_from([1.1, 4.5]),
    "p99_us": st.sampled_from([5.0, 6.0]),
    "busbw_gb_per_s": st.sampled_from([0.0, 1.0, 2.0]),
    "wrong": st.sampled_from([0, 0, 0, 0, 0, 0, None, 1]),
}
ROWS = st.lists(st.fixed_dictionaries(FIELDS).map(lambda fields: row(**fields)), max_size=40)


def row(**fields: Any) -> Measurement:
    return Measurement.model_validate(measurement(**fields))


def kept(rows: list[Measurement], ends: set[int]) -> Tally:
    """A tally that lay in a database between batches with these ends."""
    tally = Tally()
    for number, told in enumerate(rows, 1):
        tally.add(told)
        if number in ends:
            tally = Tally.model_validate_json(tally.model_dump_json())
    return tally


@given(ROWS, st.sets(st.integers(1, 40)))
def test_any_split_into_batches_gives_the_summary_of_all_rows(rows: list[Measurement], ends: set[int]) -> None:
    tally = kept(rows, ends)
    assert tally.rows == len(rows)
    assert summary_of(tally) == summary_of(kept(rows, set()))


def test_of_very_many_sizes_the_same_ones_are_kept_in_whatever_order_they_come() -> None:
    sizes = range(8, 8 * 1000, 8)
    cycles = [row(size_bytes=size, time_us=size + cycle, p99_us=9.0 - cycle) for cycle in (0, 2) for size in sizes]
    in_order = kept(cycles, set())
    for seed in range(2):
        random.Random(seed).shuffle(cycles)
        (curve,) = kept(cycles, set()).curves
        assert curve.points.keys() == in_order.curves[0].points.keys()
        assert MAX_SIZES <= len(curve.points) <= MAX_SIZES + 3
        assert all(
            (point.time_us, point.cycles, point.p99_us) == (size + 1, 2, 9.0) for size, point in curve.points.items()
        )


def test_a_tally_is_no_larger_after_a_thousand_cycles_than_after_one() -> None:
    sweep = [row(algorithm=name, size_bytes=size) for name in ("ring", "mpi") for size in (8, 1 << 20)]
    once, often = (len(kept(sweep * cycles, set()).model_dump_json()) for cycles in (1, 1000))
    assert often < once + 50, "but for digits"

"""Two jobs are compared although they have no common size."""

import pytest
from tests.judging.test_two_jobs import row

from ringscope.judging.overlap import Overlap, overlaps
from ringscope.judging.two_jobs import FASTEST, Timed, timed

KIB = 1 << 10


def run(times_us: dict[int, float], **fields: object) -> list[Timed]:
    return timed([row(time, size_bytes=size, **fields) for size, time in times_us.items()])


def found(base: dict[int, float], other: dict[int, float]) -> Overlap:
    [ring, of_fastest] = overlaps(run(base), run(other))
    assert (ring.algorithm, of_fastest.algorithm) == ("ring", FASTEST)
    assert ring.ratios == of_fastest.ratios
    return ring


def test_a_time_between_two_sizes_is_interpolated_in_the_logarithms() -> None:
    """A time that doubles while the size quadruples has grown by the root of two at twice the size."""
    ring = found({KIB: 10.0, 4 * KIB: 20.0, 16 * KIB: 40.0}, {2 * KIB: 10.0, 8 * KIB: 40.0})
    assert ring.ratios == pytest.approx({2 * KIB: 2**-0.5, 4 * KIB: 1.0, 8 * KIB: 2**0.5}), (
        "at the sizes of either job, in the range of both"
    )
    assert ring.sentence("Job 2", "job 1") == (
        "Job 2 and job 1 measured no common size; interpolated between the measured ones, job 2 takes 0.71 to 1.41 "
        "times as long as job 1 from 2 KiB to 8 KiB, which says nothing about significance."
    )


def test_a_single_size_inside_the_other_range_is_compared_there() -> None:
    ring = found({KIB: 10.0, 4 * KIB: 20.0}, {2 * KIB: 20.0})
    assert ring.ratios == pytest.approx({2 * KIB: 2**0.5})
    assert "job 2 takes 1.41 times as long as job 1 at 2 KiB" in ring.sentence("Job 2", "job 1")


def test_ranges_that_do_not_overlap_are_named() -> None:
    ring = found({KIB: 1.0, 4 * KIB: 2.0}, {8 * KIB: 1.0})
    assert ring.ratios == {}
    assert ring.sentence("Job 2", "job 1") == (
        "Job 2 measured 8 KiB, and job 1 1 KiB to 4 KiB: these sizes do not overlap, so nothing can be compared."
    )


def test_what_has_a_common_size_or_is_only_in_one_job_needs_no_interpolation() -> None:
    base = run({KIB: 10.0, 4 * KIB: 20.0})
    assert overlaps(base, run({2 * KIB: 10.0, 4 * KIB: 20.0})) == []
    [only] = overlaps(base, run({2 * KIB: 10.0}, algorithm="mpi"))
    assert only.algorithm == FASTEST
    assert overlaps(base, run({2 * KIB: 10.0}, in_place=True)) == []
    assert overlaps(base, []) == []

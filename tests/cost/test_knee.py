"""The knee is the size from which the bytes cost more than the latency."""

import pytest

from ringscope.cost.knee import knee_bytes


def test_half_of_the_time_is_latency_at_the_knee():
    sizes = [16, 1000, 4000, 16_000]
    assert knee_bytes(sizes, [10 + size / 200 for size in sizes]) == pytest.approx(2000)


@pytest.mark.parametrize(
    "times_us",
    [
        pytest.param([10.0, 11.0, 12.0, 13.0], id="beyond the largest size"),
        pytest.param([1.0, 2.0, 4.0, 8.0], id="no latency"),
        pytest.param([5.0], id="one size"),
    ],
)
def test_there_may_be_none(times_us: list[float]):
    assert knee_bytes([1, 2, 4, 8], times_us) is None

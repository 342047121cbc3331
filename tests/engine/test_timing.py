import numpy as np
import pytest

from ringscope.bench.timing import Block, percentile, spread, timed_block


def test_a_block_holds_one_duration_per_iteration():
    calls = []
    block = timed_block(lambda: calls.append(0), 7)
    assert len(calls) == 7
    assert block.durations_us.size == block.starts_ns().size == 7
    assert (block.durations_us > 0).all()


def test_mean_and_starts_come_from_the_clock():
    block = Block(start_ns=5_000, stamps_ns=np.array([1000, 3000, 7000]))
    assert block.mean_us == 3.0
    assert block.durations_us.tolist() == [2.0, 4.0]
    assert block.starts_ns().tolist() == [5_000, 7_000]


@pytest.mark.parametrize(
    ("count", "percent", "value"),
    [(1, 50, 0), (2, 50, 1), (20, 50, 10), (21, 50, 10), (1, 99, 0), (20, 99, 19), (100, 99, 98), (200, 99, 197)],
)
def test_percentiles_follow_nccl_tests(count, percent, value):
    assert percentile([float(i) for i in range(count)], percent) == value


def test_the_spread_follows_nccl_tests_rules() -> None:
    found = spread(np.array([4.0, 1.0, 2.0, 3.0]))
    assert (found["min_us"], found["max_us"], found["mean_us"]) == (1.0, 4.0, 2.5)
    assert (found["p50_us"], found["p95_us"], found["p99_us"]) == (3.0, 4.0, 4.0)  # entry n/2; nearest rank
    assert found["stdev_us"] == pytest.approx(1.25**0.5)  # of the population
    assert found["cv_percent"] == pytest.approx(100 * 1.25**0.5 / 2.5)

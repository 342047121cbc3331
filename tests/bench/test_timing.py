from itertools import cycle

import numpy as np
import pytest

from ringscope.bench import timing
from ringscope.bench.timing import Block, joined, mean_interval, percentile, spaced_block, spread, timed_block
from ringscope.contracts.sweep_row import SweepRow


class Clock:
    """Stands still but for what the timed calls take."""

    def __init__(self) -> None:
        self.now_ns = 1_000

    def perf_counter_ns(self) -> int:
        return self.now_ns

    def time_ns(self) -> int:
        return 5_000_000 + self.now_ns

    def passing(self, duration_ns: int):
        def call() -> None:
            self.now_ns += duration_ns

        return call


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    return clock


def test_a_block_holds_one_duration_per_iteration():
    calls = []
    block = timed_block(cycle([lambda: calls.append("a"), lambda: calls.append("b")]), 5)
    assert calls == ["a", "b", "a", "b", "a"]
    assert block.durations_us.size == block.starts_ns.size == 5
    assert (block.durations_us > 0).all()


def test_mean_and_starts_come_from_the_clock(clock):
    block = timed_block(cycle([clock.passing(2_000), clock.passing(4_000)]), 3)
    assert block.mean_us == pytest.approx(8 / 3)
    assert block.durations_us.tolist() == [2.0, 4.0, 2.0]
    assert block.starts_ns.tolist() == [5_001_000, 5_003_000, 5_007_000]


def test_what_lies_between_the_iterations_is_not_timed(clock):
    block = spaced_block(cycle([clock.passing(2_000), clock.passing(4_000)]), 3, clock.passing(90_000))
    assert block.durations_us.tolist() == [2.0, 4.0, 2.0]
    assert block.starts_ns.tolist() == [5_001_000, 5_093_000, 5_187_000]


def test_blocks_are_joined_in_their_order():
    one = Block(np.array([10, 20]), np.array([1.0, 2.0]))
    block = joined([one, Block(np.array([90]), np.array([6.0]))])
    assert (block.starts_ns.tolist(), block.durations_us.tolist(), block.mean_us) == (
        [10, 20, 90],
        [1.0, 2.0, 6.0],
        3.0,
    )


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
    assert (found["p10_us"], found["p90_us"]) == (1.0, 4.0)
    assert found["stdev_us"] == pytest.approx(1.25**0.5)  # of the population
    assert found["cv_percent"] == pytest.approx(100 * 1.25**0.5 / 2.5)


def test_the_spread_has_every_statistic_of_a_row() -> None:
    """A column may be null for rows of earlier versions, so that no other test misses one that nothing fills."""
    of_the_sweep = {"time_us", "time_low_us", "time_high_us", "device_time_us"}
    statistics = {name for name in SweepRow.model_fields if name.endswith(("_us", "_percent"))} - of_the_sweep
    assert spread(np.array([1.0])).keys() == statistics, "fill it in spread() of bench/timing.py"


def test_the_interval_holds_how_batches_differ() -> None:
    steady = mean_interval([np.array([10.0, 11.0, 9.0, 10.0]) + shift for shift in (-0.1, 0.1, 0, 0.1, -0.1)])
    drifting = mean_interval([np.array([10.0, 11.0, 9.0, 10.0]) + shift for shift in (-2, -1, 0, 1, 2)])
    assert steady and drifting
    assert steady[0] < 10 < steady[1] and drifting[0] < 10 < drifting[1]
    assert drifting[1] - drifting[0] > 3 * (steady[1] - steady[0])


def test_equal_iterations_have_an_interval_without_width() -> None:
    assert mean_interval([np.full(4, 3.0)] * 5) == (3.0, 3.0)


def test_fewer_than_three_batches_have_no_interval() -> None:
    assert mean_interval([np.array([1.0, 2.0])] * 2) is None
    assert mean_interval([np.array([1.0, 2.0])] * 3) is not None


def test_no_interval_reaches_below_zero() -> None:
    low, high = mean_interval([np.array([1.0]), np.array([1.0]), np.array([100.0])]) or (-1, -1)
    assert low == 0 and high > 100


@pytest.mark.parametrize("count", [3, 4, 5])
def test_the_interval_holds_the_true_mean_as_often_as_it_says(count: int) -> None:
    draw = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        found = mean_interval([draw.normal(draw.normal(100, 5), 10, size=4) for _ in range(count)])
        assert found
        held += found[0] <= 100 <= found[1]
    assert 0.93 < held / 1000 < 0.97

"""The parts of a batch are proportional to the ranks' speeds, add up to all of it, and leave no rank idle."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.train.batch_weights import Balancer, by_speed, equal

SPEEDS = st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=12)


@given(st.integers(1, 10_000), st.integers(1, 64))
def test_equal_parts_differ_by_one_at_most(batch: int, ranks: int) -> None:
    counts = equal(batch, ranks)
    assert sum(counts) == batch and len(counts) == ranks and max(counts) - min(counts) <= 1


@given(SPEEDS, st.integers(12, 4096))
def test_parts_are_in_proportion_to_speed(speeds: list[float], batch: int) -> None:
    counts = by_speed(batch, speeds)
    exact = batch * np.asarray(speeds) / sum(speeds)
    assert sum(counts) == batch and min(counts) >= 1
    if exact.min() >= 1:
        assert max(abs(counts - exact)) < 1 + 1e-9


def test_twice_the_speed_gets_twice_the_samples() -> None:
    assert by_speed(90, [200.0, 100.0]) == [60, 30]
    assert by_speed(10, [1.0, 1.0, 1.0]) == [4, 3, 3]


@pytest.mark.parametrize("odd", [0.0, -1.0, math.inf, math.nan])
def test_a_speed_that_is_no_speed_gets_one_sample(odd: float) -> None:
    assert by_speed(11, [5.0, odd, 5.0]) == [5, 1, 5]
    assert by_speed(11, [odd, odd]) == [6, 5]


def test_fewer_samples_than_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="2 samples for 3 ranks"):
        by_speed(2, [1.0, 1.0, 1.0])


@given(st.lists(st.tuples(st.floats(1e-4, 1e-2), st.floats(0, 0.02)), min_size=2, max_size=6))
def test_no_other_parts_would_make_a_step_three_percent_shorter(ranks: list[tuple[float, float]]) -> None:
    """Each has its seconds per sample and its fixed seconds per step."""
    each, fixed = np.asarray(ranks).T
    balancer = Balancer(512, len(ranks))

    def seconds() -> np.ndarray:
        return fixed + each * balancer.counts

    start = seconds().max()
    for _ in range(40):
        balancer.note(seconds().tolist())
        assert sum(balancer.counts) == 512 and min(balancer.counts) >= 1
    times, one_sample = seconds(), each.max()
    crowded = [time for time, count in zip(times, balancer.counts, strict=True) if count > 1]
    together = 512 / sum(balancer.counts / times)  # what a step would take if all ended it at one time
    assert 0.97 * max(crowded) <= together + 2 * one_sample or times.max() <= fixed.max() + 2 * one_sample
    assert times.max() <= start + one_sample


def test_noise_changes_no_parts() -> None:
    balancer = Balancer(256, 2)
    assert not any(balancer.note([0.1 + 0.001 * (i % 2), 0.1]) for i in range(20))
    assert balancer.counts == [128, 128]


def test_a_rank_at_half_the_speed_gets_half_the_samples_of_the_other() -> None:
    balancer = Balancer(300, 2)
    assert balancer.note([150 / 1000, 150 / 500])
    assert balancer.counts == [200, 100]


def test_a_time_that_is_no_time_changes_nothing() -> None:
    balancer = Balancer(300, 2)
    assert not any(balancer.note(times) for times in ([0.0, 1.0], [math.nan, 1.0], [math.inf, 1.0]))
    assert balancer.counts == [150, 150]


def test_ranks_that_note_the_same_agree() -> None:
    rng = np.random.default_rng(0)
    balancers = [Balancer(1000, 4) for _ in range(3)]
    for _ in range(30):
        times = rng.uniform(0.1, 0.5, 4).tolist()
        for balancer in balancers:
            balancer.note(times)
        assert balancers[0].counts == balancers[1].counts == balancers[2].counts

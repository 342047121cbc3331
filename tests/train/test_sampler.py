"""Sampler: every step's samples, the same for every number of ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.engine.errors import EngineError
from ringscope.train.batch_weights import equal
from ringscope.train.sampler import Sampler


@given(st.integers(1, 500), st.integers(1, 100), st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_an_epoch_takes_no_sample_twice(samples: int, size: int, seed: int, epoch: int) -> None:
    if samples < size:
        samples, size = size, samples
    sampler = Sampler(samples, size, seed)
    assert sampler.steps_per_epoch == samples // size
    taken = np.concatenate([sampler.batch(epoch, index) for index in range(sampler.steps_per_epoch)])
    assert len(taken) == sampler.steps_per_epoch * size == len(set(taken.tolist()))
    assert taken.min() >= 0 and taken.max() < samples and taken.dtype == np.int64


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    sampler, other = Sampler(1000, 100, seed=1), Sampler(1000, 100, seed=2)
    assert sampler.batch(0, 0).tolist() != sampler.batch(1, 0).tolist() != other.batch(0, 0).tolist()


def test_a_step_is_the_same_whatever_was_asked_before() -> None:
    went_on, resumed = Sampler(1000, 64, seed=7), Sampler(1000, 64, seed=7)
    for epoch in range(3):
        for index in range(went_on.steps_per_epoch):
            last = went_on.batch(epoch, index)
    np.testing.assert_array_equal(resumed.batch(2, resumed.steps_per_epoch - 1), last)


@given(st.integers(1, 9), st.integers(9, 64))
def test_the_parts_of_the_ranks_are_the_batch(ranks: int, size: int) -> None:
    batch = Sampler(200, size, seed=3).batch(0, 1)
    counts = equal(size, ranks)
    np.testing.assert_array_equal(np.concatenate([Sampler.part(batch, counts, rank) for rank in range(ranks)]), batch)
    assert [len(Sampler.part(batch, counts, rank)) for rank in range(ranks)] == counts


def test_counts_that_do_not_fit_the_batch_are_refused() -> None:
    with pytest.raises(ValueError, match="counts of 7 samples for a batch of 8"):
        Sampler.part(np.arange(8), [4, 3], 0)


def test_too_few_samples_are_told_with_the_remedy() -> None:
    with pytest.raises(EngineError, match=r"training\.global_batch_size: 256 .* 100 samples .* lower it to 100"):
        Sampler(100, 256, seed=0)


def test_there_is_no_step_behind_the_last_one() -> None:
    with pytest.raises(IndexError, match="step 3 of an epoch of 3 steps"):
        Sampler(100, 30, seed=0).batch(0, 3)

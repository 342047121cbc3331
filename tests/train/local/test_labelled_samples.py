"""Samples by label: every rank has its own labels, and passes its samples once in an epoch."""

import numpy as np
import pytest

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.local.labelled_samples import LabelledSamples

LABELS = np.random.default_rng(5).integers(0, 10, 1000)


def samples_of(ranks: int, rank: int, labels=LABELS, batch: int = 50) -> LabelledSamples:
    spec = TrainingSpec(strategy="local_sgd", split="by_label", global_batch_size=batch)
    return LabelledSamples(spec, labels, ranks, rank)


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_each_rank_passes_its_own_labels_once_in_an_epoch(ranks):
    every = [samples_of(ranks, rank) for rank in range(ranks)]
    for rank, mine in enumerate(every):
        taken = np.concatenate([mine.mine(0, index) for index in range(mine.steps_per_epoch)])
        assert set(LABELS[taken] % ranks) == {rank}
        assert len(set(taken.tolist())) == len(taken)
        assert len(taken) > 0.85 * (LABELS % ranks == rank).sum()
    assert len({mine.steps_per_epoch for mine in every}) == 1
    assert {tuple(mine.counts) for mine in every} == {tuple(every[0].counts)}
    assert sum(every[0].counts) == 50


def test_a_rank_with_more_samples_has_more_in_a_step():
    labels = np.array([0] * 600 + [1] * 200)
    assert samples_of(2, 0, labels, 40).counts == [30, 10]


def test_each_epoch_has_an_order_of_its_own_which_is_the_same_in_every_run():
    first, again = samples_of(2, 1), samples_of(2, 1)
    assert first.mine(3, 2).tolist() == again.mine(3, 2).tolist()
    assert first.mine(0, 0).tolist() != first.mine(1, 0).tolist()


@pytest.mark.parametrize(
    ("labels", "batch", "sentence"),
    [
        (np.array([0, 2, 4] * 20), 8, "by_label leaves rank 1 of 2 without samples"),
        (np.array([0, 1] * 4), 40, "lower it to 4 or less"),
    ],
)
def test_what_cannot_be_split_is_refused(labels, batch, sentence):
    with pytest.raises(EngineError, match=sentence):
        samples_of(2, 0, labels, batch)

"""Digests show whether replicas are equal, and which rank differs."""

import numpy as np
import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.engine.errors import DifferenceError
from ringscope.train.digest import compare_replicas, digest, odd_rank


@pytest.mark.parametrize(
    ("digests", "expected"),
    [([5], None), ([5, 5, 5], None), ([5, 5, 7], (2, 0)), ([7, 5, 5], (0, 1)), ([5, 7], (1, 0))],
)
def test_the_rank_that_most_others_disagree_with_is_named(digests, expected):
    assert odd_rank(digests) == expected


def test_one_bit_of_any_parameter_or_buffer_changes_the_digest():
    module = torch.nn.BatchNorm1d(3)
    found = [digest(module)]
    module.weight.detach().view(torch.int32)[1] ^= 1
    found.append(digest(module))
    module.running_mean.view(torch.int32)[0] ^= 1
    found.append(digest(module))
    assert len(set(found)) == 3
    assert digest(module) == found[-1]


@pytest.mark.parametrize(
    ("others", "rank", "sentence"),
    [
        ([0, 1, 1], 0, "on rank 0 than on rank 1; check the memory and the software of rank 0's node."),
        ([0, 0, 1], 2, "on rank 2 than on rank 0; check the memory and the software of rank 2's node."),
        ([0, 1], None, "on rank 1 than on rank 0, and no majority of ranks tells which of them is right;"),
    ],
)
def test_a_difference_is_a_sentence_that_names_the_rank_if_a_majority_can_tell(others, rank, sentence):
    comm = LonelyCommunicator()
    comm.size = len(others)
    comm.total = lambda digests: np.array(others)
    with pytest.raises(DifferenceError) as raised:
        compare_replicas(comm, torch.nn.Identity(), "After epoch 4")
    assert str(raised.value).startswith(
        f"After epoch 4 the model has, after the same steps, other parameters {sentence}"
    )
    assert raised.value.bad_rank == rank

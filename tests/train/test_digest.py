"""Whether replicas are equal, and who is odd."""

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


def test_a_difference_is_a_sentence_that_names_the_rank():
    comm = LonelyCommunicator()
    comm.size = 3
    comm.total = lambda digests: digests + np.array([0, 1, 1])
    with pytest.raises(DifferenceError, match="After epoch 4 the model of rank 0 differs from that of rank 1"):
        compare_replicas(comm, torch.nn.Identity(), "After epoch 4")

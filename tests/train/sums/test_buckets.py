"""Parameters are put into buckets, and gradients are views into them."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.engine.errors import EngineError
from ringscope.train.sums.buckets import place_gradients, split


@pytest.mark.parametrize(
    ("counts", "bucket_bytes", "expected"),
    [
        ([], 1024, []),
        ([1, 1, 1], 1024, [[2, 1, 0]]),
        ([128, 128, 128], 1024, [[2, 1], [0]]),
        ([128, 1000, 1], 1024, [[2], [1], [0]]),
        ([256, 256], 1024, [[1], [0]]),
    ],
)
def test_parameters_share_buckets_from_the_last_one_on(counts, bucket_bytes, expected):
    assert split(counts, bucket_bytes) == expected


def test_gradients_are_views_into_registered_memory():
    module = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Linear(3, 2))
    buckets = place_gradients(LonelyCommunicator(), list(module.parameters()), 32)
    assert [bucket.size_bytes for bucket in buckets] == [32, 12, 60]
    for bucket in buckets:
        for parameter, part in bucket.parts:
            parameter.grad = part
    module(torch.ones(1, 5)).sum().backward()
    for bucket in buckets:
        gradients = torch.cat([parameter.grad.reshape(-1) for parameter in bucket.parameters])
        assert np.array_equal(bucket.memory.local, gradients.numpy())
        assert all(parameter.grad.data_ptr() >= bucket.gradient.data_ptr() for parameter in bucket.parameters)
        assert bucket.gradient.data_ptr() == bucket.memory.local.ctypes.data
        assert bucket.memory.local.ctypes.data % 64 == buckets[0].memory.local.ctypes.data % 64


@pytest.mark.parametrize(
    ("module", "gpu", "sentence"),
    [
        (torch.nn.Linear(2, 2, dtype=torch.float64), None, "a parameter is torch.float64; keep parameters in float32"),
        (torch.nn.ReLU(), None, "it has no parameters to train."),
        (torch.nn.Linear(2, 2), SimpleNamespace(index=0), "a parameter is on cpu; move the model to a GPU."),
    ],
)
def test_what_cannot_lie_in_buckets_is_refused(module, gpu, sentence):
    with pytest.raises(EngineError, match=sentence):
        place_gradients(LonelyCommunicator(gpu), list(module.parameters()), 1024)

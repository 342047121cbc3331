"""Each bucket is summed at the right time; tests on real ranks check that the sums are right."""

import threading

import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.engine.errors import EngineError
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.sums.reducer import Reducer


@pytest.fixture
def module():
    return torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Linear(3, 2))


def backward(module):
    module(torch.ones(1, 5)).sum().backward()


@pytest.mark.parametrize("overlap", [True, False])
def test_every_bucket_is_summed_once_in_reverse_order(module, overlap):
    comm = LonelyCommunicator()
    reducer = Reducer(comm, module, "ring", bucket_bytes=32, overlap=overlap)
    for step in range(3):
        reducer.begin()
        with reducer.part(is_last=True):
            backward(module)
        sums = reducer.finish()
        assert comm.summed == [32, 12, 60] * (step + 1)
    assert sums.bucket_bytes == [32, 12, 60]
    assert sums.size_bytes == reducer.size_bytes == 104
    reducer.close()


def test_with_overlap_sums_run_before_backward_ends(module):
    comm = LonelyCommunicator()
    reducer = Reducer(comm, module, "ring", bucket_bytes=32)
    seen = []
    first = module[0].weight  # its gradient comes last
    first.register_hook(lambda gradient: seen.extend(future.result() for future in reducer._sums.pending))
    reducer.begin()
    with reducer.part(is_last=True):
        backward(module)
    assert len(seen) >= 1
    reducer.finish()
    reducer.close()


def test_only_the_last_part_of_a_step_starts_sums(module):
    comm = LonelyCommunicator()
    reducer = Reducer(comm, module, "ring", bucket_bytes=1024)
    reducer.begin()
    with reducer.part(is_last=False):
        backward(module)
    once = reducer.gradients[0].clone()
    assert not comm.summed
    with reducer.part(is_last=True):
        backward(module)
    reducer.finish()
    assert torch.equal(reducer.gradients[0], 2 * once)
    assert comm.summed == [104]
    reducer.close()


def test_parameters_that_no_gradient_came_for_are_summed_as_zeros(module):
    comm = LonelyCommunicator()
    reducer = Reducer(comm, module, "ring", bucket_bytes=32)
    reducer.begin()
    with reducer.part(is_last=True):
        module[1](torch.ones(1, 3)).sum().backward()
    reducer.finish()
    assert comm.summed == [32, 12, 60]
    assert not reducer.gradients[2].any()
    reducer.close()


def test_what_the_engine_raises_in_the_thread_is_raised_where_it_is_awaited(module):
    reducer = Reducer(LonelyCommunicator(), module, "ring", bucket_bytes=32)

    def fail(number, bucket):
        assert threading.current_thread() is not threading.main_thread()
        raise EngineError("lost a rank")

    reducer.sum_by(fail)
    reducer.begin()
    with reducer.part(is_last=True):
        backward(module)
    with pytest.raises(EngineError, match="lost a rank"):
        reducer.finish()
    reducer.close()


def test_sums_that_overlap_each_other_count_once():
    sums = Sums(9.0, 0.0, 0, start_us=[1.0, 2.0, 7.0], end_us=[4.0, 3.0, 8.5])
    assert sums.communication_us == 4.5

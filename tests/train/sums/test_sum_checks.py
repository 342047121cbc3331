"""The bits that all ranks must have alike, compared every few steps."""

import random
from types import SimpleNamespace

import pytest
import torch
from tests.train.fakes import LonelyCommunicator
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import DifferenceError
from ringscope.train.sums.sum_checks import SumChecks, bit_sum

STEPS = 12


def steps_of(comm, every, *, flipped=None):
    """Make the steps; ``flipped`` is the rank, step, bucket and bit that differs."""
    generator = torch.Generator().manual_seed(3)
    sums = SimpleNamespace(alike=[torch.empty(33), torch.empty(8)])
    checks = SumChecks(comm, every, sums)
    for step in range(STEPS):
        for bucket, tensor in enumerate(sums.alike):
            tensor.copy_(torch.randn(len(tensor), generator=generator))
            if flipped and flipped[:3] == (comm.rank, step, bucket):
                element, bit = divmod(flipped[3], 32)
                tensor.view(torch.int32)[element] ^= -(2**31) if bit == 31 else 1 << bit
        checks.note(step)


def test_equal_ranks_pass():
    on_ranks(3, lambda comm: steps_of(comm, 4), VirtualCommunicator)


@pytest.mark.parametrize("every", [1, 4])
def test_one_flipped_bit_names_the_rank_and_the_bucket_within_the_interval(every):
    chance = random.Random(every)
    for _ in range(20):
        rank, step, bucket = chance.randrange(3), chance.randrange(STEPS), chance.randrange(2)
        bit = chance.randrange(32 * (33, 8)[bucket])
        with pytest.raises(DifferenceError) as raised:
            on_ranks(3, lambda comm: steps_of(comm, every, flipped=(rank, step, bucket, bit)), VirtualCommunicator)  # noqa: B023
        first = step // every * every
        since = f"step {step}" if every == 1 else f"the steps from {first} to {first + every - 1}"
        assert str(raised.value).startswith(f"In {since}, bucket {bucket + 1} of 2 had other bits on rank {rank} than")
        assert raised.value.bad_rank == rank


def test_of_two_ranks_both_are_named():
    with pytest.raises(DifferenceError, match="on rank 1 than on rank 0, and no majority of ranks tells") as raised:
        on_ranks(2, lambda comm: steps_of(comm, 3, flipped=(0, 1, 0, 5)), VirtualCommunicator)
    assert raised.value.bad_rank is None


@pytest.mark.parametrize("count", [1, 2, 7])
def test_every_bit_counts_also_those_of_an_odd_last_element(count):
    tensor = torch.ones(count)
    for element in range(count):
        for bit in range(32):
            changed = tensor.clone()
            changed.view(torch.int32)[element] ^= -(2**31) if bit == 31 else 1 << bit
            assert bit_sum(changed) != bit_sum(tensor)


def test_one_rank_and_a_job_that_asks_for_none_have_no_checks():
    assert SumChecks.of(LonelyCommunicator(), TrainingSpec(verify_every=1), None) is None
    assert SumChecks.of(SimpleNamespace(size=2), TrainingSpec(), None) is None

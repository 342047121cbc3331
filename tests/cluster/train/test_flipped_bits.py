"""One flipped bit in what all ranks must have alike names its rank within ``verify_every`` steps."""

import pytest

COUNT = 100


@pytest.mark.long  # the gate flips bits in tests/train/sums/test_sum_checks.py
def test_each_flipped_bit_names_its_rank_within_the_interval(gang):
    found = gang(3, "flipped_main.py", str(COUNT))["flips"]
    assert found["caught"] == COUNT, found["wrong"]

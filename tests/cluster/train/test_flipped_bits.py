"""One flipped bit in what all ranks must have alike names its rank within ``verify_every`` steps."""

import pytest


@pytest.mark.parametrize("count", [6, pytest.param(100, marks=pytest.mark.long)])
def test_each_flipped_bit_names_its_rank_within_the_interval(gang, count):
    found = gang(3, "flipped_main.py", str(count))["flips"]
    assert found["caught"] == count, found["wrong"]

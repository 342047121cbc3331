"""Rings and trees in channels, on real ranks."""

import pytest


@pytest.mark.long  # the gate has a sweep in channels: tests/cluster/engine/test_rank.py
@pytest.mark.parametrize("ranks", [4, 6])
@pytest.mark.parametrize("transport", ["mpi", "shared_memory"])
def test_every_channel_carries_its_part(gang, ranks, transport):
    done = gang(ranks, "channels_main.py", transport)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 48, 2 channels, alone 1") == ranks

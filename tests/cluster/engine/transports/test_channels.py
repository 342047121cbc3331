"""Rings and trees in channels, on real ranks."""

import pytest


@pytest.mark.parametrize(
    ("ranks", "transport"),
    [
        (4, "mpi"),
        pytest.param(4, "shared_memory", marks=pytest.mark.long),
        pytest.param(6, "mpi", marks=pytest.mark.long),
        pytest.param(6, "shared_memory", marks=pytest.mark.long),
    ],
)
def test_every_channel_carries_its_part(gang, ranks, transport):
    done = gang(ranks, "channels_main.py", transport)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 48, 2 channels, alone 1") == ranks

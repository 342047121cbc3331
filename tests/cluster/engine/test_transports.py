"""Both transports, every collective, algorithm and awkward length, on real ranks."""

import pytest

RANKS = [1, 2, 3, *(pytest.param(ranks, marks=pytest.mark.long) for ranks in (4, 5))]


@pytest.mark.matrix
@pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
@pytest.mark.parametrize("ranks", RANKS)
def test_every_algorithm_is_exact(gang, ranks, transport):
    done = gang(ranks, "exact_main.py", transport)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"checked {1740 if ranks < 5 else 696}") == ranks


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_python_interface(gang, ranks):
    done = gang(ranks, "api_main.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks

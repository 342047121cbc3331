"""Both transports, every collective, algorithm and awkward length, on real ranks."""

import pytest

TRANSPORTS = pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
CHECKED = {"all": 1740, "few": 696}  # by the lengths


@pytest.mark.matrix
@TRANSPORTS
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 2, 3])
def test_every_algorithm_is_exact(gang, ranks, transport):
    assert_exact(gang, ranks, transport, "few")


@pytest.mark.long
@TRANSPORTS
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_every_algorithm_is_exact_at_every_length(gang, ranks, transport):
    # Where there are many more ranks than cores, few lengths take long enough.
    assert_exact(gang, ranks, transport, "all" if ranks < 5 else "few")


def assert_exact(gang, ranks, transport, lengths):
    done = gang(ranks, "exact_main.py", transport, lengths)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"checked {CHECKED[lengths]}") == ranks


def test_registered_arrays_come_and_go(gang):
    assert_arrays(gang, 2, "shared_memory", 3000)


@pytest.mark.long
@TRANSPORTS
@pytest.mark.parametrize("ranks", [1, 3, 4, 5])
def test_registered_arrays_come_and_go_with_any_number_of_ranks(gang, ranks, transport):
    assert_arrays(gang, ranks, transport, 10_000)


@pytest.mark.long  # what ranks agree on for each array takes most of the time, the more so with more ranks than cores
@TRANSPORTS
def test_many_registered_arrays_in_a_row_keep_no_memory(gang, transport):
    assert_arrays(gang, 2, transport, 200_000)  # a hundred bytes of each would show


def assert_arrays(gang, ranks, transport, arrays):
    done = gang(ranks, "arena_main.py", transport, str(arrays), deadline_seconds=120 + arrays / 100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("is done") == ranks


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_python_interface(gang, ranks):
    done = gang(ranks, "api_main.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks

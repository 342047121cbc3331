"""More elements and bytes than a C int can count, and a large prime number of elements."""

import shutil

import psutil
import pytest

from ringscope.schedules.algorithms import SCHEDULES

pytestmark = pytest.mark.long

BEYOND_INT = (1 << 31) + 17
NEEDED_BYTES = {"shared_memory": 10 << 30, "mpi": 7 << 30}  # two ranks' buffers, and what is received aside


@pytest.mark.parametrize(
    ("transport", "algorithms"),
    [("shared_memory", ["direct", "mpi"]), ("mpi", ["naive"])],  # naive sends all as one message
)
def test_more_elements_than_a_c_int_counts(gang, transport, algorithms):
    available = psutil.virtual_memory().available
    if transport == "shared_memory":
        available = min(available, 2 * shutil.disk_usage("/dev/shm").free)  # half of what is needed lies there
    if available < NEEDED_BYTES[transport]:
        pytest.skip(f"needs {NEEDED_BYTES[transport] >> 30} GiB of memory, {available >> 30} GiB are available")
    done = gang(2, "large_main.py", transport, "int8", str(BEYOND_INT), *algorithms)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"right: {len(algorithms)}") == 2


@pytest.mark.parametrize("transport", ["shared_memory", "mpi"])
def test_ten_million_and_some_elements(gang, transport):
    algorithms = [*SCHEDULES, "mpi"]
    done = gang(3, "large_main.py", transport, "float32", "10000019", *algorithms)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"right: {len(algorithms)}") == 3

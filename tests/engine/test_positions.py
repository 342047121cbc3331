"""What a rank wrote before it was killed can still be read."""

import subprocess
import sys

from ringscope.engine import positions


def test_the_step_of_a_killed_process_is_read_from_its_file(tmp_path):
    path = tmp_path / "positions"
    positions.create(path, 3)
    assert positions.steps(path) == {}
    program = (
        "import os, signal, sys; from ringscope.engine import positions;"
        "slot = positions.slot(sys.argv[1], int(sys.argv[2]));"
        "slot[0] = int(sys.argv[2]) + 1; os.kill(os.getpid(), signal.SIGKILL)"
    )
    for rank in (0, 2):
        subprocess.run([sys.executable, "-c", program, str(path), str(rank)], check=False)
    assert positions.steps(path) == {0: 0, 2: 2}
    positions.slot(str(path), 2)[0] = 0
    assert positions.steps(path) == {0: 0}, "between two calls"


def test_a_position_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "positions"
    positions.create(path, 2)
    slot = positions.slot(str(path), 1)
    slot[positions.ITERATIONS], slot[positions.UNTIMED] = 5, 6
    slot[positions.SIZE_BYTES], slot[positions.WAITED_NS] = 1 << 40, 1 << 50
    assert positions.read(path) == [
        positions.Position(None, 0, 0, 0, 0),
        positions.Position(None, 5, 6, 1 << 40, 1 << 50),
    ]


def test_without_a_file_that_has_room_it_is_written_nowhere(tmp_path):
    path = tmp_path / "positions"
    assert positions.steps(path) == {}
    positions.slot(None, 5)[0] = 1
    positions.slot(str(path), 0)[0] = 1
    positions.create(path, 1)
    positions.slot(str(path), 1)[0] = 1
    assert positions.steps(path) == {}

"""The position that a rank wrote before it was killed can still be read."""

import subprocess
import sys
import time

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


def test_a_rank_says_what_it_loads_and_that_its_program_is_over(tmp_path):
    path = tmp_path / "positions"
    positions.create(path, 2)
    slot = positions.slot(str(path), 1)
    before_ns = time.time_ns()
    positions.set_stage(slot, "reading " + "ü" * 200)
    told = positions.read(path)[1]
    assert told.stage.startswith("reading üüü") and not told.stage.endswith("\ufffd")
    assert before_ns <= told.stage_since_ns <= time.time_ns()
    with positions.stage(slot, "evaluating"):
        assert positions.read(path)[1].stage == "evaluating"
    assert (positions.read(path)[1].stage, positions.read(path)[1].stage_since_ns) == ("", 0)
    assert positions.finished_calls(str(path), 1) is None
    slot[positions.FINISHED], slot[positions.AWAITS], slot[positions.INSIDE] = 1, 1, 4
    told = positions.read(path)[1]
    assert (told.has_finished, told.awaits, told.calls) == (True, 0, 4)
    assert positions.finished_calls(str(path), 1) == 0, "it made no call"
    assert positions.finished_calls(None, 1) is None and positions.finished_calls(str(tmp_path / "x"), 1) is None


def test_a_rank_that_loads_waits_longer_for_others_that_may_load_too():
    slot = positions.slot(None, 0)
    slot[positions.LOAD_SECONDS] = 1800
    assert positions.patience_seconds(slot, 300) == 300
    positions.set_stage(slot, "importing torch")
    assert (positions.patience_seconds(slot, 300), positions.patience_seconds(slot, 7200)) == (1800, 7200)


def test_the_launcher_tells_a_rank_its_slot_before_mpi_does(tmp_path, monkeypatch):
    path = tmp_path / "positions"
    positions.create(path, 3)
    monkeypatch.setenv("PMI_RANK", "2")
    positions.set_stage(positions.slot_before_mpi(str(path)), "loading MPI")
    assert [place.stage for place in positions.read(path)] == ["", "", "loading MPI"]

"""A rank that is asked writes its stack, also from within a library, and lives on."""

import os
import subprocess
import sys
import time
from pathlib import Path

from ringscope.rank import stacks

PROGRAM = """
import sys
from ringscope.rank import stacks
stacks.answer(sys.argv[1], 3)
def stand_still():
    sys.stdin.readline()
stand_still()
"""


def test_a_rank_that_blocks_in_a_call_says_where(tmp_path: Path) -> None:
    path = stacks.file_of(tmp_path, 3)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)], stdin=subprocess.PIPE) as rank:
        deadline = time.monotonic() + 20
        while not path.exists():
            assert time.monotonic() < deadline and rank.poll() is None
            time.sleep(0.01)
        os.kill(rank.pid, stacks.SIGNAL)
        while "stand_still" not in path.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        rank.communicate(b"\n")
        assert rank.returncode == 0


def test_without_a_folder_no_signal_is_taken(tmp_path: Path) -> None:
    stacks.answer(None, 0)
    stacks.answer("", 0)
    assert list(tmp_path.iterdir()) == []

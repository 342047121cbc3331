"""A program's last words are read before it ends."""

import os
import subprocess
import sys

import pytest

PROGRAM = "import sys; from ringscope.engine.stdio_drain import drain; sys.stderr.write('alas'); drain()"


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_program_waits_until_its_last_words_are_read(pipe):
    its_end, our_end = pipe[1], pipe[0]
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=its_end) as program:
        assert os.read(our_end, 1) == b"a"
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(0.5)
        assert os.read(our_end, 9) == b"las"
        assert program.wait(10) == 0


def test_a_reader_that_is_stopped_keeps_it_for_a_while_only(pipe):
    subprocess.run([sys.executable, "-c", PROGRAM], stderr=pipe[1], timeout=20, check=True)


def test_what_goes_to_a_file_needs_no_reader(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        subprocess.run([sys.executable, "-c", PROGRAM], stdout=err, stderr=err, timeout=20, check=True)
    assert (tmp_path / "err").read_bytes() == b"alas"

"""The agent reads the ranks' progress from their pulse files, and their core time from the kernel."""

import os
import subprocess
from pathlib import Path

import pytest

from ringscope.engine import positions
from ringscope_agent.telemetry import pulses
from ringscope_agent.telemetry.pulses import Memory, rank_pulses


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "positions"
    positions.create(path, 3)
    return path


def test_a_living_rank(path: Path) -> None:
    slot = positions.slot(str(path), 1)
    slot[positions.STEP], slot[positions.ITERATIONS], slot[positions.UNTIMED] = 4, 20, 3
    slot[positions.SIZE_BYTES], slot[positions.WAITED_NS] = 1024, 5_000_999
    (pulse,) = rank_pulses({1: os.getpid()}, path, Memory())
    assert (pulse.rank, pulse.step, pulse.iterations, pulse.untimed) == (1, 3, 20, 3)
    assert (pulse.size_bytes, pulse.waited_us) == (1024, 5_000)
    assert pulse.input_us is None, "nothing was measured"
    assert pulse.anonymous_bytes is not None and pulse.anonymous_bytes > 1 << 20
    slot[positions.INPUT_NS] = 7_000_999
    assert rank_pulses({1: os.getpid()}, path, Memory())[0].input_us == 7_000
    assert pulse.state in "RS" and pulse.running_us is not None and pulse.running_us > 0


def test_a_rank_that_has_ended_and_one_without_a_place_are_left_out(path: Path) -> None:
    with subprocess.Popen(["/bin/true"]) as gone:
        gone.wait()
    assert rank_pulses({0: gone.pid, 7: os.getpid()}, path, Memory()) == []


def test_without_a_file_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert rank_pulses({0: os.getpid()}, tmp_path / "positions", Memory()) == []


def test_memory_is_read_every_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, now = iter(range(100)), [10.0]
    monkeypatch.setattr(pulses, "anonymous_bytes", lambda pid: next(reads))
    monkeypatch.setattr(pulses.time, "monotonic", lambda: now[0])
    memory = Memory()
    assert [memory.bytes_of(pid) for pid in (7, 8, 7)] == [0, 1, 0]
    now[0] += 1.9
    assert memory.bytes_of(8) == 1
    now[0] += 0.1
    assert [memory.bytes_of(pid) for pid in (7, 9)] == [2, 3]

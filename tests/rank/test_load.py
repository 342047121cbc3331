"""The load meter measures how busy other processes kept the node during an attempt."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path, PosixPath

import pytest

from ringscope.contracts.protocol import Load
from ringscope.rank import load
from ringscope.rank.load import LoadMeter

SPIN = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


def test_what_descendants_took_is_our_own_whether_they_live_or_have_ended() -> None:
    meter = LoadMeter()
    # A shell that waits for its child, as the launcher's proxy for its ranks, and is waited for itself …
    subprocess.run(["sh", "-c", f"{sys.executable} -c '{SPIN}'; true"], check=True)
    # … and one that still lives, with a child that has ended.
    with subprocess.Popen(
        ["sh", "-c", f"{sys.executable} -c '{SPIN}'; echo done; read line"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as living:  # fmt: skip
        assert living.stdout is not None
        assert living.stdout.readline() == "done\n"
        found = meter.read()
    assert found is not None
    assert found.own_seconds >= 0.6
    assert found.busy_seconds >= found.own_seconds - 0.1  # jiffies are coarse
    assert found.machine


def test_others_are_no_part_of_ours() -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    other.kill()
    other.wait()  # ended before the meter began
    meter = LoadMeter()
    found = meter.read()
    assert found is not None
    assert found.own_seconds < 0.5


def test_a_system_that_does_not_tell_gives_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    meter = LoadMeter()
    monkeypatch.setattr(load, "_PROC", tmp_path)
    assert meter.read() is None
    assert LoadMeter().read() is None


def test_the_machines_own_line_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(load, "_PROC", tmp_path)
    stat = tmp_path / "stat"
    ticks = load._TICKS_PER_SECOND
    stat.write_text(f"cpu {ticks} {2 * ticks} {3 * ticks} 999 999 999 999 {4 * ticks} 0 0\ncpu0 1 2\n")
    meter = LoadMeter()
    stat.write_text(f"cpu {2 * ticks} {2 * ticks} {3 * ticks} 9999 9999 9999 9999 {5 * ticks} 0 0\ncpu0 1 2\n")
    began = time.monotonic()
    found = meter.read()
    assert found is not None
    assert found.busy_seconds == pytest.approx(2.0)  # user and steal; idle, waiting and interrupts do not count
    assert found.seconds < time.monotonic() - began + 10


@pytest.mark.parametrize(("busy_seconds", "share"), [(3.0, 0.25), (0.5, 0.0)])
def test_what_others_took_is_a_share_of_all_processors(
    monkeypatch: pytest.MonkeyPatch, busy_seconds: float, share: float
) -> None:
    told = Load(machine="", processors=4, seconds=2, busy_seconds=busy_seconds, own_seconds=1)
    monkeypatch.setattr(LoadMeter, "read", lambda _: told)
    assert LoadMeter().other_share() == share
    monkeypatch.setattr(LoadMeter, "read", lambda _: None)
    assert LoadMeter().other_share() == 0.0


LAUNCHER, RANK, RANK_SECONDS = 1_000_001, 1_000_002, 700


class Proc(PosixPath):
    """A /proc with a launcher and its rank, which ends when the launcher has been read and the rank not yet."""

    is_to_end = False

    def iterdir(self) -> Iterator[Path]:
        yield self / str(LAUNCHER)
        if Proc.is_to_end and (self / str(RANK)).exists():
            shutil.rmtree(self / str(RANK))
            self.tell(LAUNCHER, os.getpid(), RANK_SECONDS)  # it has waited for the rank
        yield self / str(RANK)

    def tell(self, pid: int, parent: int, seconds: int) -> None:
        (self / str(pid)).mkdir(exist_ok=True)
        times = f"0 0 {seconds * load._TICKS_PER_SECOND} 0"
        (self / str(pid) / "stat").write_text(f"{pid} (a b) S {parent} 0 0 0 0 0 0 0 0 0 {times} 20 0\n")


def test_a_rank_that_ends_behind_the_launcher_that_was_read_is_still_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proc = Proc(tmp_path)
    (proc / "stat").write_text("cpu 0 0 0 0 0 0 0 0 0 0\n")
    proc.tell(LAUNCHER, os.getpid(), 0)
    proc.tell(RANK, LAUNCHER, 0)
    monkeypatch.setattr(load, "_PROC", proc)
    meter = LoadMeter()
    proc.tell(RANK, LAUNCHER, RANK_SECONDS)
    monkeypatch.setattr(Proc, "is_to_end", True)
    found = meter.read()
    assert found is not None
    assert not (proc / str(RANK)).exists()
    assert RANK_SECONDS <= found.own_seconds < RANK_SECONDS + 60
    later = meter.read()
    assert later is not None and RANK_SECONDS <= later.own_seconds < RANK_SECONDS + 60, "nor is it counted twice"

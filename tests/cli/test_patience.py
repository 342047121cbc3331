"""The command line waits for what it starts, longer on a busy machine, and says so meanwhile."""

import os

import pytest

from ringscope.cli import patience
from ringscope.cli.patience import MOST_TIMES, START_SECONDS, TELL_SECONDS, Patience


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(patience, "time", made)
    return made


@pytest.mark.parametrize(("crowd", "times"), [(1.0, 1.0), (3.0, 3.0), (500.0, MOST_TIMES)])
def test_a_busy_machine_gets_more_time(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], crowd: float, times: float
) -> None:
    monkeypatch.setattr(patience, "crowding", lambda: crowd)
    waiting = Patience("the server")
    for _ in waiting:
        pass
    assert clock.now - 100 == pytest.approx(START_SECONDS * times, abs=1)
    busy = f"; the machine is busy, up to {crowd * (os.cpu_count() or 1):.0f} processes have shared its "
    assert waiting.failure.startswith(f"was not ready within {START_SECONDS * times:.0f} s")
    assert (busy in waiting.failure) == (crowd > 1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= START_SECONDS * times / TELL_SECONDS - 1
    assert lines[0].startswith("Waiting for the server to start, 10 s so far")

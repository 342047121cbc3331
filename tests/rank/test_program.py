"""What a rank does before and after its work."""

from types import SimpleNamespace

import pytest

from ringscope.contracts.rank_process import STEPS_VARIABLE
from ringscope.contracts.record import Log, Record
from ringscope.rank import program


class Told(list[Record]):
    """A reporter that keeps what it is told."""

    send = list[Record].append


def test_a_rank_that_cannot_note_its_steps_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STEPS_VARIABLE, "/proc/self/fd/gone")
    told = Told()
    assert program._ring(SimpleNamespace(rank=3), told) is None  # type: ignore[arg-type]
    (line,) = told
    assert isinstance(line, Log)
    assert line.text == (
        "RINGSCOPE_STEPS: cannot map the memory for steps (No such file or directory); no steps will be stored."
    )
    assert (line.rank, line.stream) == (3, "stderr")

"""A trial decides which algorithms it times, how often, and which of them is the fastest."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest

from ringscope.engine import trial
from ringscope.engine.base import Array
from ringscope.engine.trial import midmean, tried

NAMES = ("ring", "direct", "tree", "naive", "mpi")


class Machine:
    """A fake machine on which the calls of each algorithm take the given microseconds; the last value repeats."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **calls_us: tuple[float, ...]) -> None:
        self.ran: list[str] = []
        self.seats: list[tuple[int, int]] = []  # before which call each turn was taken
        self.free = 0
        self._now_us = 0.0
        self._left: dict[str, Iterator[float]] = {name: self._repeated(us) for name, us in calls_us.items()}
        monkeypatch.setattr(trial.time, "perf_counter_ns", lambda: round(self._now_us * 1e3))

    def _repeated(self, calls_us: tuple[float, ...]) -> Iterator[float]:
        yield from calls_us
        while True:
            yield calls_us[-1]

    def prepare(self, name: str) -> "Plan":
        return Plan(self, name)

    def run(self, name: str) -> None:
        self.ran.append(name)
        self._now_us += next(self._left[name])

    def tried(
        self, *names: str, size_bytes: int = 1024, slowest: Callable[[Array], Array] = np.copy
    ) -> dict[str, float]:
        self._slowest = slowest
        return {name: round(us, 6) for name, us in tried(names, size_bytes, self.prepare, self).items()}

    def maximum(self, values: Array) -> Array:
        return self._slowest(values)

    def barrier(self) -> None:
        self.ran.append("|")

    def reseat(self, turn: int) -> None:
        self.seats.append((len(self.ran), turn))


class Plan:
    def __init__(self, machine: Machine, name: str) -> None:
        self._machine, self._name = machine, name

    def run(self) -> None:
        self._machine.run(self._name)

    def free(self) -> None:
        self._machine.free += 1


FIRST_TURNS, TURNS = 3, 15  # of a small message
LARGE_TURNS = 9
AHEAD = 2  # calls of each before any block: a library's first one may take a thousand times as long


def calls(longest_us: float) -> int:
    """Return the number of calls in a block."""
    return min(200, max(2, int(2_000 / longest_us)))


def executed(machine: Machine) -> list[str]:
    return [name for name in machine.ran if name != "|"]


def test_many_are_tried_shortly_and_the_fastest_four_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    times_us = {"ring": 30, "direct": 20, "tree": 50, "naive": 99, "mpi": 10}
    machine = Machine(monkeypatch, **{name: (us,) for name, us in times_us.items()})
    found = machine.tried(*NAMES)
    assert found == {"mpi": 10, "direct": 20, "ring": 30, "tree": 50}
    ahead = {name: ["|", name] * AHEAD for name in NAMES}
    shortly = [w for name in NAMES for w in (*ahead[name], *["|", *[name] * calls(times_us[name])] * FIRST_TURNS)]
    assert machine.ran[: 2 * len(shortly)] == shortly * 2
    turn = [word for name in found for word in (name, "|", *[name] * calls(50))]
    assert machine.ran[2 * len(shortly) :] == [*["|", *found] * AHEAD, *turn * TURNS]
    assert machine.free == 2 * 5 + 4, "what a plan holds is given back"


def test_who_was_disturbed_for_a_moment_is_not_out(monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed = [500.0] * (1 + calls(500) * FIRST_TURNS)
    machine = Machine(monkeypatch, ring=(30,), direct=(20,), tree=(50,), naive=(60,), mpi=(*disturbed, 10))
    assert machine.tried(*NAMES) == {"mpi": 10, "direct": 20, "ring": 30, "tree": 50}


def test_a_block_of_longer_calls_has_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(500,), direct=(300,))
    machine.tried("ring", "direct")
    assert len(executed(machine)) == 2 * (AHEAD + (1 + 4) * TURNS), "2 ms after the first one"


def test_every_block_has_the_seats_of_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks that share a core keep sharing it for a while, so the blocks of one algorithm run in different turns."""
    machine = Machine(monkeypatch, ring=(30,), direct=(20,), tree=(50,), naive=(99,), mpi=(10,))
    machine.tried(*NAMES)
    passes = [turn for turns in ((0, 1, 2), (3, 4, 5)) for _ in NAMES for turn in turns]
    finals = [turn for turn in range(TURNS) for _ in range(trial.FINALISTS)]
    assert [turn for _, turn in machine.seats] == passes + finals
    begins = [begin for begin, _ in machine.seats]
    assert {later - begin for begin, later in pairwise(begins[-4:])} == {2 + calls(50)}, "before the untimed call"


def test_few_need_no_first_heat(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(30,), mpi=(10,))
    assert machine.tried("ring", "mpi") == {"ring": 30, "mpi": 10}
    assert machine.ran[:8] == ["|", "ring", "mpi", "|", "ring", "mpi", "ring", "|"]


def test_the_first_call_and_a_preemption_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(100, *[10] * 90, 9000, 10), direct=(12,))
    assert machine.tried("ring", "direct") == {"ring": 10, "direct": 12}


def test_who_comes_out_close_is_tried_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks then count: a few told the wrong order."""
    lucky = (*[10] * (AHEAD + (1 + calls(30)) * TURNS), 14)
    machine = Machine(monkeypatch, ring=lucky, direct=(11,), tree=(30,))
    found = machine.tried("ring", "direct", "tree")
    assert min(found, key=found.__getitem__) == "direct"
    assert executed(machine).count("tree") == AHEAD + (1 + calls(30)) * TURNS
    longer = AHEAD + (1 + calls(14)) * TURNS
    assert executed(machine).count("ring") == AHEAD + (1 + calls(30)) * TURNS + longer
    assert [turn for _, turn in machine.seats[-2:]] == [2 * TURNS - 1] * 2


def test_what_stalls_a_turn_stalls_both_and_what_stalls_one_is_a_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Midmeans would say that ring is faster: direct has the larger part of the stalls."""
    rng, speeds = np.random.default_rng(1), {"ring": 1100.0, "direct": 1000.0}
    turn = np.where(rng.random(2 * TURNS) < 0.4, 4.0, 1.0)
    own = {"ring": np.ones(2 * TURNS), "direct": np.where(np.arange(2 * TURNS) % 5 == 0, 6.0, 1.0)}
    blocks = {name: us * turn * own[name] for name, us in speeds.items()}
    assert midmean(blocks["ring"]) < midmean(blocks["direct"])
    heats = {name: np.split(np.repeat(its, 1 + calls(1100)), 2) for name, its in blocks.items()}
    series = {name: [us for heat in heats[name] for us in (*[speeds[name]] * AHEAD, *heat)] for name in speeds}
    machine = Machine(monkeypatch, **{name: tuple(its) for name, its in series.items()})
    found = machine.tried("ring", "direct")
    assert found["ring"] / found["direct"] == pytest.approx(1.1)


def test_a_library_that_prepares_itself_has_blocks_as_long_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(30,), mpi=(200_000, 10))
    machine.tried("ring", "mpi")
    assert len(executed(machine)) == 2 * (AHEAD + (1 + calls(30)) * TURNS)


def test_of_two_speeds_both_count() -> None:
    """Ranks that share cores have two speeds; the median of a few blocks would be one of them by chance."""
    often_fast, often_slow = [22.0] * 8 + [38.0] * 7, [22.0] * 7 + [38.0] * 8
    assert 22 < midmean(often_fast) < midmean(often_slow) < 38
    assert midmean([1.0, 20.0, 22.0, 9000.0]) == 21
    assert midmean([5.0]) == 5
    assert midmean([5.0, 7.0]) == 6


def test_the_slowest_rank_of_each_block_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(10,), direct=(12,))
    assert machine.tried("ring", "direct", slowest=lambda mine: np.maximum(mine, [30.0, 5.0])) == {
        "ring": 30,
        "direct": 12,
    }


def test_large_messages_are_tried_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(3000,), direct=(5000,), tree=(9000,), naive=(9000,), mpi=(9000,))
    machine.tried(*NAMES, size_bytes=64 << 20)
    assert len(executed(machine)) == 5 * (AHEAD + 2) * 2 + 4 * (AHEAD + (1 + 2) * LARGE_TURNS), "two in a row"


def test_calls_that_take_long_are_tried_once_or_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds over a slow link; and each rank does the same, though it is slow on one of them only."""
    slow = Machine(monkeypatch, **dict.fromkeys(NAMES, (2_000_000.0,)))
    assert slow.tried(*NAMES, size_bytes=1024)["ring"] == 2_000_000
    assert len(executed(slow)) == 5 * 2 + 4 * 2, "no second look at who takes so long"
    here = Machine(monkeypatch, ring=(10,), direct=(12,))
    here.tried("ring", "direct", slowest=lambda mine: np.maximum(mine, 120_000))
    assert len(executed(here)) == 2 * (AHEAD + 5)


def test_a_first_call_that_opens_connections_is_not_what_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, ring=(400_000, 10), direct=(20,), tree=(30,), naive=(40,), mpi=(50,))
    assert machine.tried(*NAMES) == {"ring": 10, "direct": 20, "tree": 30, "naive": 40}

"""An insight opens after enough windows with a finding in a row, and closes after enough clean ones."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ringscope.contracts.protocol import RankPulse
from ringscope_server.insights.hysteresis import CLEAR_WINDOWS, Hysteresis
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.step_windows import WINDOW_STEPS, Block, RankStep
from ringscope_server.insights.stragglers.straggler import STEP_WINDOWS
from ringscope_server.insights.watch import News, Watch
from ringscope_server.insights.windows import Sample, Windows
from ringscope_server.results.arrivals import Start

SLOW = ("straggler", 2)
BLOCK = Block("broadcast", "tree", False, 1024)


def finding(rank: int = 2, windows: int = 2) -> Finding:
    return Finding("straggler", "It is slow.", rank, "n1", windows=windows)


def test_a_finding_is_told_after_so_many_windows_in_a_row() -> None:
    hysteresis, judged = Hysteresis(), {"straggler"}
    assert hysteresis.open_now([finding()], judged) == []
    assert hysteresis.open_now([], judged) == []
    assert hysteresis.open_now([finding()], judged) == []
    assert hysteresis.open_now([], {"late_rank"}) == [], "another kind was judged: nothing is known of this one"
    assert hysteresis.open_now([finding()], judged) == [finding()]


def test_an_insight_is_over_after_so_many_clean_windows_in_a_row() -> None:
    hysteresis, judged = Hysteresis(), {"straggler"}
    for _ in range(2):
        for _ in range(CLEAR_WINDOWS - 1):
            assert hysteresis.over_now({SLOW}, [], judged) == set()
        hysteresis.over_now({SLOW}, [finding()], judged)
    for _ in range(CLEAR_WINDOWS - 1):
        hysteresis.over_now({SLOW}, [], judged)
    assert hysteresis.over_now({SLOW}, [], judged) == {SLOW}


def news(
    at: int, stopped: float = 0.0, queued: float = 0.0, late_us: int = 0, advance: int = 10, input_us: int = 0
) -> News:
    """Return a second's news of three ranks; the last one is stopped for a part of its time and late to steps.

    It waits ``input_us`` for its samples in each second, the others wait a tenth of that.
    """
    samples = {}
    for rank in range(3):
        own = stopped if rank == 2 else 0.0
        times = {"waited_us": at * 900_000, "queued_us": round(at * queued * 1e6)}
        running = round(at * (1 - queued - own) * 1e6)
        pulse = RankPulse(
            rank=rank,
            state="R",
            iterations=1 + at * advance,
            untimed=0,
            size_bytes=8,
            running_us=running,
            input_us=round(at * input_us * (1.0 if rank == 2 else 0.1)) or None,
            **times,
        )
        samples[rank] = Sample("n1", at * 1_000_000, float(at), pulse)
    rows = [
        (
            BLOCK,
            number,
            RankStep(Start(rank, "n1", late_us * 1_000 * (rank == 2), None), 100.0, 0.0, late_us * (rank == 2)),
        )
        for number in range(at * WINDOW_STEPS, (at + 1) * WINDOW_STEPS)
        for rank in range(3)
    ]
    return News(float(at), True, samples, rows if late_us else ())


def test_a_rank_that_is_stopped_again_and_again_is_told_after_two_windows_and_closed_after_five() -> None:
    watch = Watch(3, Limits(60), {})
    assert watch.look(news(0, 0.4), ()).opened == []
    assert watch.look(news(1, 0.4), ()).opened == []
    assert [found.key for found in watch.look(news(2, 0.4), ()).opened] == [SLOW]
    assert watch.look(news(2, 0.4), {SLOW}).over == set(), "the same pulses again are no window"
    watch = Watch(3, Limits(60), {})
    over = [watch.look(news(at), {SLOW}).over for at in range(CLEAR_WINDOWS + 1)]
    assert over == [set()] * CLEAR_WINDOWS + [{SLOW}]


def test_the_cause_is_in_the_evidence() -> None:
    for input_us, cause in ((0, "stopped"), (500_000, "input"), (10_000, "stopped")):
        watch = Watch(3, Limits(60), {})
        (found,) = [watch.look(news(at, 0.4, input_us=input_us), ()).opened for at in (1, 2, 3)][-1]
        assert found.evidence["cause"] == cause


def test_a_time_without_iterations_is_no_window_and_the_next_one_is_longer() -> None:
    windows = Windows(3)
    assert windows.add(news(0).samples) == []
    assert windows.add(news(1, advance=0).samples) == []
    assert [round(made.seconds) for made in windows.add(news(2).samples)] == [2, 2, 2]
    assert windows.add({0: news(3).samples[0]}) == [], "the others have not told"
    assert windows.add(news(4).samples) == []
    assert [round(made.seconds) for made in windows.add(news(5).samples)] == [1, 1, 1]


def test_a_window_knows_of_ranks_that_any_of_its_pulses_found_stopped() -> None:
    windows, made = Windows(3), list[set[int]]()
    for at, (advance, state) in enumerate([(10, "R"), (0, "T"), (10, "R"), (10, "R")]):
        samples = dict(news(at, advance=advance).samples)
        samples[2] = replace(samples[2], pulse=samples[2].pulse.model_copy(update={"state": state}))
        if found := windows.add(samples):
            made.append({window.rank for window in found if window.was_halted})
    assert made == [{2}, set()]


def test_a_node_that_started_again_begins_anew() -> None:
    windows = Windows(3)
    windows.add(news(9).samples)
    assert windows.add(news(1, advance=99).samples) == []
    assert len(windows.add(news(2, advance=99).samples)) == 3


def test_ranks_that_all_stand_still_are_not_slow() -> None:
    watch = Watch(3, Limits(60), {})
    assert [watch.look(news(at, 0.9, advance=0), ()).opened for at in range(5)] == [[]] * 5


def test_where_ranks_wait_for_cores_the_floor_for_coming_late_is_higher() -> None:
    for queued, late_us, told in ((0.1, 5_000, True), (0.5, 5_000, False), (0.5, 25_000, True)):
        watch = Watch(3, Limits(60), {})
        found = [watch.look(news(at, queued=queued, late_us=late_us), ()).opened for at in range(6)][-1]
        assert [one.key for one in found] == ([("late_rank", 2)] if told else [])


def test_a_hang_is_told_and_ends_the_gang() -> None:
    watch = Watch(3, Limits(2), {})
    for at in range(3):
        judgement = watch.look(news(at, advance=0), ())
    assert judgement.hang is not None and [found.kind for found in judgement.opened] == ["hang"]


def training_news(at: int, slow_us: float, input_us: Callable[[int], float] | None = None) -> News:
    """A window of training steps of three ranks, the last of which computes so long; the others wait for it.

    ``input_us`` is how long that rank waits for its samples in each step of the window; the others wait 1 ms.
    """
    block = Block("all_reduce", "ring", True, 1 << 20)

    def waits_us(rank: int, number: int) -> float | None:
        if input_us is None:
            return None
        return input_us(number % WINDOW_STEPS) if rank == 2 else 1_000.0

    rows = [
        (
            block,
            number,
            RankStep(Start(rank, "n1", number * 50_000_000, None), 45_000.0, compute_us, 0.0, waits_us(rank, number)),
        )
        for number in range(at * WINDOW_STEPS, (at + 1) * WINDOW_STEPS)
        for rank, compute_us in enumerate((20_000.0, 20_000.0, slow_us))
    ]
    return News(float(at), True, {}, rows)


@pytest.mark.parametrize(("slow_us", "told"), [(40_000.0, [SLOW]), (22_000.0, [])])
def test_a_training_rank_that_computes_longer_is_told_after_three_windows_of_steps(
    slow_us: float, told: list[tuple[str, int]]
) -> None:
    watch = Watch(3, Limits(60), {})
    found = [watch.look(training_news(at, slow_us), ()).opened for at in range(STEP_WINDOWS)]
    assert [[finding.key for finding in each] for each in found] == [[]] * (STEP_WINDOWS - 1) + [told]


def test_a_rank_that_is_slow_in_steps_is_told_once_its_time_was_seen_in_two_windows_of_pulses() -> None:
    watch, opened = Watch(3, Limits(60), {}), []
    for at in range(5):
        both = news(at, advance=100)
        both.steps = [row for part in range(3) for row in training_news(3 * at + part, 40_000.0).steps]
        opened.append([finding.key for finding in watch.look(both, ()).opened])
    assert [set(keys) for keys in opened[:3]] == [set(), set(), {SLOW}]


@pytest.mark.parametrize(
    ("what", "input_us", "told"),
    [
        ("slow for most of 0.6 s", lambda step: 30_000.0 * (step > 10), [SLOW]),
        ("slow for less of it", lambda step: 30_000.0 * (step > 11), []),
        ("stopped now and then", lambda step: 90_000.0 * (step % 3 > 0), []),
        ("a single stall", lambda step: 900_000.0 * (step == 15), []),
        ("a little slower", lambda step: 2_500.0, []),
    ],
)
def test_a_slow_loader_is_told_with_its_first_slow_steps(
    what: str, input_us: Callable[[int], float], told: list[tuple[str, int]]
) -> None:
    opened = Watch(3, Limits(60), {}).look(training_news(0, 20_000.0, input_us), ()).opened
    assert [found.key for found in opened] == told, what
    assert [found.evidence["cause"] for found in opened] == ["input"] * len(told)


def test_a_slow_loader_lasts_while_the_steps_show_it() -> None:
    watch, over = Watch(3, Limits(60), {}), list[set[object]]()
    watch.look(training_news(0, 20_000.0, lambda step: 30_000.0), ())
    for at in range(1, 10):
        slow_us = 30_000.0 if at < 4 else 1_000.0
        over.append(watch.look(training_news(at, 20_000.0, lambda step, slow_us=slow_us: slow_us), {SLOW}).over)
    assert over == [set()] * 7 + [{SLOW}] * 2

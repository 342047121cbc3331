"""A slow rank is named by how the ranks spent their time if it is above the floors; a rank just below them is not."""

from dataclasses import replace

import pytest

from ringscope_server.insights.step_windows import RankStep
from ringscope_server.insights.stragglers import straggler
from ringscope_server.insights.stragglers.causes import MeanStep, typical_steps
from ringscope_server.insights.windows import Window
from ringscope_server.results.arrivals import Start


def window(rank: int, waited: float = 0.0, queued: float = 0.0, running: float = 1.0, **more: float) -> Window:
    stopped = more.get("stopped", max(0.0, 1.0 - queued - running))
    return Window(rank, f"n{rank}", 1.0, 100, 1024, waited, queued, running, stopped, more.get("input"))


def named(*windows: Window) -> list[int | None]:
    return [finding.rank for finding in straggler.of_windows(windows)]


def test_a_rank_that_works_longer_while_the_others_wait() -> None:
    others = [window(rank, waited=0.5) for rank in range(3)]
    (found,) = straggler.of_windows([*others, window(3, waited=0.1)])
    assert (found.kind, found.rank, found.node, found.windows) == ("straggler", 3, "n3", 2)
    assert found.message == (
        "Rank 3 on node n3 is slow: busy with its own part for 90% of its time, the median rank 50%, "
        "and all others wait for it."
    )
    assert found.evidence["score"] == pytest.approx(0.5 / 0.9)


def test_the_root_of_a_collective_waits_for_nobody_and_is_not_slow_for_that() -> None:
    gang = [window(0, waited=0.0), *(window(rank, waited=0.9) for rank in range(1, 4))]
    assert [found.rank for found in straggler.of_windows(gang)] == [0]
    assert straggler.of_windows(gang, root=0) == []
    stopped = [window(0, waited=0.0, running=0.6), *gang[1:]]
    assert [found.rank for found in straggler.of_windows(stopped, root=0)] == [0]


@pytest.mark.parametrize(("waited", "slow"), [(0.34, [3]), (0.32, []), (0.3, [])])
def test_below_three_quarters_of_its_time_and_not_above(waited: float, slow: list[int]) -> None:
    others = [window(rank, waited=1 - 0.75 * (1 - waited) + (0.01 if slow else -0.02)) for rank in range(3)]
    assert named(*others, window(3, waited=waited)) == slow


def test_less_than_a_tenth_of_the_time_is_no_news_whatever_the_score() -> None:
    others = [window(rank, waited=1.0) for rank in range(3)]
    assert named(*others, window(3, waited=0.91)) == []
    assert named(*others, window(3, waited=0.89)) == [3]


def test_a_rank_that_is_stopped_a_third_of_the_time_on_a_crowded_node() -> None:
    others = [window(rank, waited=0.97, queued=0.55, running=0.45) for rank in range(3)]
    (found,) = straggler.of_windows([*others, window(3, waited=0.9, queued=0.42, running=0.25)])
    assert found.rank == 3 and "is slow: stopped or asleep for 33% of its time" in found.message


def test_a_rank_that_is_stopped_within_a_library_that_tells_no_waits() -> None:
    others = [window(rank, queued=0.4, running=0.6) for rank in range(2)]
    assert named(*others, window(2, queued=0.35, running=0.32)) == [2]


def test_where_ranks_sleep_while_they_wait_sleeping_tells_nothing() -> None:
    others = [window(rank, running=0.5) for rank in range(3)]
    assert named(*others, window(3, running=0.1)) == []


def test_a_rank_whose_core_somebody_else_uses() -> None:
    others = [window(rank, waited=0.4) for rank in range(3)]
    (found,) = straggler.of_windows([*others, window(3, waited=0.0, queued=0.5, running=0.5)])
    assert (found.rank, found.windows) == (3, 3)
    assert "without a core, as others run on it, for 50% of its time" in found.message
    assert found.evidence["cause"] == "queued"


def test_a_crowded_node_has_no_straggler() -> None:
    queued = (0.52, 0.63, 0.62, 0.76)
    assert named(*(window(rank, waited=0.9, queued=q, running=1 - q) for rank, q in enumerate(queued))) == []


def test_two_ranks_have_no_median() -> None:
    assert named(window(0, waited=0.9), window(1, waited=0.0)) == []


def test_an_old_kernel_tells_nothing_and_nobody_is_blamed() -> None:
    blind = [Window(rank, "n1", 1.0, 100, 8, 0.0, None, None, None) for rank in range(4)]
    assert straggler.of_windows(blind) == []


@pytest.mark.parametrize(("slow_us", "named"), [(13_400, [2]), (13_300, []), (10_000, [])])
def test_a_training_step_by_its_compute_time(slow_us: float, named: list[int]) -> None:
    found = straggler.of_steps(mean_steps(10_000.0, 10_000.0, slow_us))
    assert [finding.rank for finding in found] == named


def test_a_step_of_microseconds_is_under_the_floor() -> None:
    assert straggler.of_steps(mean_steps(10.0, 10.0, 1_500.0)) == []
    assert len(straggler.of_steps(mean_steps(10.0, 10.0, 2_100.0))) == 1


def test_a_loader_that_is_slow_on_one_rank_is_the_cause_in_a_step() -> None:
    """A rank waits 20 ms for its samples instead of 10 ms; all compute 10 ms."""
    steps = {rank: MeanStep("n1", 30_000.0, 10_000.0, 10_000.0) for rank in range(3)}
    steps[3] = MeanStep("n2", 30_000.0, 10_000.0, 20_000.0)
    (found,) = straggler.of_steps(steps)
    assert (found.rank, found.evidence["cause"], found.evidence["measure"]) == (3, "input", "own_us")
    assert found.message == (
        "Rank 3 on node n2 is slow: it waits 20.0 ms for the samples of a step, the median rank 10.0 ms, and all "
        "others wait for it."
    )


def test_slow_computing_is_never_taken_for_the_loader() -> None:
    for input_us in (0.0, 5.0, 20_000.0):
        steps = {rank: MeanStep("n1", 60_000.0, 20_000.0, input_us) for rank in range(3)}
        steps[3] = MeanStep("n2", 60_000.0, 40_000.0, input_us * 1.1)
        (found,) = straggler.of_steps(steps)
        assert found.evidence["cause"] == "compute" and "it computes" in found.message


def test_without_a_measured_wait_nobody_knows_whether_it_was_the_loader() -> None:
    (found,) = straggler.of_steps(mean_steps(10_000.0, 10_000.0, 30_000.0))
    assert found.evidence["cause"] is None and found.evidence["measure"] == "compute_us"


@pytest.mark.parametrize(
    ("queued", "running", "cause", "words"),
    [
        (0.5, 0.5, "queued", "in a step, mostly without a core, as others run on it, the median"),
        (0.0, 0.5, "stopped", "in a step, mostly stopped or asleep, the median"),
        (0.0, 1.0, "compute", "in a step, the median"),
        (0.25, 0.75, None, "in a step, the median"),
    ],
)
def test_a_step_that_seems_to_compute_may_be_without_a_core_or_stopped(
    queued: float, running: float, cause: str | None, words: str
) -> None:
    steps = {rank: MeanStep("n1", 100_000.0, 50_000.0, 10.0) for rank in range(3)}
    steps[3] = MeanStep("n2", 100_000.0, 100_000.0, 10.0)
    gang = [window(rank, waited=0.5) for rank in range(3)]
    (found,) = straggler.of_steps(steps, [*gang, window(3, queued=queued, running=running)])
    assert found.evidence["cause"] == cause and words in found.message


def test_a_loader_that_sleeps_is_slow_and_not_stopped() -> None:
    gang = [window(rank, waited=0.3, running=0.7, input=0.3) for rank in range(3)]
    (found,) = straggler.of_windows([*gang, window(3, waited=0.0, running=0.4, input=0.6)])
    assert found.evidence["cause"] == "input" and found.evidence["input_share"] == 0.6
    assert "is slow: waiting for its samples for 60% of its time, the median rank 30%" in found.message


def test_a_rank_that_a_signal_stops_in_its_loader_is_stopped_and_does_not_wait_for_samples() -> None:
    gang = [window(rank, waited=0.3, running=0.7, input=0.3) for rank in range(3)]
    halted = replace(window(3, waited=0.0, running=0.4, input=0.6), was_halted=True)
    (found,) = straggler.of_windows([*gang, halted])
    assert found.evidence["cause"] == "stopped" and "stopped or asleep for" in found.message
    steps = {rank: MeanStep("n1", 100_000.0, 40_000.0, 30_000.0) for rank in range(3)}
    steps[3] = MeanStep("n1", 100_000.0, 40_000.0, 60_000.0)
    (found,) = straggler.of_steps(steps, [*gang, halted])
    assert found.evidence["cause"] == "stopped"
    assert "it takes 100.0 ms in a step, mostly stopped or asleep, the median" in found.message
    (found,) = straggler.of_steps(steps, [*gang, replace(halted, was_halted=False)])
    assert found.evidence["cause"] == "input"


def test_ranks_that_queue_while_they_wait_do_not_blur_the_cause() -> None:
    """Four ranks on two cores: the others wait 40 % of the time, and queue meanwhile; a loader sleeps twice as long."""
    gang = [window(rank, waited=0.4, queued=0.51, running=0.25, input=0.27) for rank in range(3)]
    (found,) = straggler.of_windows([*gang, window(3, waited=0.12, queued=0.38, running=0.16, input=0.52)])
    assert found.evidence["median"] < 0.1 and found.evidence["cause"] == "input"
    (found,) = straggler.of_windows([*gang, window(3, waited=0.12, queued=0.32, running=0.16, input=0.33)])
    assert found.evidence["cause"] == "stopped"


def test_where_the_steps_do_not_decide_the_windows_do() -> None:
    gang = [window(rank, waited=0.4, queued=0.51, running=0.25, input=0.25) for rank in range(3)]
    gang.append(window(3, waited=0.1, queued=0.42, running=0.14, input=0.52))
    steps = {rank: MeanStep("n1", 42_000.0, 12_000.0, 11_000.0) for rank in range(3)}
    steps[3] = MeanStep("n1", 42_000.0, 15_000.0, 21_000.0)  # it computed 3 ms longer, while the others used its core
    (found,) = straggler.of_windows(gang, steps=steps)
    assert found.evidence["cause"] == "input"


def test_a_rank_that_is_stopped_between_its_loads_is_stopped() -> None:
    gang = [window(rank, waited=0.4, input=0.3) for rank in range(3)]
    (found,) = straggler.of_windows([*gang, window(3, waited=0.0, running=0.6, input=0.5)])
    assert found.evidence["cause"] == "stopped" and "stopped or asleep for" in found.message


def test_ranks_that_sleep_while_they_wait_do_not_hide_one_that_is_stopped() -> None:
    gang = [window(rank, waited=0.5, running=0.5, input=0.01) for rank in range(3)]
    (found,) = straggler.of_windows([*gang, window(3, waited=0.0, running=0.5, input=0.01)])
    assert found.evidence["cause"] == "stopped"


def test_a_rank_that_computes_longer_in_training() -> None:
    gang = [window(rank, waited=0.5, input=0.01) for rank in range(3)]
    (found,) = straggler.of_windows([*gang, window(3, waited=0.0, input=0.01)])
    assert found.evidence["cause"] == "compute" and "is slow: computing for 100% of its time" in found.message


@pytest.mark.parametrize(("input_share", "cause"), [(0.42, "input"), (0.38, None), (0.12, None), (0.09, "compute")])
def test_a_cause_explains_four_fifths_of_the_difference(input_share: float, cause: str | None) -> None:
    gang = [window(rank, waited=0.5, input=0.0) for rank in range(3)]
    (found,) = straggler.of_windows([*gang, window(3, waited=0.0, input=input_share)])
    assert found.evidence["cause"] == cause


def mean_steps(*compute_us: float) -> dict[int, MeanStep]:
    return {rank: MeanStep(f"n{rank}", 100_000.0, value) for rank, value in enumerate(compute_us)}


@pytest.mark.parametrize(
    ("step_ms", "typical_us"),
    [(50, {0: 11_000.0}), (150, {0: 16_000.0}), (300, {})],
    ids=["12 steps of 0.6 s", "the last five", "too few in a second"],
)
def test_typical_steps_are_the_newest_ones(step_ms: int, typical_us: dict[int, float]) -> None:
    """Step n waits n ms for its samples; the order in which they come does not count."""
    steps = [
        RankStep(Start(0, "n0", number * step_ms * 1_000_000, None), step_ms * 1e3, 0.0, 0.0, number * 1e3)
        for number in (*range(0, 20, 2), *range(1, 20, 2))
    ]
    assert {rank: step.input_us for rank, step in typical_steps(steps).items()} == typical_us

"""Which rank is slow, by what the ranks did with their time: named above the floors, and nobody just under them."""

import pytest

from ringscope_server.insights import straggler
from ringscope_server.insights.windows import Window


def window(rank: int, waited: float = 0.0, queued: float = 0.0, running: float = 1.0, **more: float) -> Window:
    stopped = more.get("stopped", max(0.0, 1.0 - queued - running))
    return Window(rank, f"n{rank}", 1.0, 100, 1024, waited, queued, running, stopped)


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
    nodes = {rank: f"n{rank}" for rank in range(3)}
    found = straggler.of_steps({0: 10_000.0, 1: 10_000.0, 2: slow_us}, nodes)
    assert [finding.rank for finding in found] == named


def test_a_step_of_microseconds_is_under_the_floor() -> None:
    nodes = dict.fromkeys(range(3), "n1")
    assert straggler.of_steps({0: 10.0, 1: 10.0, 2: 1_500.0}, nodes) == []
    assert len(straggler.of_steps({0: 10.0, 1: 10.0, 2: 2_100.0}, nodes)) == 1

"""Late ranks and slow links, by steps that every rank has told of; never less than the clocks may err is claimed."""

from dataclasses import replace

from ringscope_server.insights import late_rank, slow_link
from ringscope_server.insights.step_windows import MAX_PENDING, WINDOW_STEPS, Block, RankStep, StepWindow, StepWindows
from ringscope_server.results.arrivals import Start

BLOCK = Block("broadcast", "tree", False, 1 << 20)


def rank_step(
    rank: int, late_us: float = 0, took_us: float = 4_000, error_us: float | None = 100, lost_us: float | None = None
) -> RankStep:
    start = Start(rank, f"n{rank}", 10**18 + round(late_us * 1e3), error_us)
    return RankStep(start, took_us, 0.0, late_us if lost_us is None else lost_us)


def window(*step: RankStep) -> StepWindow:
    return StepWindow(BLOCK, [step] * WINDOW_STEPS)


def late(*step: RankStep) -> list[int | None]:
    return [finding.rank for finding in late_rank.of_window(window(*step))]


def slow(*step: RankStep) -> list[str | None]:
    return [finding.node for finding in slow_link.of_window(window(*step))]


def test_a_rank_that_comes_last_by_more_than_clocks_err() -> None:
    (found,) = late_rank.of_window(window(rank_step(0), rank_step(1), rank_step(2, late_us=5_000)))
    assert (found.rank, found.node, found.windows) == (2, "n2", 3)
    assert found.message == (
        "Rank 2 on node n2 comes late: 5.0 ms after the median rank, give or take 0.2 ms, in 20 of 20 steps of tree at "
        "1 MiB."
    )


def test_less_than_the_clocks_may_err_is_not_claimed() -> None:
    for error_us, named in ((2_400, [2]), (2_500, []), (None, [])):
        steps = [rank_step(rank, late_us=5_000 * (rank == 2), error_us=error_us) for rank in range(3)]
        assert late(*steps) == named


def test_two_milliseconds_and_half_a_step_are_the_floor() -> None:
    assert late(rank_step(0, took_us=100), rank_step(1, took_us=100), rank_step(2, 1_900, took_us=100)) == []
    assert late(rank_step(0, took_us=9_000), rank_step(1, took_us=9_000), rank_step(2, 4_400, took_us=9_000)) == []
    assert late(rank_step(0), rank_step(1)) == [], "two ranks have no median"


def test_who_is_last_by_turns_is_not_late() -> None:
    turns = [[rank_step(rank, 5_000 * (rank == number % 3)) for rank in range(3)] for number in range(WINDOW_STEPS)]
    assert late_rank.of_window(StepWindow(BLOCK, turns)) == []


def test_who_is_only_late_because_the_step_before_ended_later_is_not_to_blame() -> None:
    assert late(rank_step(0), rank_step(1), rank_step(2, late_us=5_000, lost_us=0)) == []
    unknown = [replace(rank_step(rank, late_us=5_000 * (rank == 2)), outside_us=None) for rank in range(3)]
    assert late(*unknown) == []


def test_a_node_that_ends_later_although_nobody_came_late() -> None:
    (found,) = slow_link.of_window(
        window(*(rank_step(rank, took_us=4_000) for rank in range(3)), rank_step(3, 0, 9_000))
    )
    assert (found.kind, found.rank, found.node) == ("slow_link", None, "n3")
    assert "tree at 1 MiB took 9.0 ms there and 4.0 ms on the median node" in found.message


def test_the_root_ends_with_the_slowest_of_its_links_and_is_not_named() -> None:
    steps = [
        rank_step(0, took_us=9_000),
        *(rank_step(rank, took_us=100) for rank in range(1, 4)),
        rank_step(4, 0, 9_000),
    ]
    assert [found.node for found in slow_link.of_window(window(*steps), root=0)] == ["n4"]


def test_a_late_rank_makes_no_slow_link() -> None:
    """The others wait for it: they take as much longer as it is late, and all end together."""
    waiting = [rank_step(rank, took_us=9_000) for rank in range(3)]
    assert slow(*waiting, rank_step(3, late_us=5_000, took_us=4_000)) == []


def test_where_several_nodes_end_later_none_of_them_is_named() -> None:
    """All nodes behind one slow link of a tree end later, and all but one of them are healthy."""
    ahead = [rank_step(rank, took_us=200) for rank in range(2)]
    steps = window(*ahead, rank_step(2, 400_000, 220_000), rank_step(3, 900_000, 230_000))
    (found,) = slow_link.of_window(steps)
    assert (found.node, [each["node"] for each in found.evidence["nodes"]]) == (None, ["n2", "n3"])
    assert "A link at or before nodes n2, n3 is slow" in found.message


def test_where_each_rank_also_sends_the_end_of_a_step_names_no_node() -> None:
    """A node that gets from the slow one, or sends to it, ends as late."""
    steps = [*(rank_step(rank) for rank in range(3)), rank_step(3, took_us=9_000)]
    (found,) = slow_link.of_window(StepWindow(replace(BLOCK, op="sendrecv"), [steps] * WINDOW_STEPS))
    assert found.node is None
    assert "A link at or before node n3 is slow" in found.message


def test_a_link_is_slow_by_half_as_much_again_and_more_than_clocks_err() -> None:
    others = [rank_step(rank) for rank in range(3)]
    assert slow(*others, rank_step(3, took_us=5_900)) == []
    assert slow(*others, rank_step(3, took_us=6_100)) == ["n3"]
    assert slow(*others, rank_step(3, took_us=6_100, error_us=1_100)) == []
    assert slow(*others, rank_step(3, took_us=6_100, error_us=None)) == []


def test_two_nodes_cannot_tell_whose_link_it_is() -> None:
    assert slow(rank_step(0), rank_step(1, took_us=90_000)) == []


def test_windows_fill_with_steps_that_all_ranks_have_told() -> None:
    windows = StepWindows(ranks=2)
    first = [(BLOCK, number, rank_step(0)) for number in range(WINDOW_STEPS + 5)]
    assert windows.add(first) == []
    (full,) = windows.add([(BLOCK, number, rank_step(1)) for number in range(WINDOW_STEPS + 5)])
    assert (full.block, len(full.steps)) == (BLOCK, WINDOW_STEPS)
    assert all({each.start.rank for each in step} == {0, 1} for step in full.steps)


def test_what_some_rank_never_tells_is_given_up() -> None:
    windows = StepWindows(ranks=2)
    windows.add((BLOCK, number, rank_step(0)) for number in range(MAX_PENDING + 100))
    assert windows.add((BLOCK, number, rank_step(1)) for number in range(100)) == []
    assert len(windows.add((BLOCK, number, rank_step(1)) for number in range(1_000, 1_000 + WINDOW_STEPS))) == 1

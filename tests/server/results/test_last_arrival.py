"""The last rank to arrive at a step is late only by more than the errors of the nodes' clocks."""

from hypothesis import given
from hypothesis import strategies as st

from ringscope_server.results.arrivals import Arrival, Start, arrival

US = 1_000


def starts(*times_us: int, nodes: str = "", error_us: float | None = 10.0) -> list[Start]:
    """Rank after rank; ``nodes`` has a letter for the node of each, all on one where it is empty."""
    return [Start(rank, nodes[rank : rank + 1], time * US, error_us) for rank, time in enumerate(times_us)]


def test_the_last_rank_is_late_by_how_much_it_is_behind_the_median() -> None:
    assert arrival(starts(5, 7, 300, 6, 4)) == Arrival(last_rank=2, late_us=294, error_us=0, spread_us=296)


def test_ranks_of_one_node_share_a_clock_so_even_little_is_real() -> None:
    found = arrival(starts(0, 1, error_us=None))
    assert found is not None
    assert (found.late_us, found.error_us, found.is_real) == (1, 0, True)


def test_between_nodes_nothing_smaller_than_both_errors_is_called_real() -> None:
    for late_us, is_real in ((5, False), (20, False), (21, True)):
        found = arrival(starts(0, late_us, nodes="ab"))
        assert found is not None
        assert (found.error_us, found.is_real) == (20, is_real)


def test_an_unknown_clock_proves_nothing() -> None:
    found = arrival(starts(0, 10**9, nodes="ab", error_us=None))
    assert found is not None
    assert (found.error_us, found.is_real) == (None, False)


def test_two_slow_ranks_do_not_hide_each_other_and_an_early_one_makes_nobody_late() -> None:
    slow, early = arrival(starts(0, 0, 0, 500, 501)), arrival(starts(-500, 0, 0, 1, 0))
    assert slow is not None and early is not None
    assert (slow.last_rank, slow.late_us) == (4, 501)
    assert (early.last_rank, early.late_us, early.spread_us) == (3, 1, 501)


def test_one_rank_is_never_last() -> None:
    assert arrival(starts(5)) is arrival([]) is None


@given(
    true_us=st.lists(st.integers(0, 1000), min_size=2, max_size=6),
    wrong_us=st.lists(st.integers(-50, 50), min_size=6, max_size=6),
)
def test_whatever_the_clocks_do_within_their_error_what_is_called_real_is(
    true_us: list[int], wrong_us: list[int]
) -> None:
    shown = [time + wrong for time, wrong in zip(true_us, wrong_us, strict=False)]
    found = arrival(starts(*shown, nodes="abcdef", error_us=50.0))
    assert found is not None
    if found.is_real:  # then it truly came after some other rank
        assert true_us[found.last_rank] > min(true_us)

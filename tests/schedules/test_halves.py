"""The halves of an all-reduce, on who contributed to what."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schedules.test_schedule import assert_everyone_has_everything, contributions

from ringscope.schedules.algorithms import build
from ringscope.schedules.halves import halves
from ringscope.schedules.schedule import Schedule

IN_SHARES = st.sampled_from(["ring", "ring_pipelined", "direct", "hierarchical"])


@given(IN_SHARES, st.integers(1, 17), st.integers(0, 200))
def test_each_rank_has_the_sum_of_its_share_and_then_everyone_has_all(algorithm: str, ranks: int, count: int) -> None:
    whole = build(algorithm, ranks, count)
    found = halves(whole)
    assert found is not None
    scatter, gather = found
    assert scatter.outputs is not None
    assert sorted(chunk for share in scatter.outputs for chunk in share) == list(range(len(whole.chunks)))
    held = contributions(scatter)
    for rank, share in enumerate(scatter.outputs):
        assert all(held[rank][i] == Counter(range(ranks)) for i in share if whole.chunks[i].length)
    together = Schedule(ranks, whole.chunks, scatter.steps + gather.steps)
    assert_everyone_has_everything(together)
    assert together.elements_sent() == whole.elements_sent()
    additions = [transfer[2:] for transfer in whole.transfers() if transfer.reduce]
    assert [transfer[2:] for transfer in scatter.transfers()] == additions  # in the same order


@pytest.mark.parametrize(("channels", "ranks"), [(2, 4), (3, 6)])
def test_shares_in_channels_are_equal(channels: int, ranks: int) -> None:
    nodes = [range(ranks // 2), range(ranks // 2, ranks)]
    found = halves(build("ring", ranks, 1200, nodes, channels=channels))
    assert found is not None
    shares = [sum(chunk.length for chunk in found[0].output_chunks(rank)) for rank in range(ranks)]
    assert shares == [1200 // ranks] * ranks


@pytest.mark.parametrize("algorithm", ["ring", "ring_pipelined", "direct", "hierarchical"])
def test_shares_of_lines_are_equal_enough(algorithm: str) -> None:
    nodes = [[0, 1, 2], [3, 4, 5]]
    for count in (6 * 4096 + 1, (1 << 20) + 1):
        found = halves(build(algorithm, 6, count, nodes))
        assert found is not None
        shares = [sum(chunk.length for chunk in found[0].output_chunks(rank)) for rank in range(6)]
        assert max(shares) - min(shares) < count / 6 / 8


@pytest.mark.parametrize(
    ("algorithm", "ranks", "nodes"),
    [
        ("recursive_doubling", 4, None),
        ("tree", 4, None),
        ("double_tree", 4, None),
        ("naive", 3, None),
        ("parameter_server", 3, None),
        ("halving_doubling", 3, None),
        ("hierarchical", 3, [[0, 1], [2]]),
    ],
)
def test_an_algorithm_that_leaves_no_equal_shares_has_no_halves(
    algorithm: str, ranks: int, nodes: list[list[int]] | None
) -> None:
    assert halves(build(algorithm, ranks, 1000, nodes)) is None


def test_halving_doubling_has_halves_on_a_power_of_two() -> None:
    assert halves(build("halving_doubling", 8, 1000)) is not None

"""The iterations of a benchmark are split into batches and rounds."""

import pytest

from ringscope.contracts.benchmark import FEWEST_BATCHES, FEWEST_ITERATIONS, batches, rounds


@pytest.mark.parametrize(
    ("iterations", "expected"),
    [(1, [1]), (7, [7]), (8, [4, 4]), (20, [4] * 5), (22, [5, 5, 4, 4, 4]), (1_000_000, [200_000] * 5)],
)
def test_iterations_are_split_evenly_into_a_few_batches(iterations: int, expected: list[int]) -> None:
    assert batches(iterations) == expected


def test_with_the_fewest_iterations_that_win_there_is_an_interval() -> None:
    assert [len(batches(count)) for count in (FEWEST_ITERATIONS - 1, FEWEST_ITERATIONS)] == [2, FEWEST_BATCHES]


@pytest.mark.parametrize(
    ("iterations", "expected"), [(1, [1]), (20, [1] * 20), (250, [3] * 50 + [2] * 50), (1_000_000, [10_000] * 100)]
)
def test_a_round_is_one_iteration_unless_there_are_many(iterations: int, expected: list[int]) -> None:
    assert rounds(iterations) == expected

"""The iterations of a benchmark are split into batches and rounds."""

import pytest
from pydantic import ValidationError

from ringscope.contracts.benchmark import FEWEST_BATCHES, FEWEST_ITERATIONS, BenchmarkSpec, batches, rounds


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


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"transport": "shared_memory"},
            "transport shared_memory cannot be captured as a CUDA graph; choose transport",
        ),
        ({"transport": "cuda_ipc"}, "transport cuda_ipc cannot be captured as a CUDA graph; choose transport nccl, or"),
        ({"device": "cpu"}, "device cpu cannot be captured as a CUDA graph; choose transport nccl, or give 0"),
        ({"transport": "nccl", "blocking": 2}, "are not waited for one by one; leave out blocking 2, or give 0"),
        ({"transport": "nccl", "per_iteration": True}, "are not waited for one by one; leave out per_iteration, or"),
    ],
)
def test_what_cannot_be_a_cuda_graph_is_refused_by_name(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence) as caught:
        BenchmarkSpec.model_validate(options | {"cuda_graph_launches": 5})
    assert caught.value.errors()[0]["loc"] == ("cuda_graph_launches",)
    assert BenchmarkSpec.model_validate(options).cuda_graph_launches == 0

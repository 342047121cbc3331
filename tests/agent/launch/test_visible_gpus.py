"""The GPUs that a script's ranks see."""

from collections.abc import Mapping

import pytest

from ringscope_agent.launch.visible_gpus import visible_gpus


@pytest.mark.parametrize(
    ("slots", "node_slots", "gpus", "seen"),
    [
        ([0, 1], 4, 4, "0,1"),
        ([2, 3], 4, 4, "2,3"),
        ([1], 2, 8, "4,5,6,7"),
        ([0, 1, 2, 3], 8, 2, "0"),
        ([3, 4], 8, 2, "0,1"),
        ([0], 4, 0, None),
        ([], 4, 4, None),
        ([7], 4, 4, None),
    ],
)
def test_the_gpus_are_divided_among_the_slots(slots: list[int], node_slots: int, gpus: int, seen: str | None) -> None:
    assert visible_gpus(slots, node_slots, gpus, {}) == seen


@pytest.mark.parametrize(("given", "seen"), [("4,5,6,7", "6,7"), ("GPU-a, GPU-b", "GPU-b"), ("", None)])
def test_an_agent_that_sees_some_gpus_divides_those(given: str, seen: str | None) -> None:
    inherited: Mapping[str, str] = {"CUDA_VISIBLE_DEVICES": given}
    assert visible_gpus([2, 3], 4, 8, inherited) == seen

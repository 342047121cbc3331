"""The GPUs that a job's ranks see."""

from collections.abc import Mapping

import pytest

from ringscope_agent.launch.visible_gpus import visible_gpus


def uuids(count: int) -> list[str]:
    return [f"G{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("slots", "node_slots", "gpus", "seen"),
    [
        ([0, 1], 4, 4, "G0,G1"),
        ([2, 3], 4, 4, "G2,G3"),
        ([1], 2, 8, "G4,G5,G6,G7"),
        ([0, 1, 2, 3], 8, 2, "G0"),
        ([3, 4], 8, 2, "G0,G1"),
        ([0], 4, 0, None),
        ([], 4, 4, None),
        ([7], 4, 4, None),
    ],
)
def test_the_gpus_are_divided_among_the_slots(slots: list[int], node_slots: int, gpus: int, seen: str | None) -> None:
    assert visible_gpus(slots, node_slots, uuids(gpus), {}) == seen


@pytest.mark.parametrize(("given", "seen"), [("4,5,6,7", "6,7"), ("GPU-a, GPU-b", "GPU-b"), ("", None)])
def test_an_agent_that_sees_some_gpus_divides_those(given: str, seen: str | None) -> None:
    inherited: Mapping[str, str] = {"CUDA_VISIBLE_DEVICES": given}
    assert visible_gpus([2, 3], 4, uuids(8), inherited) == seen


def test_without_leave_to_share_only_slots_that_have_a_gpu_each_get_theirs() -> None:
    assert visible_gpus([0, 1], 4, uuids(4), {}, may_share=False) == "G0,G1"
    assert visible_gpus([0, 1], 2, uuids(8), {}, may_share=False) == ",".join(uuids(8))
    assert visible_gpus([0, 1], 8, uuids(4), {}, may_share=False) is None

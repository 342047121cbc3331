"""Nodes, GPUs and slots by state."""

from typing import Any

import pytest

from ringscope_server.monitoring.capacity import NODE_STATES, NodeUnits, gpu_states, node_states, slot_states


def node(**changes: Any) -> NodeUnits:
    usual: dict[str, Any] = {
        "desired": "active", "observed": "ready", "slots": 8, "held": 0, "quarantined": 0, "gpus": 8, "expected_gpus": 8
    }  # fmt: skip
    return NodeUnits(**(usual | changes))


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "ready"),
        ({"held": 1}, "busy"),
        ({"held": 1, "observed": "degraded"}, "degraded"),
        ({"held": 1, "observed": "degraded", "desired": "drain"}, "draining"),
        ({"observed": "lost", "desired": "drain"}, "lost"),
    ],
)
def test_what_is_worst_about_a_node_names_it(changes: dict[str, Any], state: str) -> None:
    assert node_states([node(**changes)]) == {state: 1}
    assert state in NODE_STATES


@pytest.mark.parametrize(
    ("changes", "gpus"),
    [
        ({"held": 3}, {"allocated": 3, "free": 5}),
        ({"held": 3, "quarantined": 2}, {"allocated": 3, "unhealthy": 2, "free": 3}),
        ({"held": 3, "desired": "drain"}, {"allocated": 3, "drained": 5}),
        ({"held": 3, "gpus": 7}, {"allocated": 3, "unhealthy": 1, "free": 4}),
        ({"held": 8, "gpus": 4, "expected_gpus": 4}, {"allocated": 4}),  # more ranks than GPUs share them
        ({"held": 3, "observed": "lost"}, {"unhealthy": 8}),
        ({"gpus": 0, "expected_gpus": 0}, {}),
    ],
)
def test_every_gpu_is_in_one_state(changes: dict[str, Any], gpus: dict[str, int]) -> None:
    found = gpu_states([node(**changes)])
    assert {state: count for state, count in found.items() if count} == gpus
    assert sum(found.values()) == node(**changes).expected_gpus


def test_slots_are_counted_without_gpus_too() -> None:
    found = slot_states([node(gpus=0, expected_gpus=0, held=3), node(observed="lost", slots=2)])
    assert found == {"allocated": 3, "free": 5, "unhealthy": 2}
    whole = node(held=3, is_whole=True)  # an exclusive job's: no room for another one, whose GPUs have no rank
    assert slot_states([whole])["allocated"] == 8
    assert gpu_states([whole])["free"] == 5

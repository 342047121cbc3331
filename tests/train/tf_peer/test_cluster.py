"""TensorFlow gets every rank's role and the addresses of the whole cluster."""

import json
from typing import Any

import pytest

from ringscope.contracts.address import Address
from ringscope.contracts.training import TrainingSpec
from ringscope.train.tf_peer.cluster import roles, tf_config

SERVED = {"strategy": "tf_parameter_server", "consistency": "async"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"strategy": "tf_multi_worker_mirrored"}, ["worker"] * 5),
        (SERVED, ["chief", "worker", "worker", "worker", "ps"]),
        (SERVED | {"servers": 2}, ["chief", "worker", "worker", "ps", "ps"]),
    ],
)
def test_every_rank_has_its_role(spec: dict[str, Any], expected: list[str]) -> None:
    assert roles(TrainingSpec.model_validate(spec), 5) == expected


def test_tf_config_holds_the_whole_cluster_and_this_ranks_place_in_it() -> None:
    addresses = [Address("a", 1), Address("a", 2), Address("b", 3), Address("b", 4)]
    found = [json.loads(tf_config(addresses, ["chief", "worker", "worker", "ps"], rank)) for rank in range(4)]
    assert all(one["cluster"] == {"chief": ["a:1"], "worker": ["a:2", "b:3"], "ps": ["b:4"]} for one in found)
    assert [(one["task"]["type"], one["task"]["index"]) for one in found] == [
        ("chief", 0),
        ("worker", 0),
        ("worker", 1),
        ("ps", 0),
    ]

"""What TensorFlow is told about the cluster."""

import json
import socket
from types import SimpleNamespace
from typing import Any

import pytest

from ringscope.contracts.training import TrainingSpec
from ringscope.train.tf_peer.cluster import exchange_addresses, roles, tf_config

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
    addresses = ["a:1", "a:2", "b:3", "b:4"]
    found = [json.loads(tf_config(addresses, ["chief", "worker", "worker", "ps"], rank)) for rank in range(4)]
    assert all(one["cluster"] == {"chief": ["a:1"], "worker": ["a:2", "b:3"], "ps": ["b:4"]} for one in found)
    assert [(one["task"]["type"], one["task"]["index"]) for one in found] == [
        ("chief", 0),
        ("worker", 0),
        ("worker", 1),
        ("ps", 0),
    ]


def test_a_rank_gives_its_host_and_a_port_that_nobody_uses() -> None:
    def total(values: Any) -> Any:
        values = values.copy()
        values[0, :7] = list(b"n1:4242")
        return values

    comm: Any = SimpleNamespace(rank=1, size=2, nodes=((0,), (1,)), total=total)
    other, mine = exchange_addresses(comm)
    host, _, port = mine.rpartition(":")
    assert (other, host) == ("n1:4242", socket.gethostname())
    with socket.socket() as free:
        free.bind(("", int(port)))


def test_ranks_of_one_node_meet_at_the_loopback() -> None:
    comm: Any = SimpleNamespace(rank=0, size=1, nodes=((0,),), total=lambda values: values)
    assert exchange_addresses(comm)[0].startswith("127.0.0.1:")
